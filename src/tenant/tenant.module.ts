import { Global, Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { StoreModule } from '../store/store.module.js';
import { RateGuard } from './rate.guard.js';
import { RequestRates } from './request-rates.js';
import { TenantDirectory } from './tenant.directory.js';
import { TenantGuard } from './tenant.guard.js';
import { TenantSync } from './tenant-sync.js';

/** Global: every feature asks for a tenant's settings. */
@Global()
@Module({ providers: [TenantDirectory, TenantGuard], exports: [TenantDirectory, TenantGuard] })
export class TenantModule {}

/** Keeps the directory true while the gateway runs. */
@Module({ imports: [AuthModule, StoreModule], providers: [TenantSync] })
export class TenantSyncModule {}

/** How fast a tenant's requests may come. */
@Module({ imports: [StoreModule], providers: [RequestRates, RateGuard], exports: [RateGuard] })
export class TenantRatesModule {}
