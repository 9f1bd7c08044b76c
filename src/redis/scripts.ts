import { readdirSync, readFileSync } from 'node:fs';
import { metrics } from '../metrics/metrics.js';
import type { RedisClient } from './open-redis.js';

/** The names of the scripts in lua/, without the number of their keys. */
export type ScriptName =
  | 'add-usage'
  | 'append-events'
  | 'append-status'
  | 'beat-instance'
  | 'close-context'
  | 'claim-push'
  | 'continue-task'
  | 'create-task'
  | 'decide-approval'
  | 'delete-task'
  | 'end-token'
  | 'find-surplus'
  | 'hold-streams'
  | 'keep-file'
  | 'keep-link'
  | 'list-tasks'
  | 'mark-cancel'
  | 'mark-effect'
  | 'open-approval'
  | 'put-tenant'
  | 'read-log'
  | 'read-push'
  | 'read-task'
  | 'remove-push'
  | 'renew-streams'
  | 'report-push'
  | 'restart-log'
  | 'save-snapshot'
  | 'set-push'
  | 'settle-task'
  | 'spend-allowance'
  | 'start-queued'
  | 'take-over-task'
  | 'take-rate'
  | 'touch-token';

export type { RedisClient };

/** What a script may answer: numbers, texts, and lists of them. */
export type ScriptReply = number | string | null | readonly ScriptReply[];

interface Script {
  readonly numberOfKeys: number;
  readonly lua: string;
}

const LUA = new URL('../../lua/', import.meta.url);

/** The text of a script with its includes in place (one level). */
function readScript(file: string): string {
  return readFileSync(new URL(file, LUA), 'utf8').replace(
    /^--- @include (\w+)$/gm,
    (_line, name: string) => readFileSync(new URL(`includes/${name}.lua`, LUA), 'utf8').trimEnd(),
  );
}

function loadScripts(): ReadonlyMap<string, Script> {
  const scripts = new Map<string, Script>();
  for (const file of readdirSync(LUA)) {
    const match = /^([a-z-]+)-(\d+)\.lua$/.exec(file);
    if (match === null) continue;
    const [, name = '', keys = ''] = match;
    scripts.set(name, { numberOfKeys: Number(keys), lua: readScript(file) });
  }
  return scripts;
}

let loaded: ReadonlyMap<string, Script> | undefined;

/**
 * Defines every script of lua/ on a client. ioredis sends EVALSHA and falls back to EVAL on
 * NOSCRIPT by itself, so a restarted Redis needs no care here.
 */
export function defineScripts(client: RedisClient): void {
  loaded ??= loadScripts();
  for (const [name, script] of loaded) client.defineCommand(name, script);
}

type ScriptArgs = readonly (string | number | Buffer)[];
type Scripted = Record<string, (...args: ScriptArgs) => Promise<ScriptReply>>;

/** Runs a script on a client that went through `defineScripts`. */
export function runScript(
  client: RedisClient,
  name: ScriptName,
  keys: readonly string[],
  args: ScriptArgs,
): Promise<ScriptReply> {
  const run = (client as unknown as Scripted)[name];
  if (run === undefined) throw new Error(`bug: lua/${name} is not defined on this connection`);
  const sent = performance.now();
  const reply = run.call(client, ...keys, ...args);
  const done = (): void => {
    timeScript(name, sent);
  };
  reply.then(done, done);
  return reply;
}

const timers = new Map<ScriptName, { observe(seconds: number): void }>();

/** Measures a script that was sent at `sent` (performance.now()) and is answered now. */
function timeScript(name: ScriptName, sent: number): void {
  let timer = timers.get(name);
  if (timer === undefined) {
    timer = metrics.scriptSeconds.labels(name);
    timers.set(name, timer);
  }
  timer.observe((performance.now() - sent) / 1000);
}

/** @throws Error for anything but a list: every script answers with one. */
export function asList(reply: ScriptReply | undefined): readonly ScriptReply[] {
  if (!Array.isArray(reply)) throw new Error('bug: a script did not answer with a list');
  return reply as readonly ScriptReply[];
}
