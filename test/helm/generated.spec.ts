import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CHART } from './chart.js';

const ROOT = join(CHART, '../..');

describe('what is generated', () => {
  it('should be what values.yaml says', () => {
    const generator = join(ROOT, 'helm/tools/generate.mjs');
    execFileSync(process.execPath, [generator, '--check'], { stdio: 'pipe' });
  });

  it('should have the version of the package', () => {
    const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as { appVersion: string };
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(chart.appVersion).toBe(manifest.version);
  });
});

describe('values.yaml', () => {
  it('should have no value that no template uses', () => {
    const templates = readdirSync(join(CHART, 'templates'))
      .map((name) => readFileSync(join(CHART, 'templates', name), 'utf8'))
      .join('\n');
    const readme = readFileSync(join(CHART, 'README.md'), 'utf8');
    const documented = [...readme.matchAll(/^\| `([^`]+)` \|/gm)].map(([, key]) => key!.split('.'));
    expect(documented.length).toBeGreaterThan(50);
    const unused = documented.filter((path) => !isUsed(path, templates));
    expect(unused).toEqual([]);
  });
});

/** Named with its whole path, by its last keys inside a `with` or a variable, or as part of a map. */
function isUsed(path: readonly string[], templates: string): boolean {
  return path.some((_, at) => {
    const upper = `.Values.${path.slice(0, at + 1).join('.')}`.replaceAll('.', '\\.');
    if (at === path.length - 1) return new RegExp(`${upper}\\b`).test(templates);
    if (new RegExp(`toYaml ${upper} `).test(templates)) return true;
    const section = new RegExp(`(?:with|:=) ${upper} -?}}`).test(templates);
    const rest = `[$a-z]*\\.${path.slice(at + 1).join('\\.')}\\b`;
    return section && new RegExp(`[ (]${rest}`).test(templates);
  });
}
