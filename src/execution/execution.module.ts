import { Module } from '@nestjs/common';
import { AssistantModule } from '../assistant/assistant.module.js';
import { StoreModule } from '../store/store.module.js';
import { StreamsModule } from '../streams/streams.module.js';
import { AllowanceService } from './allowance.service.js';
import { ExecutionService } from './execution.service.js';
import { HandedTasks } from './handed-tasks.js';
import { LeaseService } from './lease.service.js';
import { QueueService } from './queue.service.js';
import { RemoteEnds } from './remote-ends.js';
import { RetentionService } from './retention.service.js';
import { SweeperService } from './sweeper.service.js';
import { SuspensionService } from './suspension.service.js';
import { TakeoverService } from './takeover.service.js';
import { TaskEnder } from './task-ender.js';
import { UsageMeter } from './usage-meter.js';

@Module({
  imports: [AssistantModule, StoreModule, StreamsModule],
  providers: [
    AllowanceService,
    HandedTasks,
    QueueService,
    ExecutionService,
    LeaseService,
    RemoteEnds,
    RetentionService,
    SweeperService,
    SuspensionService,
    TakeoverService,
    TaskEnder,
    UsageMeter,
  ],
  exports: [AllowanceService, ExecutionService, TaskEnder, LeaseService],
})
export class ExecutionModule {}
