import { describe, expect, it } from 'vitest';
import { findPromql } from './find-promql.js';

describe('findPromql', () => {
  it.each([
    ['query up', 'up'],
    ['Query: up', 'up'],
    ['please run `sum(up)`', 'sum(up)'],
    ['what is the value of node_load1?', 'node_load1'],
    ['what is node_load1', 'node_load1'],
    [
      'show rate(http_requests_total{job="api"}[5m]) please',
      'rate(http_requests_total{job="api"}[5m])',
    ],
    ['sum by (job) (up) > 3', 'sum by (job) (up) > 3'],
    ['what does sum(up) without (instance) return and why', 'sum(up) without (instance)'],
    [
      'a_total{x="1"} / on (job) group_left (team) b_total',
      'a_total{x="1"} / on (job) group_left (team) b_total',
    ],
    [
      'histogram_quantile(0.99, sum(rate(x_bucket[5m])) by (le))',
      'histogram_quantile(0.99, sum(rate(x_bucket[5m])) by (le))',
    ],
    ['max_over_time(up[1h:5m] offset 1d)', 'max_over_time(up[1h:5m] offset 1d)'],
    ['up{job="a"} and on (job) b_up', 'up{job="a"} and on (job) b_up'],
    ['查询 up{job="x"}', 'up{job="x"}'],
    ['查询up｛job=“x”｝的值', 'up{job="x"}'],
    ['up 的值是多少', 'up'],
    ['执行 PromQL：sum(up)', 'sum(up)'],
    ['看一下 node_memory_free_bytes', 'node_memory_free_bytes'],
    // Broken, and handed on as it is: its source says what is wrong with it.
    ['plot sum by (x) (', 'sum by (x) ('],
    ['画一下 sum by (x) (', 'sum by (x) ('],
    ['query sum(up) by (', 'sum(up) by ('],
    ['plot rate (up[5m', 'rate (up[5m'],
  ])('should find the expression of: %s', (text, expr) => {
    expect(findPromql(text)?.expr).toBe(expr);
  });

  it.each([
    'what is firing?',
    'show alerts (critical)',
    'run diagnostics',
    'alerts on web-1',
    'is up ok',
    'alerts with {severity="critical"}',
    'show node-exporter alerts',
    '有哪些告警',
    'alerts with instance="a\\"} or vector(1) #"',
    'alerts with summary="query sum(up)"',
  ])('should find none in: %s', (text) => {
    expect(findPromql(text)).toBeUndefined();
  });

  it('should be sure of an expression only when it has structure', () => {
    expect(findPromql('query up')?.sure).toBe(false);
    expect(findPromql('query up{job="x"}')?.sure).toBe(true);
    expect(findPromql('query critical alerts')?.sure ?? false).toBe(false);
  });

  it('should leave the rest of the question', () => {
    expect(findPromql('query up over the last hour')?.rest).toContain('over the last hour');
    expect(findPromql('query sum(up) since 09:00')?.rest).toContain('since 09:00');
  });
});
