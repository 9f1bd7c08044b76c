import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { DrainState } from './drain-state.js';
import { ReadinessProbe } from './readiness-probe.js';

/** Whether new work should be sent here; `reason` is for the operator and names no secret. */
export interface ReadinessReport {
  readonly ready: boolean;
  readonly status: 'ready' | 'starting' | 'draining' | 'redis';
  readonly reason?: string;
}

/** Above the probe's own patience, so that its text is the one that is shown. */
const PROBE_TIMEOUT_MS = 4000;
/** Answers of one probe are shared for so long: asking more often costs Redis nothing. */
const SHARED_MS = 500;

/** Joins the drain state with a real try of Redis. */
@Injectable()
export class Readiness {
  private readonly logger = new Logger(Readiness.name);
  private shared: { readonly until: number; readonly report: Promise<ReadinessReport> } | undefined;
  private lastStatus: ReadinessReport['status'] = 'starting';

  constructor(
    private readonly drain: DrainState,
    @Optional() @Inject(ReadinessProbe) private readonly probe: ReadinessProbe | null,
  ) {}

  async report(): Promise<ReadinessReport> {
    const { phase } = this.drain;
    const report = phase === 'ready' ? await this.tryRedis() : { ready: false, status: phase };
    this.tell(report);
    return report;
  }

  private tryRedis(): Promise<ReadinessReport> {
    const now = performance.now();
    if (this.shared === undefined || now >= this.shared.until) {
      const report = this.runProbe();
      const shared = { until: Infinity, report };
      this.shared = shared;
      // Counted from the answer: a slow probe is not started again beside itself.
      void report.then(() => {
        if (this.shared === shared) this.shared = { until: performance.now() + SHARED_MS, report };
      });
    }
    return this.shared.report;
  }

  private async runProbe(): Promise<ReadinessReport> {
    try {
      await within(PROBE_TIMEOUT_MS, this.probe?.probe());
      return { ready: true, status: 'ready' };
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'the probe failed';
      return { ready: false, status: 'redis', reason };
    }
  }

  private tell({ status, reason }: ReadinessReport): void {
    if (status === this.lastStatus) return;
    this.lastStatus = status;
    if (status === 'redis') this.logger.warn({ msg: 'not ready: Redis', reason });
    else this.logger.log({ msg: status });
  }
}

async function within(ms: number, work: Promise<void> | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${ms} ms`));
    }, ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
