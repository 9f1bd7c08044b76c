import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChartRenderer } from '../../src/assistant/charts/chart-renderer.js';
import type { ChartSpec } from '../../src/assistant/charts/chart-spec.js';

const never = new AbortController().signal;

/** Stands in for the program of the thread: obeys the title. */
const PROGRAM = `
import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ id, spec }) => {
  if (spec.title === 'hang') for (;;);
  if (spec.title === 'die') process.exit(3);
  if (spec.title === 'fail') return parentPort.postMessage({ id, failure: 'no ink' });
  parentPort.postMessage({ id, picture: { svg: spec.title, png: new Uint8Array([1]) } });
});`;

function spec(title: string): ChartSpec {
  const [start, end] = [0, 60_000];
  const rest = { subtitle: '', language: 'en', unit: 'number', stepSeconds: 1 } as const;
  return { title, start, end, ...rest, series: [], firing: [], moreFiring: 0, notes: [] };
}

describe('ChartRenderer', () => {
  let dir: string;
  let renderer: ChartRenderer;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'nj-chart-'));
    await writeFile(join(dir, 'program.mjs'), PROGRAM);
    renderer = new ChartRenderer(1000, join(dir, 'program.mjs'));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  it('should go on after a picture that hangs, kills the thread, or fails', async () => {
    const asked = ['hang', 'a', 'die', 'b', 'fail', 'c'].map((title) =>
      renderer.draw(spec(title), never),
    );
    const settled = await Promise.allSettled(asked);
    expect(
      settled.map((one) => (one.status === 'fulfilled' ? one.value.svg : String(one.reason))),
    ).toEqual([
      'Error: the chart took more than 1 s',
      'a',
      'Error: the chart could not be drawn',
      'b',
      'Error: the chart could not be drawn (no ink)',
      'c',
    ]);
  });

  it('should not keep a process alive that has its picture', async () => {
    const renderers = join(import.meta.dirname, '../../dist/assistant/charts/chart-renderer.js');
    const script = `import { ChartRenderer } from ${JSON.stringify(renderers)};
      const renderer = new ChartRenderer(5000, ${JSON.stringify(join(dir, 'program.mjs'))});
      const { svg } = await renderer.draw({ title: 'drawn' }, new AbortController().signal);
      console.log(svg);`;
    await writeFile(join(dir, 'once.mjs'), script);
    const { stdout } = await promisify(execFile)(process.execPath, [join(dir, 'once.mjs')], {
      timeout: 20_000,
    });
    expect(stdout).toBe('drawn\n');
  });

  it('should refuse what would wait too long, and forget what nobody waits for', async () => {
    const gone = new AbortController();
    const first = renderer.draw(spec('hang'), never);
    const waiting = Array.from({ length: 8 }, (_, n) =>
      renderer.draw(spec(`w${String(n)}`), n === 0 ? gone.signal : never),
    );
    await expect(renderer.draw(spec('one too many'), never)).rejects.toThrow('too many charts');
    gone.abort(new Error('canceled'));
    await expect(waiting[0]).rejects.toThrow('canceled');
    await expect(first).rejects.toThrow('more than 1 s');
    const rest = await Promise.all(waiting.slice(1));
    expect(rest.map(({ svg }) => svg)).toEqual(['w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7']);
  });
});
