import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import type { ScriptBench } from '../support/script-bench.js';
import { About, same } from './about.js';
import { type Call, Driver } from './driver.js';
import { faultsBetween, faultsOf } from './invariants.js';
import { dump, type RawState } from './raw-state.js';
import { type Plan, plans, type Step } from './steps.js';
import type { World } from './world.js';

export interface Effort {
  /** Random interleavings. */
  readonly runs: number;
  /** Steps of the longest one. */
  readonly most: number;
  readonly seed: number;
  /** Look for the shortest interleaving that fails as well; costs time. */
  readonly shrink: boolean;
}

export interface Outcome {
  readonly interleavings: number;
  readonly calls: number;
  /** By name of script: how many calls were accepted, and how many refused. */
  readonly scripts: ReadonlyMap<string, readonly [accepted: number, refused: number]>;
  /** The story of the shortest interleaving found to fail. */
  readonly failure: string | undefined;
}

/** Files stand for themselves: a plain SET puts them there. What is staged lives for a minute. */
const BESIDE = /:(stage|file):/;

/**
 * Plays random interleavings of three instances against one Redis and compares, after each call,
 * the reply and all that is stored with the model, and the stored state with the invariants.
 */
export async function checkScripts(bench: ScriptBench, effort: Effort): Promise<Outcome> {
  const ears = bench.redis.duplicate();
  const heard: { channel: string; text: string }[] = [];
  ears.on('pmessage', (_pattern, channel: string, text: string) => {
    // `<base> <epoch> <flags> <time>`: the time, which the model cannot know, must be now.
    const time = /^\S+ \S+ \S+ (\d+)\n/.exec(text)?.[1];
    const isNow = same(new About(Date.now()), time);
    heard.push({ channel, text: isNow ? text.replace(` ${time!}\n`, '\n') : text });
  });
  await ears.psubscribe('*');
  const scripts = new Map<string, [number, number]>();
  let interleavings = 0;
  let calls = 0;

  const play = async ({ users, steps }: Plan): Promise<void> => {
    interleavings += 1;
    await bench.redis.flushall();
    await ears.ping();
    heard.length = 0;
    const driver = new Driver(bench, users);
    const story: string[] = [];
    try {
      let before: RawState = new Map();
      for (const step of steps) {
        const call = driver.callOf(step);
        if (call === undefined) continue;
        story.push(`i${step.by}: ${call.text}`);
        before = await once(bench, driver, call, step, before, (text, accepted) => {
          calls += 1;
          story.push(`      ${text}`);
          const name = call.text.split(' ')[0]!;
          if (!name.includes('-')) return;
          const [yes, no] = scripts.get(name) ?? [0, 0];
          scripts.set(name, accepted ? [yes + 1, no] : [yes, no + 1]);
        });
      }
      await ears.ping();
      if (!isDeepStrictEqual(heard, driver.world.told)) {
        throw new Error(
          `4: told ${JSON.stringify(heard)}, not ${JSON.stringify(driver.world.told)}`,
        );
      }
    } catch (error) {
      throw new Error(`${story.join('\n')}\n${String(error)}`, { cause: error });
    }
  };

  try {
    const result = await fc.check(fc.asyncProperty(plans(effort.most), play), {
      numRuns: effort.runs,
      seed: effort.seed,
      endOnFailure: !effort.shrink,
    });
    const failure = result.failed
      ? `seed ${result.seed}, ${result.numShrinks} times shorter\n${String(result.errorInstance)}`
      : undefined;
    return { interleavings, calls, scripts, failure };
  } finally {
    ears.disconnect();
  }
}

async function once(
  bench: ScriptBench,
  driver: Driver,
  call: Call,
  step: Step,
  before: RawState,
  note: (text: string, accepted: boolean) => void,
): Promise<RawState> {
  const expected = call.expected();
  const reply = await call.send();
  note(`→ ${JSON.stringify(reply)}`, Number((reply as unknown[])[0]) > 0);
  if (!same(expected, reply)) throw new Error(`the model expected ${JSON.stringify(expected)}`);
  call.learn?.(reply as readonly unknown[]);
  const after = await dump(bench.redis);
  const isJump = call.isLoss === true || call.text.endsWith('minutes later');
  const faults = [...faultsOf(after), ...(isJump ? [] : faultsBetween(before, after, call.fence))];
  if (faults.length > 0) throw new Error(faults.join('\n'));
  driver.adopt(after);
  compare(driver.world, after);
  // What is rarely accepted is always sent again.
  const isRare = /^(restart-log|continue-task|start-queued) /.test(call.text);
  if ((step.lost || isRare) && call.isRead !== true) {
    const again = await call.send();
    note(`→ again ${JSON.stringify(again)}`, true);
    const isGone = call.removes === true && alike([-1], again);
    if (!isGone && !alike(reply, again)) {
      throw new Error('3: a second send is answered otherwise');
    }
    const second = await dump(bench.redis);
    compare(driver.world, second);
    return second;
  }
  return after;
}

/** A settle sent again no longer says what else it changed: the sweeper looks after that. */
function alike(first: unknown, second: unknown): boolean {
  if (!Array.isArray(first) || !Array.isArray(second)) return false;
  return first.every((value, index) => {
    const other: unknown = second[index];
    if (typeof value === 'string' && other === '' && index >= 2) return true;
    if (typeof value === 'number' && value > 1e12) return Math.abs(value - Number(other)) < 25_000;
    return JSON.stringify(value) === JSON.stringify(other);
  });
}

function compare(world: World, actual: RawState): void {
  const expected = world.render();
  const differences: string[] = [];
  const names = [...new Set([...expected.keys(), ...actual.keys()])];
  for (const key of names.filter((name) => !BESIDE.test(name)).sort()) {
    const [wanted, found] = [expected.get(key), actual.get(key)?.value];
    if (same(wanted, found)) continue;
    differences.push(`${key}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
  }
  for (const { ref, expires } of world.tasks.values()) {
    const { task, log, snapshot } = world.keysOf(ref);
    for (const key of [task, log, snapshot]) {
      const left = actual.get(key)?.pttl ?? 0;
      const isLate = key === snapshot && left > expires - Date.now();
      if (isLate || same(new About(expires), Date.now() + left)) continue;
      differences.push(`${key} ends in ${left} ms, not in ${expires - Date.now()}`);
    }
  }
  if (differences.length > 0) throw new Error(`stored:\n${differences.join('\n')}`);
}
