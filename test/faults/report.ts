import { readFile } from 'node:fs/promises';
import { rm, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Figure } from './figures.js';

const OUT = join(import.meta.dirname, 'out');
const LINES = join(OUT, 'figures.jsonl');

/** What one run of the suite measured, as a table and in out/latest.json. */
export async function setup(): Promise<() => Promise<void>> {
  await rm(LINES, { force: true });
  await mkdir(OUT, { recursive: true });
  return async () => {
    const text = await readFile(LINES, 'utf8').catch(() => '');
    const rows = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Figure);
    await writeFile(join(OUT, 'latest.json'), `${JSON.stringify({ rows }, null, 2)}\n`);
    process.stdout.write(`\n${tableOf(rows)}\n`);
  };
}

function tableOf(rows: readonly Figure[]): string {
  const cells = [
    ['fault', 'figure', 'value', 'promised', ''],
    ...rows.map(({ fault, figure, value, promised, ok }) => [
      ...[fault, figure, value, promised],
      ok ? 'ok' : 'BROKEN',
    ]),
  ];
  const widths = [0, 1, 2, 3, 4].map((n) => Math.max(...cells.map((row) => row[n]?.length ?? 0)));
  const lines = cells.map(
    (row) => `| ${row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(' | ')} |`,
  );
  lines.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  return lines.join('\n');
}
