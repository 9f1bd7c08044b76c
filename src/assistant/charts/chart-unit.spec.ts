import { describe, expect, it } from 'vitest';
import { type ChartUnit, showValue, unitOf } from './chart-unit.js';

describe('unitOf', () => {
  const cases: readonly (readonly [string, ChartUnit])[] = [
    ['up', 'number'],
    ['node_load1{instance="a_bytes"}', 'number'],
    ['node_memory_MemAvailable_bytes', 'bytes'],
    ['rate(node_network_receive_bytes_total[5m])', 'bytes_per_second'],
    ['1 - node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes', 'ratio'],
    ['100 * (1 - avg(rate(node_cpu_seconds_total{mode="idle"}[5m])))', 'percent'],
    ['1 - avg(rate(node_cpu_seconds_total{mode="idle"}[5m]))', 'ratio'],
    ['rate(process_cpu_seconds_total[5m])', 'number'],
    ['mem_used_percent', 'percent'],
    ['job:http_errors:ratio5m', 'ratio'],
    ['histogram_quantile(0.99, rate(http_request_duration_seconds_bucket[5m]))', 'seconds'],
    ['rate(x_seconds_sum[5m]) / rate(x_seconds_count[5m])', 'seconds'],
    ['rate(http_requests_total{code="500"}[5m]) / rate(http_requests_total[5m])', 'ratio'],
    ['sum(rate(http_requests_total[5m]))', 'per_second'],
    ['time() - process_start_time_seconds', 'seconds'],
    ['http_latency_milliseconds', 'milliseconds'],
    ['node_hwmon_temp_celsius', 'celsius'],
  ];
  it.each(cases)('should read %s as %s', (expr, unit) => {
    expect(unitOf(expr)).toBe(unit);
  });
});

describe('showValue', () => {
  const cases: readonly (readonly [number, ChartUnit, string])[] = [
    [0, 'number', '0'],
    [0.42, 'number', '0.42'],
    [0.0123456, 'number', '0.0123'],
    [1234.5, 'number', '1235'],
    [1_234_567, 'number', '1.23M'],
    [1536, 'bytes', '1.5 KiB'],
    [-1536, 'bytes', '-1.5 KiB'],
    [2.5 * 2 ** 30, 'bytes_per_second', '2.5 GiB/s'],
    [0.123, 'ratio', '12.3 %'],
    [87.654, 'percent', '87.65 %'],
    [0.0025, 'seconds', '2.5 ms'],
    [90, 'seconds', '90 s'],
    [86_400, 'seconds', '24 h'],
    [1500, 'milliseconds', '1.5 s'],
    [12_345, 'per_second', '12.35k/s'],
    [3.2, 'per_second', '3.2 /s'],
    [NaN, 'bytes', 'NaN'],
    [Infinity, 'bytes', '+Inf'],
  ];
  it.each(cases)('should show %s in %s as %s', (value, unit, shown) => {
    expect(showValue(value, unit)).toBe(shown);
  });
});
