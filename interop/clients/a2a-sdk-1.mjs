// The A2A SDK's own client, 1.x: the card by version, then REST or JSON-RPC.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { Role, TaskState } from '@a2a-js/sdk';

function request(text, extra = {}) {
  return {
    tenant: '',
    message: {
      messageId: randomUUID(),
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [
        {
          content: { $case: 'text', value: text },
          metadata: undefined,
          filename: '',
          mediaType: '',
        },
      ],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
      ...extra,
    },
    configuration: undefined,
    metadata: undefined,
  };
}

function taskOf(answer) {
  return answer.payload?.value ?? answer.task ?? answer;
}

export function a2aSdk1(transport) {
  return async ({ url, tokens }) => {
    const fetchImpl = (input, init = {}) =>
      fetch(input, { ...init, headers: { ...init.headers, 'X-User-Token': tokens.scripted } });
    const factory = new ClientFactory({
      transports: [
        transport === 'rest'
          ? new RestTransportFactory({ fetchImpl })
          : new JsonRpcTransportFactory({ fetchImpl }),
      ],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    });
    const client = await factory.createFromUrl(`${url}/`);

    const kinds = [];
    let id;
    for await (const event of client.sendMessageStream(request('deltas count=10 every=20'))) {
      const payload = event.payload ?? event;
      kinds.push(payload.$case);
      id ??= payload.value.id;
    }
    assert.equal(kinds[0], 'task');
    assert.ok(kinds.includes('artifactUpdate'));
    assert.equal(kinds.at(-1), 'statusUpdate');

    const task = taskOf(await client.getTask({ tenant: '', id, historyLength: undefined }));
    assert.equal(task.status.state, TaskState.TASK_STATE_COMPLETED);

    const parked = taskOf(await client.sendMessage(request('ask')));
    assert.equal(parked.status.state, TaskState.TASK_STATE_INPUT_REQUIRED);
    const done = taskOf(
      await client.sendMessage(
        request('the second', { taskId: parked.id, contextId: parked.contextId }),
      ),
    );
    assert.equal(done.id, parked.id);
    assert.equal(done.status.state, TaskState.TASK_STATE_COMPLETED);
    return `${kinds.length} events, task ${task.id}, a question answered`;
  };
}
