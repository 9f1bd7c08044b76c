import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
  Optional,
} from '@nestjs/common';
import { ChangeWatch } from '../auth/change-watch.js';
import { OpenCalls } from '../auth/open-calls.js';
import { TokenVerifier } from '../auth/token.verifier.js';
import { ConfigError } from '../config/config-error.js';
import { ConfigSource, needRestart } from '../config/config-source.js';
import { configReloaded } from '../metrics/config-reloads.js';
import { metrics } from '../metrics/metrics.js';
import { RedisTenantStore, type StoredTenant } from '../store/redis-tenant.store.js';
import { type ServedTenant, TenantDirectory } from './tenant.directory.js';

const POLL_MS = 1000;

/**
 * Keeps the directory true while the gateway runs: the YAML file is read again when it, or a file
 * that it refers to, has changed; tenants of the admin API and suspensions when the watch says so.
 * What is at fault changes nothing: the last good state stays, and the log and a metric tell.
 */
@Injectable()
export class TenantSync implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(TenantSync.name);
  private timer: NodeJS.Timeout | undefined;
  /** Tenants of the admin API as they were last understood. */
  private readonly understood = new Map<string, { version: number; served: ServedTenant }>();

  constructor(
    private readonly directory: TenantDirectory,
    private readonly tenants: RedisTenantStore,
    private readonly watch: ChangeWatch,
    private readonly verifier: TokenVerifier,
    private readonly calls: OpenCalls,
    @Optional() private readonly source?: ConfigSource,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.readStored().catch((error: unknown) => {
      this.logger.warn({ msg: 'the tenants in Redis could not be read yet', err: error });
    });
  }

  onApplicationBootstrap(): void {
    this.watch.on('tenants', () => this.readStored());
    if (this.source === undefined) return;
    const { source } = this;
    this.timer = setInterval(() => {
      this.poll(source);
    }, POLL_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private poll(source: ConfigSource): void {
    const before = source.config;
    try {
      const config = source.poll();
      if (config === undefined) return;
      this.directory.useFile(config.tenants);
      this.verifier.configure(config.tokens);
      configReloaded('file', true);
      const restart = needRestart(before, config);
      this.logger.log({
        msg: 'the configuration was read again',
        tenants: config.tenants.length,
        tokens: config.tokens.length,
        ...(restart.length === 0 ? {} : { needRestart: restart }),
      });
      // What was taken out of the file is cut like a revoked token.
      this.calls.recheck().catch((error: unknown) => {
        this.logger.debug({ msg: 'open calls could not be checked', err: error });
      });
    } catch (error) {
      configReloaded('file', false);
      const faults = error instanceof ConfigError ? error.faults : [];
      this.logger.error({
        msg: 'the changed configuration is refused; the last good one stays',
        faults,
        ...(faults.length > 0 ? {} : { err: error }),
      });
    }
  }

  private async readStored(): Promise<void> {
    const [stored, suspensions] = await Promise.all([
      this.tenants.list(),
      this.tenants.suspensions(),
    ]);
    const served = stored.flatMap((tenant) => this.understand(tenant));
    for (const id of this.understood.keys()) {
      if (!stored.some((tenant) => tenant.id === id)) this.understood.delete(id);
    }
    this.directory.useStored(served, suspensions);
    this.calls.cut(({ tenant, user }) => !this.directory.stands(tenant, user), 'suspended');
  }

  /** A tenant that this instance cannot serve as it is now is served as it was before, if it was. */
  private understand(tenant: StoredTenant): ServedTenant[] {
    const { id, version, generation } = tenant;
    const deleting = tenant.state === 'deleting';
    const known = this.understood.get(id);
    const isSame = known?.version === version && known.served.generation === generation;
    if (known !== undefined && isSame) return [known.served];
    if (this.source === undefined) return [];
    try {
      const config = this.source.tenant(id, tenant.document);
      const served = { config, generation, deleting };
      this.understood.set(id, { version, served });
      return [served];
    } catch (error) {
      metrics.configReloads.inc({ outcome: 'refused' });
      const faults = error instanceof ConfigError ? error.faults : [];
      this.logger.error({
        msg: 'a stored tenant cannot be served here',
        tenant: id,
        version,
        faults,
      });
      return known === undefined ? [] : [{ ...known.served, generation, deleting }];
    }
  }
}
