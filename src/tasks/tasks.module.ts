import { Module } from '@nestjs/common';
import { AssistantModule } from '../assistant/assistant.module.js';
import { ExecutionModule } from '../execution/execution.module.js';
import { StoreModule } from '../store/store.module.js';
import { StreamsModule } from '../streams/streams.module.js';
import { CancelService } from './cancel.service.js';
import { ContinueService } from './continue.service.js';
import { CreateService } from './create.service.js';
import { FileService } from './file.service.js';
import { HousekeepingService } from './housekeeping.service.js';
import { PushConfigService } from './push-config.service.js';
import { StreamPlaces } from './stream-places.js';
import { SubmitService } from './submit.service.js';
import { TaskService } from './task.service.js';
import { ToolService } from './tool.service.js';

@Module({
  imports: [AssistantModule, ExecutionModule, StoreModule, StreamsModule],
  providers: [
    TaskService,
    ToolService,
    StreamPlaces,
    FileService,
    HousekeepingService,
    PushConfigService,
    SubmitService,
    CreateService,
    ContinueService,
    CancelService,
  ],
  exports: [
    CancelService,
    TaskService,
    ToolService,
    StreamPlaces,
    FileService,
    HousekeepingService,
    PushConfigService,
  ],
})
export class TasksModule {}
