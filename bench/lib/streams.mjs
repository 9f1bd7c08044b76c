import { connect } from 'node:net';
import { request as once } from 'undici';
import { sendRequest, TOKEN } from './gateway.mjs';

/** Starts a run of the bench's backend without waiting for it; resolves with the task's id. */
export async function startRun(origin, ask) {
  const { path, ...options } = sendRequest(1, JSON.stringify(ask));
  const envelope = JSON.parse(options.body);
  envelope.params.configuration = { returnImmediately: true };
  const { body } = await once(origin + path, { ...options, body: JSON.stringify(envelope) });
  const answer = await body.json();
  if (answer.result?.task?.id === undefined) throw new Error(JSON.stringify(answer));
  return answer.result.task.id;
}

export async function cancelRun(origin, taskId) {
  const { statusCode, body } = await once(`${origin}/a2a/tasks/${taskId}:cancel`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
    body: '{}',
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`cancel: HTTP ${statusCode} ${text}`);
}

/**
 * Subscribes to a task by a bare socket, so that thousands of subscribers weigh little here.
 * Resolves once the first event has come.
 * @param onData called with each piece of text as it comes.
 */
export function subscribe(origin, taskId, onData = () => undefined) {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let open = false;
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('a stream ended before its first event')));
    socket.on('data', (text) => {
      onData(text);
      if (open) return;
      if (text.startsWith('HTTP/1.1') && !text.startsWith('HTTP/1.1 200')) {
        socket.destroy();
        reject(
          new Error(`a stream was refused: ${text.split('\r\n')[0]} ${text.split('\r\n\r\n')[1]}`),
        );
      }
      if (!text.includes('data:')) return;
      open = true;
      resolve(socket);
    });
    socket.write(
      `GET /a2a/tasks/${taskId}:subscribe HTTP/1.1\r\nhost: ${hostname}:${port}\r\n` +
        `authorization: Bearer ${TOKEN}\r\naccept: text/event-stream\r\nconnection: close\r\n\r\n`,
    );
  });
}

export async function metric(management, name) {
  const { body } = await once(`${management}/metrics`);
  const line = (await body.text()).split('\n').find((row) => row.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.split(' ')[1]);
}
