import type { Redis } from 'ioredis';
import { freePort } from './free-port.js';
import { type RedisOptions, RedisServer } from './redis-server.js';
import { eventually } from './wait.js';

const SLOTS = 16_384;

export interface ClusterOptions extends RedisOptions {
  readonly masters?: number;
  /** One replica a master: masters can then be killed. */
  readonly replicas?: boolean;
  readonly nodeTimeoutMs?: number;
}

/** A private Redis Cluster on random loopback ports; master n has the n-th part of the slots. */
export class RedisCluster {
  private constructor(
    readonly masters: readonly RedisServer[],
    readonly replicas: readonly RedisServer[],
  ) {}

  static async start(options: ClusterOptions = {}): Promise<RedisCluster> {
    const { masters: count = 3, replicas: withReplicas = false } = options;
    const ports = new Map<RedisServer, number>();
    const add = async (): Promise<RedisServer> => {
      const bus = await freePort();
      const node = await RedisServer.start({
        ...options,
        flags: [
          ...['--cluster-enabled', 'yes', '--cluster-port', String(bus)],
          ...['--cluster-node-timeout', String(options.nodeTimeoutMs ?? 1000)],
          ...['--cluster-replica-validity-factor', '0', '--repl-diskless-sync-delay', '0'],
          ...(options.flags ?? []),
        ],
      });
      ports.set(node, bus);
      return node;
    };
    const masters = await Promise.all(Array.from({ length: count }, add));
    const replicas = await Promise.all(withReplicas ? Array.from({ length: count }, add) : []);
    const nodes = [...masters, ...replicas];
    const cluster = new RedisCluster(masters, replicas);
    const [first] = masters;
    await Promise.all(
      masters.map((node, i) =>
        cluster.ask(node, (redis) =>
          redis.cluster(
            'ADDSLOTSRANGE',
            Math.floor((i * SLOTS) / count),
            Math.floor(((i + 1) * SLOTS) / count) - 1,
          ),
        ),
      ),
    );
    for (const [i, node] of nodes.entries()) {
      await cluster.ask(node, (redis) => redis.call('CLUSTER', 'SET-CONFIG-EPOCH', i + 1));
    }
    for (const node of nodes.slice(1)) {
      await cluster.ask(node, (redis) =>
        redis.call('CLUSTER', 'MEET', '127.0.0.1', first!.port, ports.get(first!)!),
      );
    }
    await cluster.everywhere(nodes, `cluster_known_nodes:${nodes.length}`);
    for (const [i, replica] of replicas.entries()) {
      const id = await cluster.idOf(masters[i]!);
      await cluster.ask(replica, (redis) => redis.cluster('REPLICATE', id));
    }
    await cluster.everywhere(nodes, 'cluster_state:ok');
    for (const replica of replicas) {
      await eventually('the replica is in sync', () =>
        cluster
          .ask(replica, (redis) => redis.info('replication'))
          .then((info) => info.includes('master_link_status:up')),
      );
    }
    return cluster;
  }

  get nodes(): readonly RedisServer[] {
    return [...this.masters, ...this.replicas];
  }

  get url(): string {
    const scheme = this.masters[0]?.url.split(':')[0] ?? 'redis';
    return `${scheme}+cluster://${this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  }

  /** A text made of letters whose hash tag `{text}` is in the part of master n. */
  async tagOf(n: number, stem: string): Promise<string> {
    const count = this.masters.length;
    for (let i = 0; ; i += 1) {
      const tag = `${stem}${i}`;
      const slot = await this.ask(this.masters[0]!, (redis) =>
        redis.cluster('KEYSLOT', `{${tag}}`),
      );
      if (Math.floor((slot * count) / SLOTS) === n) return tag;
    }
  }

  slotOf(tag: string): Promise<number> {
    return this.ask(this.masters[0]!, (redis) => redis.cluster('KEYSLOT', `{${tag}}`));
  }

  idOf(node: RedisServer): Promise<string> {
    return this.ask(node, async (redis) => String(await redis.call('CLUSTER', 'MYID')));
  }

  /** Moves one slot with its keys, as `redis-cli --cluster reshard` does. */
  async moveSlot(slot: number, from: RedisServer, to: RedisServer): Promise<void> {
    const [fromId, toId] = [await this.idOf(from), await this.idOf(to)];
    await this.ask(to, (redis) => redis.cluster('SETSLOT', slot, 'IMPORTING', fromId));
    await this.ask(from, (redis) => redis.cluster('SETSLOT', slot, 'MIGRATING', toId));
    await this.ask(from, async (redis) => {
      for (;;) {
        const keys = await redis.cluster('GETKEYSINSLOT', slot, 10);
        if (keys.length === 0) return;
        await redis.call('MIGRATE', '127.0.0.1', to.port, '', 0, 5000, 'KEYS', ...keys);
      }
    });
    for (const node of [to, from, ...this.masters]) {
      await this.ask(node, (redis) => redis.cluster('SETSLOT', slot, 'NODE', toId)).catch(
        () => undefined,
      );
    }
  }

  /** Resolves when another node serves what `node` served. */
  async failedOver(node: RedisServer, id: string): Promise<void> {
    const other = this.masters.find((master) => master !== node)!;
    await eventually(
      'a replica is promoted',
      () =>
        this.ask(other, async (redis) => {
          const nodes = String(await redis.call('CLUSTER', 'NODES'));
          const failed = nodes.split('\n').some((l) => l.startsWith(id) && l.includes('fail'));
          const info = await redis.cluster('INFO');
          return failed && info.includes('cluster_state:ok');
        }),
      30_000,
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }

  /** One call on one node. */
  async ask<T>(node: RedisServer, call: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = node.client();
    try {
      return await call(redis);
    } finally {
      redis.disconnect();
    }
  }

  private async everywhere(nodes: readonly RedisServer[], line: string): Promise<void> {
    for (const node of nodes) {
      await eventually(
        line,
        () => this.ask(node, (redis) => redis.cluster('INFO')).then((info) => info.includes(line)),
        20_000,
        50,
      );
    }
  }
}
