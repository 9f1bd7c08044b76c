import { describe, expect, it } from 'vitest';
import { asJson } from './json-response.js';

function stream(...messages: readonly object[]): Response {
  const frames = messages.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`);
  return new Response(`: keepalive\n\n${frames.join(': keepalive\n\n')}`, {
    headers: { 'content-type': 'text/event-stream' },
  });
}

const PROGRESS = { jsonrpc: '2.0', method: 'notifications/progress', params: {} };

describe('asJson', () => {
  it('should keep the answer and drop notifications and comments', async () => {
    const response = await asJson(stream(PROGRESS, { id: 1, result: { text: 'a\n\ndata: b' } }));
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({ id: 1, result: { text: 'a\n\ndata: b' } });
  });

  it('should gather the answers of a batch', async () => {
    const response = await asJson(stream({ id: 2, result: {} }, PROGRESS, { id: 1, error: {} }));
    expect(await response.json()).toEqual([
      { id: 2, result: {} },
      { id: 1, error: {} },
    ]);
  });

  it('should return any other response as it is', async () => {
    const json = Response.json({ id: 1 }, { status: 400 });
    const empty = new Response(null, { status: 202 });
    expect(await asJson(json)).toBe(json);
    expect(await asJson(empty)).toBe(empty);
  });
});
