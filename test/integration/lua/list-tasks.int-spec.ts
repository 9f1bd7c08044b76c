import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginning, newTask, ScriptBench } from '../../support/script-bench.js';

let bench: ScriptBench;
beforeAll(async () => {
  bench = await ScriptBench.start();
});
afterAll(async () => {
  await bench.stop();
});

/** Walks all pages the way a client does: each starts after the last row of the one before. */
async function walk(index: string, most: number, also?: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor: { score?: string; id?: string } = {};
  for (let page = 0; page < 100; page += 1) {
    const [, more, rows] = (await bench.listTasks(index, {
      ...cursor,
      most,
      ...(also === undefined ? {} : { also }),
    })) as [number, number, string[]];
    ids.push(...rows.filter((_, i) => i % 2 === 0));
    if (more === 0) return ids;
    cursor = { id: rows.at(-2)!, score: rows.at(-1)! };
  }
  throw new Error('the pages do not end');
}

describe('list-tasks', () => {
  it.each([1, 2, 3, 7, 50])(
    'should page by %i: newest first, equal times by id descending',
    async (most) => {
      const { user, tenant } = newTask();
      const index = `${tenant}:${user}:a`;
      const rows = Array.from({ length: 20 }, (_, i) => [
        1_000 + Math.floor(i / 6),
        `id-${i % 7}-${i}`,
      ]);
      await bench.redis.zadd(index, ...rows.flat());
      const expected = rows
        .sort((a, b) => Number(b[0]) - Number(a[0]) || (String(a[1]) < String(b[1]) ? 1 : -1))
        .map(([, id]) => id);
      expect(await walk(index, most)).toEqual(expected);
    },
  );

  it('should count exactly what the filter matches, over all pages', async () => {
    const { tenant } = newTask();
    const [all, some] = [`${tenant}:b`, `${tenant}:c`];
    for (let i = 1; i <= 30; i += 1) {
      await bench.redis.zadd(all, i, `t${i}`);
      if (i % 3 === 0) await bench.redis.zadd(some, i, `t${i}`);
    }
    expect(await bench.listTasks(all, { most: 2 })).toEqual(beginning(30, 1));
    expect(await bench.listTasks(all, { most: 2, since: 25 })).toEqual(beginning(6, 1));
    expect(await bench.listTasks(all, { most: 2, also: some, since: 10 })).toEqual(beginning(7, 1));
    expect(await walk(all, 3, some)).toEqual(
      [30, 27, 24, 21, 18, 15, 12, 9, 6, 3].map((n) => `t${n}`),
    );
  });

  it('should neither repeat nor hide others when tasks change and expire between pages', async () => {
    const { tenant } = newTask();
    const index = `${tenant}:d`;
    for (let i = 1; i <= 10; i += 1) await bench.redis.zadd(index, i, `t${i}`);
    const [, , first] = (await bench.listTasks(index, { most: 3 })) as [number, number, string[]];
    expect(first.filter((_, i) => i % 2 === 0)).toEqual(['t10', 't9', 't8']);
    await bench.redis.zadd(index, 99, 't5');
    await bench.redis.zrem(index, 't8');
    const next = (await bench.listTasks(index, { most: 3, id: 't8', score: 8 })) as unknown[];
    expect((next[2] as string[]).filter((_, i) => i % 2 === 0)).toEqual(['t7', 't6', 't4']);
  });

  it('should give an empty page of an index that does not exist', async () => {
    expect(await bench.listTasks('nothing')).toEqual([0, 0, []]);
  });
});
