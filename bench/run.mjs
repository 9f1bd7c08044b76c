// make bench [ROWS=P1,P3]: ratios in one run; writes bench/out/latest.json and prints a table.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cpus } from 'node:os';
import { stopAll } from './lib/process.mjs';

const ROWS = {
  P1: './rows/p1-send.mjs',
  P2: './rows/p2-get.mjs',
  P3: './rows/p3-deltas.mjs',
  P4: './rows/p4-streams.mjs',
  P5: './rows/p5-subscribers.mjs',
  P6: './rows/p6-resubscribe.mjs',
  P7: './rows/p7-owner-killed.mjs',
  P8: './rows/p8-mcp.mjs',
  P9: './rows/p9-list.mjs',
  P10: './rows/p10-instances.mjs',
  C1: './rows/c1-costs.mjs',
  F1: './rows/f1-fairness.mjs',
};

const wanted = process.env.ROWS ? process.env.ROWS.split(',') : Object.keys(ROWS);
const unknown = wanted.filter((id) => !(id in ROWS));
if (unknown.length > 0) {
  process.stderr.write(
    `no such row: ${unknown.join(', ')}; there are ${Object.keys(ROWS).join(', ')}\n`,
  );
  process.exit(64);
}

const rows = [];
for (const id of wanted) {
  process.stderr.write(`${id} …\n`);
  try {
    const { run } = await import(ROWS[id]);
    rows.push(...(await run()));
  } catch (error) {
    rows.push({ id, figure: `void: ${error.message}`, value: null, target: null, ok: false });
  } finally {
    await stopAll();
  }
}
for (const row of rows) {
  if (row.target == null) row.ok ??= true;
  else row.ok = row.better === 'less' ? row.value <= row.target : row.value >= row.target;
}

const out = join(import.meta.dirname, 'out');
await mkdir(out, { recursive: true });
const machine = { cpus: cpus().length, node: process.version, at: new Date().toISOString() };
await writeFile(join(out, 'latest.json'), `${JSON.stringify({ machine, rows }, null, 2)}\n`);
const number = (value) => (value == null ? '' : value >= 100 ? value.toFixed(0) : value.toFixed(2));
const sign = { more: '≥', less: '≤' };
const table = [
  '| row | figure | value | target | ok |',
  '| --- | --- | --- | --- | --- |',
  ...rows.map(({ id, figure, value, target, better, ok }) => {
    const goal = target == null ? '' : `${sign[better]} ${number(target)}`;
    return `| ${id} | ${figure} | ${number(value)} | ${goal} | ${ok ? 'yes' : 'no'} |`;
  }),
];
const grown = rows.filter(({ growth }) => growth !== undefined);
if (grown.length > 0) {
  table.push('', '| row | how it grows | at |', '| --- | --- | --- |');
  for (const { id, growth } of grown) {
    const points = Object.entries(growth.points).map(([at, value]) => `${at}: ${number(value)}`);
    table.push(`| ${id} | ${growth.of} | ${points.join(', ')} |`);
  }
}
process.stdout.write(`${table.join('\n')}\n`);
process.exit(0);
