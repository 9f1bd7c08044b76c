import { Module } from '@nestjs/common';
import { ExecutionModule } from '../execution/execution.module.js';
import { StoreModule } from '../store/store.module.js';
import { StreamsModule } from '../streams/streams.module.js';
import { CancelService } from './cancel.service.js';
import { FileService } from './file.service.js';
import { HousekeepingService } from './housekeeping.service.js';
import { PushConfigService } from './push-config.service.js';
import { SubmitService } from './submit.service.js';
import { TaskService } from './task.service.js';

@Module({
  imports: [ExecutionModule, StoreModule, StreamsModule],
  providers: [
    TaskService,
    FileService,
    HousekeepingService,
    PushConfigService,
    SubmitService,
    CancelService,
  ],
  exports: [TaskService, FileService, HousekeepingService, PushConfigService],
})
export class TasksModule {}
