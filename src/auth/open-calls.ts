import type { ServerResponse } from 'node:http';
import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { ChangeWatch } from './change-watch.js';
import type { Principal } from './principal.js';
import { TokenVerifier } from './token.verifier.js';

const TICK_MS = 1000;
/** All tokens of open calls are looked at so often, should a change not have been told. */
const RECHECK_MS = 30_000;

interface Call {
  readonly principal: Principal;
  readonly response: Pick<ServerResponse, 'destroy'>;
}

/**
 * The responses that callers wait for, streams above all. One whose token is revoked or expires is
 * cut, within 5 s of it; the run behind it goes on, for its user may come back with another token.
 */
@Injectable()
export class OpenCalls implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(OpenCalls.name);
  private readonly calls = new Set<Call>();
  private timer: NodeJS.Timeout | undefined;
  private checked = performance.now();

  constructor(
    private readonly verifier: TokenVerifier,
    private readonly watch: ChangeWatch,
  ) {}

  onApplicationBootstrap(): void {
    this.watch.on('tokens', () => this.recheck());
    this.timer = setInterval(() => {
      this.tick();
    }, TICK_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  get size(): number {
    return this.calls.size;
  }

  /** Until its response is over, a call counts as open. */
  track(
    principal: Principal,
    response: Pick<ServerResponse, 'destroy' | 'on' | 'destroyed'>,
  ): void {
    if (response.destroyed) return;
    const call: Call = { principal, response };
    this.calls.add(call);
    response.on('close', () => {
      this.calls.delete(call);
    });
  }

  /** Cuts every open call of these callers. @returns how many there were. */
  cut(whose: (principal: Principal) => boolean, why: string): number {
    let count = 0;
    for (const call of this.calls) {
      if (!whose(call.principal)) continue;
      this.calls.delete(call);
      call.response.destroy();
      count += 1;
    }
    if (count > 0) this.logger.log({ msg: 'cut open calls', count, why });
    return count;
  }

  /**
   * Asks again for every token with an open call.
   * @throws DomainError UNAVAILABLE when Redis cannot say; what is known by then is done.
   */
  async recheck(): Promise<void> {
    this.checked = performance.now();
    const open = new Map([...this.calls].map(({ principal }) => [principal.sha256, principal]));
    const refused = new Set<string>();
    const answers = await Promise.allSettled(
      [...open.values()].map(async (principal) => {
        if (!(await this.verifier.stands(principal))) refused.add(principal.sha256);
      }),
    );
    if (refused.size > 0) this.cut(({ sha256 }) => refused.has(sha256), 'token revoked');
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  private tick(): void {
    const now = Date.now();
    this.cut(({ expires }) => expires !== undefined && expires <= now, 'token expired');
    if (performance.now() - this.checked < RECHECK_MS) return;
    this.recheck().catch((error: unknown) => {
      this.logger.debug({ msg: 'the tokens of open calls could not be checked', err: error });
    });
  }
}
