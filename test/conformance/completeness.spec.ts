import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { describe, expect, it } from 'vitest';
import './proofs/index.js';
import { REQUIREMENTS } from './requirements.js';
import { ELSEWHERE, NOT_APPLICABLE, NOT_OFFERED } from './sources/elsewhere.js';
import { proofs } from './support/registry.js';
import { conformanceTable, ROWS } from './table.js';

const ROOT = join(import.meta.dirname, '../..');
const DOC = join(ROOT, 'docs/conformance.md');

const required = REQUIREMENTS.flatMap(({ id, cells }) => cells.map((cell) => `${id} ${cell}`));
const proved = proofs().map(({ id, cell }) => `${id} ${cell}`);

function twice(list: readonly string[]): string[] {
  return list.filter((one, at) => list.indexOf(one) !== at);
}

describe('the manifest', () => {
  it('should have a proof of each requirement over each of its cells, and of nothing else', () => {
    expect(required.filter((one) => !proved.includes(one))).toEqual([]);
    expect(proved.filter((one) => !required.includes(one))).toEqual([]);
    expect(twice(required)).toEqual([]);
    expect(twice(proved)).toEqual([]);
  });

  it('should name sources that exist, at least one each', () => {
    for (const { id, sources } of REQUIREMENTS) {
      expect(sources.length, id).toBeGreaterThan(0);
      const rows = sources.filter((source) => !/^(A2A|MCP) /.test(source));
      expect(
        rows.filter((row) => !(row in ROWS)),
        id,
      ).toEqual([]);
    }
  });

  it('should give every row of the sources exactly one place', () => {
    const cited = new Set(REQUIREMENTS.flatMap(({ sources }) => sources));
    const places = [ELSEWHERE, NOT_APPLICABLE, NOT_OFFERED];
    const counts = Object.keys(ROWS).map((row) => [
      row,
      places.filter((place) => row in place).length + (cited.has(row) ? 1 : 0),
    ]);
    expect(counts.filter(([, count]) => count !== 1)).toEqual([]);
    for (const place of places) {
      expect(Object.keys(place).filter((row) => !(row in ROWS))).toEqual([]);
    }
  });

  it.each(Object.entries(ELSEWHERE))('should name a test that exists for %s', (_row, test) => {
    const [file, title] = test;
    expect(existsSync(join(ROOT, file)), file).toBe(true);
    expect(readFileSync(join(ROOT, file), 'utf8')).toContain(title);
  });
});

describe('docs/conformance.md', () => {
  // `make conformance-docs` writes it; in CI a difference fails.
  it('should be what the manifest and the proofs say', async () => {
    const options = { ...(await resolveConfig(DOC)), filepath: DOC };
    await expect(await format(conformanceTable(), options)).toMatchFileSnapshot(DOC);
  }, 60_000);
});
