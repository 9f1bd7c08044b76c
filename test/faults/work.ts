import { randomUUID } from 'node:crypto';
import type { Task } from '../../src/domain/a2a.js';
import { A2aClient, userMessage } from '../support/a2a-client.js';
import type { Caller, Gateway } from '../support/gateway.js';
import { sleep } from '../support/wait.js';

/** A client of any gateway that lives; a random one each time. */
export function anyOf(gateways: readonly Gateway[], who: Caller): A2aClient {
  const alive = gateways.filter(({ exitCode }) => exitCode === undefined);
  const gateway = alive[Math.floor(Math.random() * alive.length)];
  if (gateway === undefined) throw new Error('no gateway lives');
  return new A2aClient(gateway.baseUrl, who.token);
}

export interface Sent {
  readonly task: Task;
  /** How often it had to be sent again. */
  readonly retries: number;
}

/**
 * Sends as docs/connect.md tells clients to: with an `Idempotency-Key`, again on 503 and on a broken
 * connection. @throws Error for any other answer, or after 60 s.
 */
export async function sendSafely(
  pick: () => A2aClient,
  text: string,
  configuration: { readonly returnImmediately?: boolean } = {},
): Promise<Sent> {
  const key = randomUUID();
  const message = userMessage(text);
  const until = performance.now() + 60_000;
  for (let retries = 0; performance.now() < until; retries += 1) {
    const reply = await pick()
      .call<{ task: Task }>(
        'POST',
        '/a2a/message:send',
        JSON.stringify({ message, configuration }),
        { 'idempotency-key': key },
      )
      .catch(() => undefined);
    if (reply?.status === 200) return { task: reply.body.task, retries };
    if (reply !== undefined && reply.status !== 503) {
      throw new Error(`send: ${reply.status} ${reply.text}`);
    }
    await sleep(100);
  }
  throw new Error('send: not taken within 60 s');
}
