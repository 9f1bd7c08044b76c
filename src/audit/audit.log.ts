import { createWriteStream, type WriteStream } from 'node:fs';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config/config.types.js';
import type { CallContext } from '../domain/call-context.js';
import { DomainError } from '../domain/errors.js';
import { metrics } from '../metrics/metrics.js';
import { type AuditEntry, RedisAuditStore } from '../store/redis-audit.store.js';

/** Entries of calls are stored together, this often at most. */
const FLUSH_MS = 100;
/** Entries that wait for a Redis that is away; beyond, the oldest are dropped and counted. */
const MOST_WAITING = 10_000;
const BATCH = 500;

/** What is noted of an entry; time and tenant are filled in. */
export type NewEntry = Omit<AuditEntry, 'at' | 'outcome'> & { readonly outcome?: string };

/**
 * The audit. Entries of calls are written behind the call, together with others; what an admin does
 * is stored before it is answered. Lines of JSON, where configured, are written at once.
 */
@Injectable()
export class AuditLog implements BeforeApplicationShutdown {
  private readonly logger = new Logger(AuditLog.name);
  private readonly waiting: AuditEntry[] = [];
  private readonly file: WriteStream | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private flushing: Promise<void> | undefined;

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly store: RedisAuditStore,
  ) {
    const { file } = config.audit;
    if (file === undefined) return;
    this.file = createWriteStream(file, { flags: 'a', mode: 0o640 });
    this.file.on('error', (error) => {
      this.logger.error({ msg: 'the audit file cannot be written', err: error });
    });
  }

  /** Written soon; the caller does not wait. */
  note(entry: NewEntry): void {
    this.waiting.push(this.print(entry));
    while (this.waiting.length > MOST_WAITING) {
      this.waiting.shift();
      metrics.auditDropped.inc();
    }
    this.flushIn(FLUSH_MS);
  }

  /** Resolves once the entry is stored. @throws Error when Redis does not take it. */
  async write(entry: NewEntry): Promise<void> {
    await this.store.append([this.print(entry)]);
  }

  /**
   * Does what a caller asked for and notes how it ended.
   * @param target of what there was before; `made` names what came of it.
   * @throws whatever `work` throws.
   */
  async of<T>(
    ctx: CallContext,
    action: string,
    target: string,
    work: () => Promise<T>,
    made: (result: T) => string = () => target,
  ): Promise<T> {
    const who = {
      tenant: ctx.tenant,
      actor: ctx.user,
      ...(ctx.token === undefined ? {} : { token: ctx.token }),
      action,
      requestId: ctx.requestId,
    };
    try {
      const result = await work();
      this.note({ ...who, target: made(result) });
      return result;
    } catch (error) {
      this.note({ ...who, target, outcome: outcomeOf(error) });
      throw error;
    }
  }

  /** While Redis is still connected; what it does not take now is lost. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stop();
    await this.flush();
    this.file?.end();
  }

  /** Writes nothing more by itself. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private flushIn(ms: number): void {
    if (!this.stopped) this.timer ??= setTimeout(() => void this.flush(), ms).unref();
  }

  private print(entry: NewEntry): AuditEntry {
    const full: AuditEntry = { at: Date.now(), outcome: 'ok', ...entry };
    if (this.file === undefined && !this.config.audit.stdout) return full;
    const { at, ...rest } = full;
    const line = `${JSON.stringify({ audit: true, time: new Date(at).toISOString(), ...rest })}\n`;
    this.file?.write(line);
    if (this.config.audit.stdout) process.stdout.write(line);
    return full;
  }

  private flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.flushing ??= this.drain().finally(() => {
      this.flushing = undefined;
      if (this.waiting.length > 0) this.flushIn(FLUSH_MS * 10);
    });
    return this.flushing;
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.slice(0, BATCH);
      try {
        await this.store.append(batch);
      } catch (error) {
        this.logger.debug({ msg: 'the audit waits for Redis', err: error });
        return;
      }
      this.waiting.splice(0, batch.length);
    }
  }
}

/** How a refusal is called in the audit. */
export function outcomeOf(error: unknown): string {
  return error instanceof DomainError ? error.code : 'INTERNAL';
}
