import { Global, Module } from '@nestjs/common';
import { TenantDirectory } from './tenant.directory.js';
import { TenantGuard } from './tenant.guard.js';

/** Global: every feature asks for a tenant's settings. */
@Global()
@Module({ providers: [TenantDirectory, TenantGuard], exports: [TenantDirectory, TenantGuard] })
export class TenantModule {}
