import { evictionPolicyOf } from '../eviction-policy.js';
import type { Finding } from './finding.js';

/** What was read from one server that holds data. */
export interface ServerFacts {
  readonly where: string;
  readonly topology: 'socket' | 'single' | 'sentinel' | 'cluster';
  readonly info: ReadonlyMap<string, string>;
  /** CONFIG GET; undefined without the right to it. */
  readonly config: ReadonlyMap<string, string> | undefined;
  /** Round trips, ms. */
  readonly trips: readonly number[];
  /** Its clock less this machine's, ms. */
  readonly skewMs: number;
  readonly allowEviction: boolean;
}

const OLDEST = 7;
const SLOW_MS = { warning: 5, error: 100 } as const;
const SKEW_MS = 1000;
/** A replica that lags by more seconds is not in sync. */
const LAG_SECONDS = 10;

/** What one server's own words say about it. */
export function serverFindings(facts: ServerFacts): Finding[] {
  return [version, eviction, memory, persistence, replicas, minReplicas, latency, clock].flatMap(
    (check) => {
      const found = check(facts);
      return found === undefined ? [] : [{ where: facts.where, ...found }];
    },
  );
}

type Part = Omit<Finding, 'where'> | undefined;

function version({ info }: ServerFacts): Part {
  const valkey = info.get('valkey_version');
  const text =
    valkey === undefined ? `Redis ${info.get('redis_version') ?? '?'}` : `Valkey ${valkey}`;
  const major = Number.parseInt(valkey ?? info.get('redis_version') ?? '0', 10);
  return major >= OLDEST
    ? { check: 'version', level: 'ok', text }
    : {
        check: 'version',
        level: 'error',
        text: `${text} is too old: Redis 7 is the oldest that works`,
      };
}

function eviction({ info, allowEviction }: ServerFacts): Part {
  const policy = evictionPolicyOf(info);
  if (policy === 'noeviction') return { check: 'eviction', level: 'ok', text: policy };
  return {
    check: 'eviction',
    level: allowEviction ? 'warning' : 'error',
    text: `maxmemory-policy is ${policy}: tasks vanish when memory is full; set it to noeviction`,
  };
}

function memory({ info }: ServerFacts): Part {
  const [used, most] = ['used_memory', 'maxmemory'].map((name) => Number(info.get(name) ?? 0));
  if (used === undefined || most === undefined) return undefined;
  const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  if (most === 0) {
    return { check: 'memory', level: 'ok', text: `${mib(used)} used, no maxmemory` };
  }
  const share = Math.round((used / most) * 100);
  return {
    check: 'memory',
    level: share >= 90 ? 'error' : share >= 75 ? 'warning' : 'ok',
    text: `${mib(used)} of ${mib(most)} used (${share} %); a full Redis takes no new task`,
  };
}

function persistence({ info }: ServerFacts): Part {
  if (info.get('aof_enabled') !== '1') {
    return {
      check: 'persistence',
      level: 'warning',
      text: 'the append-only file is off: a restart of Redis loses what the last snapshot has not',
    };
  }
  const state = info.get('aof_last_write_status') ?? 'ok';
  return state === 'ok'
    ? { check: 'persistence', level: 'ok', text: 'append-only file, last write ok' }
    : {
        check: 'persistence',
        level: 'error',
        text: `the last write of the append-only file: ${state}`,
      };
}

function replicas({ info, topology }: ServerFacts): Part {
  if (topology !== 'sentinel' && topology !== 'cluster') return undefined;
  const rows = [...info].filter(([name]) => /^slave\d+$/.test(name)).map(([, value]) => value);
  if (rows.length === 0) {
    return { check: 'replicas', level: 'warning', text: 'no replica: nothing can take its place' };
  }
  const behind = rows.filter(
    (row) => !row.includes('state=online') || Number(/lag=(\d+)/.exec(row)?.[1]) > LAG_SECONDS,
  );
  return behind.length === 0
    ? { check: 'replicas', level: 'ok', text: `${rows.length} in sync` }
    : {
        check: 'replicas',
        level: 'error',
        text: `${behind.length} of ${rows.length} not in sync: promoted now, one would have lost what was acknowledged`,
      };
}

function minReplicas({ config, topology }: ServerFacts): Part {
  if (topology !== 'sentinel' && topology !== 'cluster') return undefined;
  if (config === undefined) {
    return { check: 'min-replicas', level: 'unknown', text: 'no right to CONFIG GET' };
  }
  const least = Number(config.get('min-replicas-to-write') ?? 0);
  return least > 0
    ? { check: 'min-replicas', level: 'ok', text: `writes need ${least} replica(s) at hand` }
    : {
        check: 'min-replicas',
        level: 'warning',
        text: 'min-replicas-to-write is 0: a master that is cut off goes on taking writes, which the failover then loses',
      };
}

function latency({ trips }: ServerFacts): Part {
  const sorted = [...trips].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const most = sorted.at(-1) ?? 0;
  const text = `round trip ${median.toFixed(1)} ms, at most ${most.toFixed(1)} ms`;
  const level = median > SLOW_MS.error ? 'error' : median > SLOW_MS.warning ? 'warning' : 'ok';
  return { check: 'latency', level, text };
}

function clock({ skewMs }: ServerFacts): Part {
  const ahead = skewMs < 0 ? 'ahead of' : 'behind';
  const text = `this machine is ${Math.abs(Math.round(skewMs))} ms ${ahead} it`;
  return Math.abs(skewMs) < SKEW_MS
    ? { check: 'clock', level: 'ok', text }
    : { check: 'clock', level: 'warning', text: `${text}: expiry of tokens and logs will be off` };
}
