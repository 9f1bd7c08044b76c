import { Global, Module } from '@nestjs/common';
import { TenantDirectory } from './tenant.directory.js';

/** Global: every feature asks for a tenant's settings. */
@Global()
@Module({ providers: [TenantDirectory], exports: [TenantDirectory] })
export class TenantModule {}
