import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StreamResponse, Task } from '../../src/domain/a2a.js';
import { eventually } from './wait.js';

/** One notification as it came. */
export interface Delivered {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: StreamResponse;
  /** What it was answered with; 0 when it was left without an answer. */
  readonly status: number;
}

export type Answer = number | ((response: ServerResponse, delivered: Delivered) => void);

/** A webhook of a test on a random loopback port: keeps what it is told and answers as it is told. */
export class HookServer {
  readonly all: Delivered[] = [];
  /** Given to every notification; a function may do anything with the response. */
  answer: (delivered: Omit<Delivered, 'status'>) => Answer = () => 200;
  /** Notifications being answered right now, and the most there were at once. */
  open = 0;
  mostOpen = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<HookServer> {
    const server = createServer();
    const hook = new HookServer(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      hook.open += 1;
      hook.mostOpen = Math.max(hook.mostOpen, hook.open);
      response.once('close', () => (hook.open -= 1));
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        hook.take(request.url ?? '', request.headers, Buffer.concat(chunks).toString(), response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return hook;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(path = '/hook'): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** The notifications that were accepted, of one path. */
  accepted(path = '/hook'): Delivered[] {
    return this.all.filter((one) => one.path === path && one.status >= 200 && one.status < 300);
  }

  /** Waits until the last accepted notification of a path passes the test. */
  until(
    what: string,
    test: (accepted: readonly Delivered[]) => boolean,
    path = '/hook',
    timeoutMs = 10_000,
  ): Promise<Delivered[]> {
    return eventually(
      what,
      () => {
        const accepted = this.accepted(path);
        return test(accepted) ? accepted : undefined;
      },
      timeoutMs,
    );
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private take(
    path: string,
    headers: IncomingHttpHeaders,
    text: string,
    response: ServerResponse,
  ): void {
    const seen = { path, headers, text, body: JSON.parse(text) as StreamResponse };
    const answer = this.answer(seen);
    const delivered = { ...seen, status: typeof answer === 'number' ? answer : 0 };
    this.all.push(delivered);
    if (typeof answer === 'number') response.writeHead(answer).end('{}');
    else answer(response, delivered);
  }
}

/** `<seq>-<epoch>` that a notification tells up to, as a number. */
export function seqOf(delivered: Delivered): number {
  return Number(String(delivered.headers['x-nightjar-event-id']).split('-')[0]);
}

/** The state that a notification brings, if it brings one. */
export function stateIn(delivered: Delivered | undefined): string | undefined {
  if (delivered === undefined) return undefined;
  const body = delivered.body as unknown as Partial<{
    task: Task;
    statusUpdate: { status: Task['status'] };
    status: { state: string };
  }>;
  return body.task?.status.state ?? body.statusUpdate?.status.state ?? body.status?.state;
}

export function isOver(accepted: readonly Delivered[]): boolean {
  return /COMPLETED|FAILED|CANCELED|completed/.test(stateIn(accepted.at(-1)) ?? '');
}

/** The text of the artifacts that a receiver has after all of these. */
export function textOf(accepted: readonly Delivered[]): string {
  const texts = new Map<string, string>();
  for (const { body } of accepted) {
    if ('task' in body) {
      texts.clear();
      for (const { artifactId, parts } of body.task.artifacts ?? []) {
        texts.set(artifactId, parts.map(({ text }) => text ?? '').join(''));
      }
    } else if ('artifactUpdate' in body) {
      const { artifact, append } = body.artifactUpdate;
      const text = artifact.parts.map((part) => part.text ?? '').join('');
      const before = append === true ? (texts.get(artifact.artifactId) ?? '') : '';
      texts.set(artifact.artifactId, before + text);
    }
  }
  return [...texts.values()].join('');
}
