import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { Keys } from '../redis/keys.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { RedisRunReader } from '../store/redis-run.reader.js';
import { StoreModule } from '../store/store.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { AdminDesk } from './admin-desk.js';
import { ApprovalsController } from './approvals.controller.js';
import { TenantAdmin } from './tenant-admin.js';
import { TenantsController } from './tenants.controller.js';
import { TokensController } from './tokens.controller.js';
import { WorkController } from './work.controller.js';

/** The admin API. Which listener it answers on is decided where requests come in. */
@Module({
  imports: [AuthModule, StoreModule, TasksModule],
  controllers: [ApprovalsController, TenantsController, TokensController, WorkController],
  providers: [
    AdminDesk,
    TenantAdmin,
    {
      provide: RedisRunReader,
      inject: [RedisConnections, Keys],
      useFactory: (redis: RedisConnections, keys: Keys) => new RedisRunReader(redis.reads, keys),
    },
  ],
})
export class AdminModule {}
