import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';
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

/** Titles of the tests in a file: the first argument of `it(…)`, or of what `it.each(…)` returns. */
function titlesIn(text: string): readonly string[] {
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isIt(node.expression)) {
      const title = node.arguments[0];
      if (title !== undefined && ts.isStringLiteralLike(title)) titles.push(title.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest));
  return titles;
}

/** `it`, `it.each`, `it.each(…)` and the like. */
function isIt(node: ts.Expression): boolean {
  if (ts.isCallExpression(node) || ts.isPropertyAccessExpression(node)) {
    return isIt(node.expression);
  }
  return ts.isIdentifier(node) && node.text === 'it';
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
      const rows = sources.filter((source) => !/^(A2A|MCP|docs) /.test(source));
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
    expect(titlesIn(readFileSync(join(ROOT, file), 'utf8')), file).toContain(title);
  });
});

describe('docs/conformance.md', () => {
  // `make conformance-docs` writes it; in CI a difference fails.
  it('should be what the manifest and the proofs say', async () => {
    const options = { ...(await resolveConfig(DOC)), filepath: DOC };
    await expect(await format(conformanceTable(), options)).toMatchFileSnapshot(DOC);
  }, 60_000);
});
