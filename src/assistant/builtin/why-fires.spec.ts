import { describe, expect, it } from 'vitest';
import { alertOf, FakeSources, NOW, Talk } from '../../../test/support/fake-sources.js';
import { asLabels } from '../sources/shape.js';

function sources(): FakeSources {
  return new FakeSources({
    alerts: [alertOf({ alertname: 'HighLatency', service: 'checkout' })],
    rules: [
      {
        ...{ source: 'fake-prom', group: 'g', name: 'HighLatency', type: 'alerting' },
        ...{ expr: 'latency_seconds > 2', state: 'firing', forSeconds: 300, health: 'ok' },
        ...{ labels: asLabels({}, 'labels'), lastError: '' },
      },
    ],
    query: (expr) => {
      const labels = asLabels({ service: 'checkout' }, 'labels');
      const isRule = expr.startsWith('latency_seconds');
      const series = isRule ? [{ labels, samples: [{ at: NOW, value: '3.5' }] }] : [];
      return { kind: 'vector', series, warnings: [] };
    },
  });
}

describe('why an alert fires', () => {
  it.each([
    'why does HighLatency fire?',
    'why is HighLatency firing?',
    "what's the threshold of HighLatency?",
    'HighLatency 为什么触发',
    'HighLatency 的阈值是多少',
  ])('should be told with expression, value and threshold: %s', async (question) => {
    const answer = await new Talk(sources()).ask(question);
    expect(answer).toContain('`latency_seconds > 2`');
    expect(answer).toContain('**3.5**');
    expect(answer).toContain('`> 2`');
    expect(answer).toMatch(/300 (?:s|秒)/);
  });

  it('should be told of one that does not fire, too', async () => {
    const fake = sources();
    fake.alerts = [];
    const answer = await new Talk(fake).ask('why does HighLatency fire?');
    expect(answer).toContain('`latency_seconds > 2`');
  });

  it('should not be in the way of plain details', async () => {
    expect(await new Talk(sources()).ask('details of HighLatency')).not.toContain(
      'latency_seconds',
    );
  });
});
