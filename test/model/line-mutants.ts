import type { Redis } from 'ioredis';
import { includeSource, luaSources, scriptText } from '../support/lua-source.js';

/** One line of a script or an include, changed. */
export interface LineMutant {
  readonly file: string;
  readonly line: number;
  readonly from: string;
  readonly to: string;
}

/** The scripts with a mutant in them, by name. */
export type Mutated = ReadonlyMap<string, { readonly numberOfKeys: number; readonly lua: string }>;

/** Every line gone once, and every condition of a block once always true and once never. */
export function lineMutants(): LineMutant[] {
  const sources = luaSources();
  const includes = [...new Set(sources.flatMap((source) => source.includes))];
  const texts = [
    ...sources.map(({ file, text }) => ({ file, text })),
    ...includes.map((name) => ({ file: `includes/${name}.lua`, text: includeSource(name) })),
  ];
  return texts.flatMap(({ file, text }) => {
    const lines = text.split('\n');
    const start = lines.findIndex((line) => line === ']]') + 1;
    return lines.slice(start).flatMap((from, index) => {
      const line = start + index + 1;
      const code = from.trim();
      if (code === '' || code.startsWith('--')) return [];
      return variants(from).map((to) => ({ file, line, from, to }));
    });
  });
}

function variants(line: string): string[] {
  const block = /^(\s*(?:else)?if )(.+)( then)$/.exec(line);
  if (block === null) return [''];
  return [`${block[1]!}true${block[3]!}`, `${block[1]!}false${block[3]!}`];
}

/** @returns undefined when a script with it is no Lua any more, or the same as before. */
export async function mutate(redis: Redis, mutant: LineMutant): Promise<Mutated | undefined> {
  const change = (file: string, text: string): string => {
    if (file !== mutant.file) return text;
    return text
      .split('\n')
      .map((line, index) => (index + 1 === mutant.line ? mutant.to : line))
      .join('\n');
  };
  const scripts = new Map<string, { numberOfKeys: number; lua: string }>();
  for (const source of luaSources()) {
    const lua = scriptText(source, change);
    try {
      await redis.script('LOAD', lua);
    } catch {
      return undefined;
    }
    scripts.set(source.name, { numberOfKeys: source.suffix, lua });
  }
  return scripts;
}
