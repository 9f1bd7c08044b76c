// The A2A SDK's client of 0.3, what most deployed agents are built on: no version header anywhere.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { A2AClient } from 'a2a-sdk-03/client';

function params(text, extra = {}) {
  return {
    message: {
      kind: 'message',
      messageId: randomUUID(),
      role: 'user',
      parts: [{ kind: 'text', text }],
      ...extra,
    },
  };
}

export async function a2aSdk03({ url, tokens }) {
  const fetchImpl = (input, init = {}) =>
    fetch(input, {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${tokens.scripted}` },
    });
  const client = await A2AClient.fromCardUrl(`${url}/.well-known/agent-card.json`, { fetchImpl });
  const kinds = [];
  let last;
  for await (const event of client.sendMessageStream(params('deltas count=10 every=20'))) {
    kinds.push(event.kind);
    last = event;
  }
  assert.equal(kinds[0], 'task');
  assert.equal(last.kind, 'status-update');
  assert.equal(last.final, true);
  assert.equal(last.status.state, 'completed');

  const parked = (await client.sendMessage(params('ask'))).result;
  assert.equal(parked.status.state, 'input-required');
  const done = (
    await client.sendMessage(
      params('the second', { taskId: parked.id, contextId: parked.contextId }),
    )
  ).result;
  assert.equal(done.id, parked.id);
  assert.equal(done.status.state, 'completed');
  const got = (await client.getTask({ id: done.id })).result;
  assert.equal(got.status.state, 'completed');
  return `${kinds.length} events, task ${done.id}, a question answered`;
}
