import { describe, expect, it } from 'vitest';
import { commonLabels, lineName } from './chart-lines.js';

describe('the name of a line that is alone in its chart', () => {
  it.each([
    [{ __name__: 'x_y', host: 'web-1', instance: '127.0.0.1:29591' }, 'web-1'],
    [{ __name__: 'x_y', hostname: 'web-1', instance: 'exporter:9100' }, 'web-1'],
    [{ __name__: 'x_y', pod: 'ledger-0', service: 'ledger', instance: '10.0.0.7:80' }, 'ledger-0'],
    [{ __name__: 'x_y', service: 'ledger', instance: '10.0.0.7:80' }, 'ledger'],
    [{ __name__: 'x_y', pod: 'node-exporter-0', instance: 'web-1:9100' }, 'web-1:9100'],
    [{ __name__: 'x_y', ident: 'web-1', service: 'node' }, 'web-1'],
    [{ __name__: 'x_y', instance: '10.0.0.7:80' }, '10.0.0.7:80'],
    [{ __name__: 'x_y' }, 'x_y'],
  ])('should be a name that people know: %j', (labels, name) => {
    const line = { labels };
    expect(lineName(line, commonLabels([line]))).toBe(name);
  });
});
