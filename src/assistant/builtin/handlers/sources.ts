import { code, plain, table } from '../answer/markdown.js';
import { understood } from '../answer/understood.js';
import type { Question } from '../parse/question.js';
import type { Handling, TurnRun } from '../turn-run.js';

/** Which sources there are, and whether they answer. */
export async function* answerSources(run: TurnRun, question: Question): Handling {
  const { words } = run;
  const sources = run.reads.sources;
  if (sources.all.length === 0) return { blocks: [words.noSources] };
  const how = yield* run.explain(
    understood(run, {
      task: 'sources',
      notes: question.notes,
      ignored: [...question.ignored, ...question.timeTexts],
    }),
  );
  yield {
    kind: 'step',
    text: words.calling('health', sources.all.map(({ name }) => name).join(', ')),
  };
  const { answers, failures } = await sources.gather(
    sources.all,
    (source, signal) => source.health(signal),
    run.signal,
  );
  const texts = new Map<string, string>([
    ...answers.map(({ source, value }) => [source.name, `✓ ${plain(value)}`] as const),
    ...failures.map(
      ({ source, error }) =>
        [source.name, `✗ ${plain(words.failure(source, error.fault), 500)}`] as const,
    ),
  ]);
  const rows = sources.all.map(({ name, type }) => [code(name), type, texts.get(name) ?? '–']);
  const isDemo = answers.some(({ source }) => source.type === 'demo');
  return {
    blocks: [
      words.sources(answers.length, sources.all.length),
      ...how,
      table([words.columns.source, 'API', words.columns.health], rows),
      ...(isDemo ? [words.demo] : []),
      words.footer(
        sources.all.map(({ name }) => plain(name)).join(', '),
        code('health'),
        run.at(new Date().toISOString()),
      ),
    ],
  };
}
