import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const DOCS = join(import.meta.dirname, '../../docs');
const OPENAPI = parse(readFileSync(join(DOCS, 'openapi.yaml'), 'utf8')) as {
  readonly paths: Readonly<Record<string, object>>;
};
/** `$ADMIN` stands for the base URL in the commands of the docs. */
const NAMED = /(?:\$ADMIN|\/admin\/v1)((?:\/[\w<>{}$.:-]+)+)/g;

const known = Object.keys(OPENAPI.paths)
  .filter((path) => path.startsWith('/admin/v1/'))
  .map((path) => path.slice('/admin/v1'.length))
  .map((path) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/:]+')}$`));
const named = readdirSync(DOCS)
  .filter((file) => file.endsWith('.md'))
  .flatMap((file) =>
    [...readFileSync(join(DOCS, file), 'utf8').matchAll(NAMED)].map(([, path = '']) => [
      file,
      path,
    ]),
  );

it('should name no path of the admin API that there is not', () => {
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(([, path = '']) => !known.some((one) => one.test(path)))).toEqual([]);
});
