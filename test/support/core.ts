import { randomUUID } from 'node:crypto';
import type { AssistantBackend, Frame, Turn } from '../../src/assistant/assistant-backend.js';
import type { GatewayConfig, TenantConfig } from '../../src/config/config.types.js';
import type { CallContext } from '../../src/domain/call-context.js';
import { AuditLog } from '../../src/audit/audit.log.js';
import { AllowanceService } from '../../src/execution/allowance.service.js';
import { ExecutionService } from '../../src/execution/execution.service.js';
import { HandedTasks } from '../../src/execution/handed-tasks.js';
import { LeaseService } from '../../src/execution/lease.service.js';
import { QueueService } from '../../src/execution/queue.service.js';
import { RemoteEnds } from '../../src/execution/remote-ends.js';
import { RetentionService } from '../../src/execution/retention.service.js';
import { SweeperService } from '../../src/execution/sweeper.service.js';
import { TakeoverService } from '../../src/execution/takeover.service.js';
import { UsageMeter } from '../../src/execution/usage-meter.js';
import { RedisUsageStore } from '../../src/store/redis-usage.store.js';
import { TaskEnder } from '../../src/execution/task-ender.js';
import { DrainState } from '../../src/health/drain-state.js';
import { Keys } from '../../src/redis/keys.js';
import { RedisClock } from '../../src/redis/redis.clock.js';
import { RedisConnections } from '../../src/redis/redis.connections.js';
import { RedisAllowanceStore } from '../../src/store/redis-allowance.store.js';
import { RedisApprovalStore } from '../../src/store/redis-approval.store.js';
import { RedisAuditStore } from '../../src/store/redis-audit.store.js';
import { RedisContextStore } from '../../src/store/redis-context.store.js';
import { RedisEffectStore } from '../../src/store/redis-effect.store.js';
import { RedisFileStore } from '../../src/store/redis-file.store.js';
import { RedisInstanceStore } from '../../src/store/redis-instance.store.js';
import { RedisListReader } from '../../src/store/redis-list.reader.js';
import { RedisLogStore } from '../../src/store/redis-log.store.js';
import { RedisOwnerStore } from '../../src/store/redis-owner.store.js';
import { RedisRetentionStore } from '../../src/store/redis-retention.store.js';
import { RedisTaskReader } from '../../src/store/redis-task.reader.js';
import { RedisTaskStore } from '../../src/store/redis-task.store.js';
import { RunStores } from '../../src/store/run-stores.js';
import { StreamHub } from '../../src/streams/hub.js';
import { CancelService } from '../../src/tasks/cancel.service.js';
import { ContinueService } from '../../src/tasks/continue.service.js';
import { CreateService } from '../../src/tasks/create.service.js';
import { FileService } from '../../src/tasks/file.service.js';
import { HousekeepingService } from '../../src/tasks/housekeeping.service.js';
import { SubmitService } from '../../src/tasks/submit.service.js';
import { TaskService } from '../../src/tasks/task.service.js';
import type { Submission } from '../../src/tasks/task.types.js';
import { TenantDirectory } from '../../src/tenant/tenant.directory.js';
import { gatewayConfig } from './gateway-config.js';

/** The defaults, with times that suit a test; nothing is listened to or logged. */
export function coreConfig(redisUrl: string, over: Partial<GatewayConfig> = {}): GatewayConfig {
  const defaults = gatewayConfig({}, { REDIS_URL: redisUrl });
  return {
    ...defaults,
    listen: { host: '127.0.0.1', port: 0 },
    management: { ...defaults.management, port: 0 },
    execution: {
      ...defaults.execution,
      leaseMs: 1000,
      heartbeatMs: 200,
      sweepMs: 200,
      drainSeconds: 2,
    },
    log: { level: 'silent' },
    tenants: [tenant('acme'), tenant('globex')],
    ...over,
  };
}

/** A tenant with the built-in assistant and no source. */
export function tenant(id: string, over: Partial<TenantConfig> = {}): TenantConfig {
  const [defaults] = gatewayConfig({ tenants: [{ id }] }).tenants;
  return { ...defaults!, ...over };
}

/** A backend made of a function, for tests that stay in one process. */
export function backendOf(
  run: (turn: Turn, signal: AbortSignal) => AsyncIterable<Frame>,
  readOnly = true,
): AssistantBackend {
  return { readOnly, run };
}

/** The core of one instance, wired by hand: no HTTP, no Nest. */
export class Core {
  readonly redis: RedisConnections;
  readonly tasks: TaskService;
  readonly records: HousekeepingService;
  readonly files: FileService;
  readonly execution: ExecutionService;
  readonly hub: StreamHub;
  readonly ender: TaskEnder;
  readonly lease: LeaseService;
  readonly log: RedisLogStore;
  readonly retention: RetentionService;
  readonly takeover: TakeoverService;
  readonly audit: AuditLog;
  /** `<remote> <task>` of each task at a remote that was canceled for want of a run. */
  readonly remoteCancels: string[] = [];
  private readonly usage: UsageMeter;
  private readonly sweeper: SweeperService;
  private readonly queue: QueueService;

  constructor(config: GatewayConfig, backend: AssistantBackend) {
    const keys = new Keys(config.redis.prefix);
    const clock = new RedisClock();
    const tenants = new TenantDirectory(config);
    const backends = {
      backendOf: (): AssistantBackend => backend,
      replace: () => Promise.resolve(),
      cancelRemote: (_tenant: string, remote: string, taskId: string): Promise<void> => {
        this.remoteCancels.push(`${remote} ${taskId}`);
        return Promise.resolve();
      },
    };
    this.redis = new RedisConnections(config);
    this.usage = new UsageMeter(
      new RedisUsageStore(this.redis.reads, keys, config.usage.retentionDays),
    );
    this.audit = new AuditLog(config, new RedisAuditStore(this.redis.reads, keys, config.audit));
    const log = new RedisLogStore(this.redis);
    const owners = new RedisOwnerStore(this.redis, keys);
    const effects = new RedisEffectStore(this.redis, keys);
    const files = new RedisFileStore(this.redis, keys);
    const approvals = new RedisApprovalStore(this.redis.control, keys);
    const reader = new RedisTaskReader(this.redis, keys);
    const instances = new RedisInstanceStore(this.redis, keys);
    const lease = new LeaseService(config, instances, clock);
    const handed = new HandedTasks();
    const remoteEnds = new RemoteEnds(backends, effects);
    const ender = new TaskEnder(
      log,
      owners,
      reader,
      clock,
      tenants,
      handed,
      instances,
      lease,
      remoteEnds,
    );
    this.ender = ender;
    this.log = log;
    this.lease = lease;
    this.hub = new StreamHub(this.redis, keys, reader, clock);
    this.execution = new ExecutionService(
      config,
      backends,
      tenants,
      new RunStores(log, owners, effects, files, approvals),
      reader,
      instances,
      lease,
      clock,
      ender,
      new DrainState(),
      handed,
      this.usage,
      new AllowanceService(tenants, new RedisAllowanceStore(this.redis, keys), clock),
      remoteEnds,
      this.audit,
    );
    this.queue = new QueueService(handed, this.execution, lease, owners, reader, tenants);
    this.takeover = new TakeoverService(
      backends,
      this.execution,
      instances,
      owners,
      effects,
      reader,
      ender,
      tenants,
    );
    const contexts = new RedisContextStore(this.redis, keys);
    const kept = new RedisRetentionStore(this.redis, keys);
    this.retention = new RetentionService(tenants, kept, contexts, clock);
    this.sweeper = new SweeperService(
      config,
      lease,
      this.execution,
      this.takeover,
      ender,
      instances,
      reader,
      owners,
      effects,
      this.hub,
      this.queue,
      this.retention,
      tenants,
    );
    const store = new RedisTaskStore(this.redis, keys);
    const submits = new SubmitService(
      new CreateService(this.execution, store, reader, tenants),
      new ContinueService(this.execution, store, reader, tenants),
      reader,
      ender,
      tenants,
    );
    const cancels = new CancelService(
      store,
      reader,
      effects,
      instances,
      this.execution,
      lease,
      ender,
      this.hub,
    );
    this.files = new FileService(files);
    this.records = new HousekeepingService(contexts, reader, ender, this.audit);
    this.tasks = new TaskService(
      config,
      submits,
      cancels,
      this.execution,
      reader,
      new RedisListReader(this.redis, keys),
      this.hub,
      tenants,
      this.audit,
    );
  }

  async start(): Promise<this> {
    this.hub.onModuleInit();
    this.queue.onModuleInit();
    await this.sweeper.onApplicationBootstrap();
    return this;
  }

  /** As a killed process: nothing is handed over, no lease is ended. */
  vanish(): void {
    this.audit.stop();
    this.usage.stop();
    this.sweeper.stop();
    this.redis.onApplicationShutdown();
  }

  async stop(): Promise<void> {
    await this.sweeper.beforeApplicationShutdown();
    await Promise.all([
      this.audit.beforeApplicationShutdown(),
      this.usage.beforeApplicationShutdown(),
    ]);
    this.hub.onApplicationShutdown();
    this.redis.onApplicationShutdown();
  }
}

export function callerOf(tenantId: string, user: string): CallContext {
  return { tenant: tenantId, user, scopes: ['a2a', 'mcp'], requestId: randomUUID() };
}

export function say(text: string, over: Partial<Submission['message']> = {}): Submission {
  return { message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...over } };
}
