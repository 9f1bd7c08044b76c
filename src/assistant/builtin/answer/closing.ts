import type { SourceReport, ToolResult } from '../../tools/tool.js';
import type { TurnRun } from '../turn-run.js';
import { code, plain } from './markdown.js';

/** The end of every answer: what is missing, whether it is invented, where it comes from. */
export function closing(run: TurnRun, result: ToolResult): readonly string[] {
  const { words } = run;
  const blocks = failuresOf(run, result).map((failure) => words.missing(failure));
  for (const error of result.sources.flatMap(({ ailing = [] }) => ailing)) {
    blocks.push(words.memberDown(plain(words.failure(error.source, error.fault), 500)));
  }
  const live = result.sources.filter((source) => source.error === undefined);
  if (live.some((source) => source.demo === true)) blocks.push(words.demo);
  const sources = live.map(({ name, type }) => `${plain(name)} (${type})`).join(', ');
  blocks.push(words.footer(sources, code(result.query, 500), run.at(result.time)));
  return blocks;
}

/**
 * The whole answer when no source could tell, else undefined.
 * @param what key of `words.what`
 */
export function unanswered(
  run: TurnRun,
  result: ToolResult,
  what: string,
): readonly string[] | undefined {
  const { words } = run;
  const name = words.what[what] ?? what;
  if (result.sources.length === 0) return [words.noSource(name)];
  if (result.sources.some((source) => source.error === undefined)) return undefined;
  return [words.noAnswer(name), ...failuresOf(run, result).map((failure) => `⚠ ${failure}.`)];
}

function failuresOf(run: TurnRun, result: ToolResult): string[] {
  return result.sources
    .filter((source) => source.error !== undefined)
    .map((source) => plain(failureText(run, source), 500));
}

function failureText(run: TurnRun, source: SourceReport): string {
  if (source.failure === undefined) return source.error ?? '';
  return run.words.failure(source.failure.source, source.failure.fault);
}
