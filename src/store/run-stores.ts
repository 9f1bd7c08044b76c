import { Injectable } from '@nestjs/common';
import { RedisApprovalStore } from './redis-approval.store.js';
import { RedisEffectStore } from './redis-effect.store.js';
import { RedisFileStore } from './redis-file.store.js';
import { RedisLogStore } from './redis-log.store.js';
import { RedisOwnerStore } from './redis-owner.store.js';

/** All that a run writes to. */
@Injectable()
export class RunStores {
  constructor(
    readonly log: RedisLogStore,
    readonly owners: RedisOwnerStore,
    readonly effects: RedisEffectStore,
    readonly files: RedisFileStore,
    readonly approvals: RedisApprovalStore,
  ) {}
}
