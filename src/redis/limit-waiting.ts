import type { Cluster, Redis } from 'ioredis';

type Sent = Parameters<Cluster['sendCommand']>;
type Command = Sent[0];
type Rest = Sent extends [Command, ...infer R] ? R : never;

/** A wait is counted in so many ticks: it is over between `ms` and a tick more. */
const TICKS = 10;
/** So many commands may have been sent in a tick before the answered ones are looked for. */
const ROOM = 64;

/**
 * Fails each command that Redis leaves without an answer for `ms` with `Command timed out`, also one
 * that waits here for a connection. Unlike ioredis' own `commandTimeout`:
 * - A blocked event loop counts as one tick, however long it was. Otherwise the timers, which run
 *   before the sockets are read, blame Redis for answers that lie there: five hundred streams opened
 *   at once on a loaded machine were refused by it.
 * - One timer for all commands of a connection, none while nothing is asked.
 */
export function limitWaiting(client: Redis | Cluster, ms: number): void {
  const waiting = new Waiting(ms / TICKS);
  const send = client.sendCommand.bind(client);
  client.sendCommand = (command: Command, ...rest: Rest) => {
    waiting.add(command);
    return send(command, ...rest);
  };
}

/** Commands by the tick in which they were sent, in a ring. */
class Waiting {
  private readonly ring: Command[][] = Array.from({ length: TICKS + 1 }, () => []);
  private sent: Command[] = [];
  private roomFor = ROOM;
  private at = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly tickMs: number) {}

  add(command: Command): void {
    if (this.sent.length >= this.roomFor) this.dropAnswered();
    this.sent.push(command);
    this.timer ??= setInterval(() => {
      this.tick();
    }, this.tickMs);
  }

  /** They hold what they carried: kept for a whole tick, they would grow old in the heap. */
  private dropAnswered(): void {
    this.sent = this.sent.filter((command) => !command.isSettled);
    this.roomFor = Math.max(ROOM, 2 * this.sent.length);
  }

  private tick(): void {
    this.dropAnswered();
    this.ring[this.at] = this.sent;
    this.sent = [];
    this.at = (this.at + 1) % this.ring.length;
    for (const command of this.ring[this.at] ?? []) {
      if (!command.isSettled) command.reject(new Error('Command timed out'));
    }
    this.ring[this.at] = [];
    if (this.ring.some((commands) => commands.length > 0)) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

/**
 * Calls `over` after `ms` (to a tick more) in which the event loop could have heard an answer, see
 * `limitWaiting`. Returns what takes it back.
 */
export function afterWaiting(ms: number, over: () => void): () => void {
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (ticks <= TICKS) return;
    clearInterval(timer);
    over();
  }, ms / TICKS);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}
