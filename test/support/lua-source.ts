import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LUA = join(import.meta.dirname, '../../lua');

/** A script as its file promises it (header) and as it is (body without comments). */
export interface LuaSource {
  readonly file: string;
  /** The whole file. */
  readonly text: string;
  /** Without the number of keys. */
  readonly name: string;
  /** The number at the end of the file's name. */
  readonly suffix: number;
  readonly lines: readonly string[];
  readonly header: string;
  readonly body: string;
  readonly includes: readonly string[];
}

export function luaSources(): LuaSource[] {
  return readdirSync(LUA)
    .filter((file) => file.endsWith('.lua'))
    .map((file) => parseLua(file, readFileSync(join(LUA, file), 'utf8')));
}

export function parseLua(file: string, text: string): LuaSource {
  const match = /^(.+)-(\d+)\.lua$/.exec(file);
  const start = text.indexOf('--[[');
  const end = text.indexOf(']]\n', start);
  const header = start < 0 || end < 0 ? '' : text.slice(start, end);
  const rest = text.slice(end + 3);
  return {
    file,
    text,
    name: match?.[1] ?? file,
    suffix: Number(match?.[2] ?? -1),
    lines: text.trimEnd().split('\n'),
    header,
    body: rest.replace(/--(?!\[\[).*$/gm, ''),
    includes: [...rest.matchAll(/^--- @include (\w+)$/gm)].map((found) => found[1]!),
  };
}

export function includeSource(name: string): string {
  return readFileSync(join(LUA, 'includes', `${name}.lua`), 'utf8');
}

/** The script with its includes in place; `change` may put another text for any of the files. */
export function scriptText(
  { file, text }: LuaSource,
  change: (file: string, text: string) => string = (_file, same) => same,
): string {
  return change(file, text).replace(/^--- @include (\w+)$/gm, (_line, name: string) =>
    change(`includes/${name}.lua`, includeSource(name)).trimEnd(),
  );
}

/** The numbers documented as `KEYS[n]`, `KEYS[a..b]`; `open` is the n of `ARGV[n..]`. */
export function documented(source: LuaSource, array: 'KEYS' | 'ARGV'): Numbers {
  const closed = new Set<number>();
  let open: number | undefined;
  // Only the lists count, not a key named again in the text of Output or Event.
  const lists = source.header.split(/^(?:Output|Event)/m)[0]!;
  for (const [, from, dots, to] of lists.matchAll(
    new RegExp(`${array}\\[(\\d+)(\\.\\.)?(\\d+)?\\]`, 'g'),
  )) {
    if (dots === undefined) closed.add(Number(from));
    else if (to === undefined) open = Number(from);
    else for (let n = Number(from); n <= Number(to); n += 1) closed.add(n);
  }
  return { closed, open };
}

export interface Numbers {
  readonly closed: ReadonlySet<number>;
  readonly open: number | undefined;
}

/**
 * The numbers that the body uses: literal ones, those of loops with literal bounds, and those that
 * the includes reach (`move_state(…, n, …)`: KEYS n + 1 … n + 8; `append_events(…, n)`: ARGV from n),
 * and a loop from n to `#ARGV`.
 */
export function used(source: LuaSource, array: 'KEYS' | 'ARGV'): Numbers {
  const closed = new Set<number>();
  let open: number | undefined;
  for (const [, n] of source.body.matchAll(new RegExp(`(?<!#)${array}\\[(\\d+)\\]`, 'g'))) {
    closed.add(Number(n));
  }
  for (const [, name, from, to, block] of source.body.matchAll(
    /for (\w+) = (\d+), (\d+) do(.*?)\bend\b/gs,
  )) {
    if (!block!.includes(`${array}[${name!}]`)) continue;
    for (let n = Number(from); n <= Number(to); n += 1) closed.add(n);
  }
  if (array === 'KEYS') {
    for (const [, first] of source.body.matchAll(/\bmove_state\([^,]+, [^,]+, (\d+),/g)) {
      for (let n = 1; n <= 8; n += 1) closed.add(Number(first) + n);
    }
  } else {
    for (const [, first] of source.body.matchAll(/\bappend_events\(.*, (\d+)\)$/gm)) {
      open = Number(first);
    }
    for (const [, first] of source.body.matchAll(/\bfor \w+ = (\d+), #ARGV\b/g)) {
      open = Number(first);
    }
  }
  if (open !== undefined) closed.delete(open);
  return { closed, open };
}

/** The refusals (negative codes) that a text returns. */
export function refusals(text: string): Set<number> {
  return new Set([...text.matchAll(/\{ ?(-\d+)/g)].map((found) => Number(found[1])));
}
