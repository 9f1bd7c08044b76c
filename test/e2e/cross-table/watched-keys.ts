import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { sleep } from '../../support/wait.js';

/** `+1796045713.270735 [0 127.0.0.1:35886] "hmget" "nj:…"`, `[0 lua]` for what a script calls. */
const WORD = /"((?:[^"\\]|\\.)*)"/g;

/** The sweeper's look at each tenant, every ten seconds: too rare to be learnt. It names nobody's things. */
const SWEPT = /^zrangebyscore \S+\}:(?:parked|full)$/;

/**
 * Which keys the gateways touch, by MONITOR. What they do by themselves (leases, sweeps, the hub) is
 * learnt while nobody calls, and told apart by command and keys.
 */
export class WatchedKeys {
  private readonly background = new Set<string>();
  private readonly seen = new Set<string>();
  private learning = true;
  private rest = '';

  private constructor(
    private readonly socket: Socket,
    private readonly isWatched: (key: string) => boolean,
  ) {
    socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = (this.rest + text).split('\r\n');
      this.rest = lines.pop() ?? '';
      for (const line of lines) this.note(line);
    });
  }

  static async start(port: number, isWatched: (key: string) => boolean): Promise<WatchedKeys> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const watched = new WatchedKeys(socket, isWatched);
    socket.write('MONITOR\r\n');
    return watched;
  }

  /** Learns for a while what happens without a caller. */
  async learn(ms: number): Promise<void> {
    this.learning = true;
    await sleep(ms);
    this.learning = false;
  }

  /** What was touched and is none of the background; the monitor ends. */
  stop(): string[] {
    this.socket.destroy();
    return [...this.seen].filter((one) => !this.background.has(one) && !SWEPT.test(one)).sort();
  }

  private note(line: string): void {
    const [command = '', ...args] = [...line.matchAll(WORD)].map(([, word]) => word!);
    const keys = args.filter((arg) => this.isWatched(arg));
    if (keys.length === 0) return;
    const set = this.learning ? this.background : this.seen;
    set.add(`${command.toLowerCase()} ${keys.join(' ')}`);
  }
}
