import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { RespCommands } from './resp-commands.js';

/** What the proxy does with a command of a client. */
export type Verdict =
  | 'forward'
  /** The command never reaches Redis; the connection is gone. */
  | 'cut-before'
  /** Redis executes it (and all before it); no reply arrives, the connection is gone. */
  | 'cut-after';

/** Milliseconds each chunk is held back, by direction; order is kept. */
export interface Delay {
  readonly toServer?: () => number;
  readonly toClient?: () => number;
}

/** One client connection through the proxy. */
export interface ProxiedConnection {
  /** It has sent SUBSCRIBE. */
  readonly subscriber: boolean;
  readonly commands: number;
}

/**
 * A TCP proxy in front of a Redis server, the only road of a gateway to it: it delays, cuts, and
 * cuts after execution, so that races come by intent and not by luck.
 */
export class TcpProxy {
  /** Of every connection; `delaySubscribers` of those that have sent SUBSCRIBE, from that on. */
  delay: Delay = {};
  delaySubscribers: Delay = {};
  /** Asked for every command of every connection. */
  judge: (args: readonly string[], connection: ProxiedConnection) => Verdict = () => 'forward';
  /** Cuts made by a verdict so far. */
  cuts = 0;
  private readonly links = new Set<Link>();
  private refusing = false;

  private constructor(
    private readonly server: Server,
    private readonly target: { readonly host: string; readonly port: number },
  ) {
    server.on('connection', (client) => {
      if (this.refusing) client.destroy();
      else this.links.add(new Link(this, client, connect(this.target.port, this.target.host)));
    });
  }

  static async start(targetPort: number): Promise<TcpProxy> {
    const server = createServer();
    const proxy = new TcpProxy(server, { host: '127.0.0.1', port: targetPort });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get connections(): readonly ProxiedConnection[] {
    return [...this.links];
  }

  /** Cuts the connections that the filter picks, at once. */
  cut(pick: (connection: ProxiedConnection) => boolean = () => true): number {
    const picked = [...this.links].filter(pick);
    picked.forEach((link) => {
      link.cut();
    });
    return picked.length;
  }

  /** Cuts everything and takes no connection until `allow`. */
  refuse(): void {
    this.refusing = true;
    this.cut();
  }

  allow(): void {
    this.refusing = false;
  }

  async stop(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  /** For Link only. */
  forget(link: Link): void {
    this.links.delete(link);
  }
}

class Link implements ProxiedConnection {
  subscriber = false;
  commands = 0;
  private readonly parser = new RespCommands();
  private readonly toServer: DelayedPipe;
  private readonly toClient: DelayedPipe;
  /** A cut after execution is under way: replies are swallowed, the client is cut at their end. */
  private doomed = false;

  constructor(
    private readonly proxy: TcpProxy,
    private readonly client: Socket,
    private readonly upstream: Socket,
  ) {
    client.setNoDelay(true);
    upstream.setNoDelay(true);
    this.toServer = new DelayedPipe(upstream, () => this.currentDelay().toServer?.() ?? 0);
    this.toClient = new DelayedPipe(client, () => this.currentDelay().toClient?.() ?? 0);
    client.on('data', (chunk: Buffer) => {
      this.fromClient(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      if (!this.doomed) this.toClient.write(chunk);
    });
    client.on('close', () => {
      if (!this.doomed) this.cut();
    });
    upstream.on('close', () => {
      this.cut();
    });
    client.on('error', () => undefined);
    upstream.on('error', () => undefined);
  }

  cut(): void {
    this.proxy.forget(this);
    this.client.destroy();
    this.upstream.destroy();
  }

  private fromClient(chunk: Buffer): void {
    if (this.doomed) return;
    for (const { args, bytes } of this.parser.push(chunk)) {
      this.commands += 1;
      if (args[0] === 'subscribe') this.subscriber = true;
      const verdict = this.proxy.judge(args, this);
      if (verdict === 'cut-before') {
        this.proxy.cuts += 1;
        this.cut();
        return;
      }
      this.toServer.write(bytes);
      if (verdict === 'cut-after') {
        this.proxy.cuts += 1;
        this.doomed = true;
        // Redis reads all that was sent, executes it, sees the end and closes: only then is the
        // client told, so whatever it sends again comes after the execution.
        this.toServer.end();
        return;
      }
    }
  }

  private currentDelay(): Delay {
    return this.subscriber
      ? { ...this.proxy.delay, ...this.proxy.delaySubscribers }
      : this.proxy.delay;
  }
}

/** Writes chunks in order, each not before its delay has passed. */
class DelayedPipe {
  private readonly queue: { at: number; chunk: Buffer | 'end' }[] = [];
  private timer: NodeJS.Timeout | undefined;
  private last = 0;

  constructor(
    private readonly target: Socket,
    private readonly delayMs: () => number,
  ) {
    target.on('close', () => {
      clearTimeout(this.timer);
      this.queue.length = 0;
    });
  }

  write(chunk: Buffer): void {
    this.put(chunk, this.delayMs());
  }

  end(): void {
    this.put('end', 0);
  }

  private put(chunk: Buffer | 'end', delayMs: number): void {
    this.last = Math.max(this.last, performance.now() + delayMs);
    if (this.queue.length === 0 && delayMs <= 0) {
      this.emit(chunk);
      return;
    }
    this.queue.push({ at: this.last, chunk });
    this.arm();
  }

  private arm(): void {
    const next = this.queue[0];
    if (next === undefined || this.timer !== undefined) return;
    this.timer = setTimeout(
      () => {
        this.timer = undefined;
        while (this.queue[0] !== undefined && this.queue[0].at <= performance.now()) {
          this.emit(this.queue.shift()!.chunk);
        }
        this.arm();
      },
      Math.max(0, next.at - performance.now()),
    );
  }

  private emit(chunk: Buffer | 'end'): void {
    if (this.target.destroyed) return;
    if (chunk === 'end') this.target.end();
    else this.target.write(chunk);
  }
}
