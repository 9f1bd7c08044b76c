import type { A2aClient } from '../support/a2a-client.js';
import {
  caller,
  Fleet,
  type FleetOptions,
  type Gateway,
  type TestTenant,
} from '../support/gateway.js';
import { Truth } from '../support/task-log.js';
import { Follower } from './follower.js';
import { anyOf, sendSafely } from './work.js';

/** A fleet on a Redis, its callers, and the truth beside it. */
export class FaultBench {
  private constructor(
    readonly fleet: Fleet,
    readonly truth: Truth,
  ) {}

  static readonly ann = caller('acme', 'ann');

  static async start(
    gateways: number,
    redisUrl: string,
    options: Partial<FleetOptions> & { readonly truthUrl?: string } = {},
  ): Promise<FaultBench> {
    const { truthUrl = redisUrl, ...fleetOptions } = options;
    const tenants: readonly TestTenant[] = [{ id: 'acme', limits: LOTS }];
    const fleet = await Fleet.start(gateways, {
      ...{ redisUrl, tenants, callers: [FaultBench.ann] },
      ...fleetOptions,
    });
    return new FaultBench(fleet, Truth.open(truthUrl));
  }

  get alive(): readonly Gateway[] {
    return this.fleet.gateways.filter(({ exitCode }) => exitCode === undefined);
  }

  readonly any = (): A2aClient => anyOf(this.alive, FaultBench.ann);

  /** Starts runs on any gateway, each followed to its end by a client that moves about. */
  async follow(count: number, text: string): Promise<Followed[]> {
    return Promise.all(
      Array.from({ length: count }, async () => {
        const { task } = await sendSafely(this.any, text, { returnImmediately: true });
        const follower = new Follower(task.id, this.any);
        return { tenant: 'acme', id: task.id, follower, ended: follower.toTheEnd() };
      }),
    );
  }

  /** What is wrong with what the followers saw, each against the log; empty when nothing is. */
  async faults(followed: readonly Followed[]): Promise<string[]> {
    const found = await Promise.all(
      followed.map(async ({ tenant, id, follower, ended }) => {
        const state = await ended;
        const fault = follower.fault(await this.truth.log(tenant, id));
        const wrong = state === 'TASK_STATE_COMPLETED' ? fault : (fault ?? state);
        return wrong === undefined ? [] : [`${id}: ${wrong}`];
      }),
    );
    return found.flat();
  }

  async stop(): Promise<void> {
    this.truth.close();
    await this.fleet.stop();
  }
}

export interface Followed {
  readonly tenant: string;
  readonly id: string;
  readonly follower: Follower;
  readonly ended: Promise<string>;
}

/** More than any fault opens. */
export const LOTS = {
  ...{ activePerUser: 1000, activePerTenant: 1000 },
  ...{ streamsPerUser: 5000, streamsPerTenant: 5000 },
} as const;

export function total(followed: readonly Followed[], what: 'snapshots' | 'connects'): number {
  return followed.reduce((sum, { follower }) => sum + follower[what], 0);
}
