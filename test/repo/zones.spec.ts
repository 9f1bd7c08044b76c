import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ESLint } from 'eslint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const TIMEOUT = 120_000;

/** Faults planted in a copy of the tree, and the rule that has to see each. */
const PLANTED = [
  {
    what: 'an import against the arrows (domain → tasks)',
    rule: 'import-x/no-restricted-paths',
    files: {
      'src/domain/planted.ts':
        "import { TaskService } from '../tasks/task.service.js';\nexport const planted = TaskService.name;\n",
    },
  },
  {
    what: 'a type import against the arrows (protocols → store)',
    rule: 'import-x/no-restricted-paths',
    files: {
      'src/store/planted-type.ts': 'export interface Planted {\n  readonly a: number;\n}\n',
      'src/protocols/wire/planted-type.ts':
        "import type { Planted } from '../../store/planted-type.js';\nexport type Again = Planted;\n",
    },
  },
  {
    what: 'one protocol that imports another',
    rule: 'import-x/no-restricted-paths',
    files: {
      'src/protocols/a2a-v1/planted.ts': 'export const planted = 1;\n',
      'src/protocols/mcp/planted.ts':
        "import { planted } from '../a2a-v1/planted.js';\nexport const again = planted;\n",
    },
  },
  {
    what: 'an import cycle',
    rule: 'import-x/no-cycle',
    files: {
      'src/domain/planted-a.ts':
        "import { b } from './planted-b.js';\nexport const a = (): number => b();\n",
      'src/domain/planted-b.ts':
        "import { a } from './planted-a.js';\nexport const b = (): number => a();\n",
    },
  },
  {
    what: 'Redis spoken outside redis/ and redis-*.ts',
    rule: 'no-restricted-imports',
    files: {
      'src/tasks/planted-redis.ts':
        "import { Redis } from 'ioredis';\nexport const planted = Redis.name;\n",
    },
  },
  {
    what: 'the environment read outside config/',
    rule: 'no-restricted-properties',
    files: { 'src/tasks/planted-env.ts': "export const planted = process.env['HOME'];\n" },
  },
] as const;

describe('the zones of eslint.config.mjs', () => {
  let copy: string;
  let messages: Map<string, string[]>;

  beforeAll(async () => {
    copy = mkdtempSync(join(tmpdir(), 'nightjar-zones-'));
    for (const file of ['eslint.config.mjs', 'tsconfig.json', 'package.json', 'src']) {
      cpSync(join(ROOT, file), join(copy, file), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    const planted = PLANTED.flatMap(({ files }) => Object.entries(files));
    planted.forEach(([file, text]) => {
      writeFileSync(join(copy, file), text);
    });
    const results = await new ESLint({ cwd: copy }).lintFiles(planted.map(([file]) => file));
    messages = new Map(
      results.map((result) => [
        result.filePath.slice(copy.length + 1),
        result.messages.map((message) => message.ruleId ?? message.message),
      ]),
    );
  }, TIMEOUT);

  afterAll(() => {
    rmSync(copy, { recursive: true, force: true });
  });

  it.each(PLANTED)('should refuse $what', ({ rule, files }) => {
    const found = Object.keys(files).flatMap((file) => messages.get(file) ?? ['not linted']);
    expect(found).toContain(rule);
    // Nothing else is wrong with the planted files, so it is the plant that lint sees.
    expect(found.filter((id) => id !== rule)).toEqual([]);
  });

  it(
    'should have a row for every folder of src',
    async () => {
      const eslint = new ESLint({ cwd: ROOT });
      const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => entry.name);
      const config = (await eslint.calculateConfigForFile('src/domain/any.ts')) as {
        rules: Record<string, [number, { zones: { target: string }[] }]>;
      };
      const rows = config.rules['import-x/no-restricted-paths']![1].zones.map(
        ({ target }) => target,
      );
      expect(folders.filter((folder) => !rows.includes(`./src/${folder}`))).toEqual([]);
    },
    TIMEOUT,
  );
});
