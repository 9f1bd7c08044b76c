// ADK's RemoteA2AAgent in a runner: it speaks 0.3, sends only the contextId of the conversation and
// takes its token from the client factory.
import assert from 'node:assert/strict';
import { InMemoryRunner, RemoteA2AAgent } from '@google/adk';
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from 'a2a-sdk-03/client';

export function adk(token) {
  return async ({ url, tokens }) => {
    const fetchImpl = (input, init = {}) =>
      fetch(input, { ...init, headers: { ...init.headers, 'X-User-Token': tokens[token] } });
    const clientFactory = new ClientFactory(
      ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
        transports: [new JsonRpcTransportFactory({ fetchImpl })],
        cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
      }),
    );
    const agent = new RemoteA2AAgent({
      name: 'nightjar',
      agentCard: url,
      clientFactory,
    });
    const runner = new InMemoryRunner({ agent, appName: 'interop' });
    const session = await runner.sessionService.createSession({
      appName: 'interop',
      userId: 'ann',
    });
    const ask = async (text) => {
      // ADK shows partial events as they come; what it keeps are the others.
      const shown = { partial: '', kept: '' };
      for await (const event of runner.runAsync({
        userId: 'ann',
        sessionId: session.id,
        newMessage: { role: 'user', parts: [{ text }] },
      })) {
        if (event.errorMessage) throw new Error(event.errorMessage);
        shown[event.partial ? 'partial' : 'kept'] += (event.content?.parts ?? [])
          .filter((part) => part.thought !== true)
          .map((part) => part.text ?? '')
          .join('');
      }
      return `${shown.partial}\n${shown.kept}`;
    };
    return check[token](ask);
  };
}

const check = {
  demo: async (ask) => {
    const first = await ask('what is firing?');
    assert.match(first, /HighErrorRate/);
    const second = await ask('details of the first one');
    assert.match(second, /HighErrorRate/);
    assert.doesNotMatch(second, /no list/i);
    return 'what is firing, then the first one';
  },
  scripted: async (ask) => {
    assert.match(await ask('ask'), /Which one\?/);
    assert.match(await ask('the second'), /you said .*the second/s);
    return 'a question, answered with the contextId alone';
  },
};
