import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ChartPicture, ChartSpec } from './chart-spec.js';

/** A picture takes about half a second of a core. */
const MOST_WAITING = 8;
const LATE_MS = 15_000;
/** The font alone is 8 MB. */
const HEAP_MB = 256;

/** Why there is no picture. */
export type ChartFault =
  | { readonly code: 'busy' }
  | { readonly code: 'late'; readonly seconds: number }
  | { readonly code: 'failed' };

/** There is no picture; the message says why, for the user, in English; `fault` for other languages. */
export class ChartError extends Error {
  constructor(
    readonly fault: ChartFault,
    detail = '',
  ) {
    super(`${textOf(fault)}${detail === '' ? '' : ` (${detail})`}`);
  }
}

function textOf(fault: ChartFault): string {
  switch (fault.code) {
    case 'busy':
      return 'too many charts are being drawn at the moment';
    case 'late':
      return `the chart took more than ${String(fault.seconds)} s`;
    case 'failed':
      return 'the chart could not be drawn';
  }
}

interface Reply {
  readonly id: number;
  readonly picture?: ChartPicture;
  readonly failure?: string;
}

interface Waiting {
  readonly spec: ChartSpec;
  readonly done: (picture: ChartPicture) => void;
  readonly failed: (error: Error) => void;
}

/**
 * Draws charts on a thread of its own, one after another, so that no stream of events waits for one.
 * The thread is started by the first chart, and does not keep the process alive.
 */
export class ChartRenderer {
  private worker: Worker | undefined;
  private current:
    { readonly id: number; readonly job: Waiting; readonly timer: NodeJS.Timeout } | undefined;
  private readonly waiting: Waiting[] = [];
  private count = 0;

  constructor(
    private readonly lateMs = LATE_MS,
    private readonly program = programFile(),
  ) {}

  /**
   * @throws ChartError when too many wait, it takes too long, or it cannot be drawn; the signal's
   * reason.
   */
  async draw(spec: ChartSpec, signal: AbortSignal): Promise<ChartPicture> {
    signal.throwIfAborted();
    if (this.waiting.length >= MOST_WAITING) {
      throw new ChartError({ code: 'busy' });
    }
    return new Promise<ChartPicture>((resolve, reject) => {
      const onAbort = (): void => {
        const index = this.waiting.indexOf(job);
        if (index !== -1) this.waiting.splice(index, 1);
        reject(signal.reason as Error);
      };
      const job: Waiting = {
        spec,
        done: (picture) => {
          signal.removeEventListener('abort', onAbort);
          resolve(picture);
        },
        failed: (error) => {
          signal.removeEventListener('abort', onAbort);
          reject(error);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.waiting.push(job);
      this.next();
    });
  }

  private next(): void {
    if (this.current !== undefined) return;
    const job = this.waiting.shift();
    if (job === undefined) return;
    this.count += 1;
    const id = this.count;
    const timer = setTimeout(() => {
      this.drop(new ChartError({ code: 'late', seconds: this.lateMs / 1000 }));
    }, this.lateMs);
    this.current = { id, job, timer };
    this.worker ??= this.start();
    this.worker.ref();
    this.worker.postMessage({ id, spec: job.spec });
  }

  private start(): Worker {
    const worker = new Worker(this.program, {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      // Nothing of the gateway's own environment or output belongs in there.
      env: {},
    });
    worker.on('message', (reply: Reply) => {
      this.answered(reply);
    });
    const died = (): void => {
      if (this.worker === worker) this.drop(new ChartError({ code: 'failed' }));
    };
    worker.on('error', died);
    worker.on('exit', died);
    return worker;
  }

  private answered({ id, picture, failure }: Reply): void {
    const { current } = this;
    if (current?.id !== id) return;
    this.current = undefined;
    clearTimeout(current.timer);
    if (picture === undefined) {
      current.job.failed(new ChartError({ code: 'failed' }, failure));
    } else current.job.done(picture);
    // Idle, it does not keep the process alive.
    this.worker?.unref();
    this.next();
  }

  /** The thread is lost, with what it was drawing; the next chart gets a new one. */
  private drop(error: ChartError): void {
    const { worker, current } = this;
    this.worker = undefined;
    this.current = undefined;
    void worker?.terminate();
    if (current !== undefined) {
      clearTimeout(current.timer);
      current.job.failed(error);
    }
    this.next();
  }
}

/**
 * Compiled, it stands beside this file. A test that runs the sources takes the one that the build has
 * made of them.
 */
function programFile(): string {
  const beside = fileURLToPath(new URL('./chart-worker.js', import.meta.url));
  return existsSync(beside) ? beside : beside.replace('/src/', '/dist/');
}

/** The one of this process. */
export const chartRenderer = new ChartRenderer();
