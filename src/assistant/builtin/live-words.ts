import type { LabelSet, Silence } from '../sources/source.types.js';
import type { Domain } from './parse/intent.js';
import type { Question } from './parse/question.js';
import { Vocabulary } from './parse/vocabulary.js';
import type { Handling, TurnRun } from './turn-run.js';

type Topic = 'alerts' | 'silences' | 'targets' | 'rules';

/** The words that the live data brings in, by topic, and all of them together. */
export interface LiveWords {
  readonly all: Vocabulary;
  readonly of: (domain: Domain) => Vocabulary;
}

/**
 * Reads what a question may speak of. `first` is the question as it reads without any live word: it
 * tells which sources need to be asked, so that a dead Alertmanager cannot delay an answer about
 * scrape targets.
 */
export async function* readLiveWords(run: TurnRun, first: Question): Handling<LiveWords> {
  const topics = topicsOf(first);
  const { words, reads, signal } = run;
  const names = reads.sources.all.map(({ name }) => name).join(', ');
  const what = topics.map((topic) => words.what[topic] ?? topic).join(', ');
  yield { kind: 'step', text: words.reading(what, names) };
  const sets = new Map<Topic, readonly LabelSet[]>();
  await Promise.all(
    topics.map(async (topic) => {
      sets.set(topic, await READERS[topic](run, first));
    }),
  );
  signal.throwIfAborted();
  const all = new Vocabulary([...sets.values()].flat());
  const single = new Map(
    [...sets].map(([topic, labels]) => [
      topic as Domain,
      sets.size === 1 ? all : new Vocabulary(labels),
    ]),
  );
  return { all, of: (domain) => single.get(domain) ?? all };
}

const READERS: Readonly<
  Record<Topic, (run: TurnRun, first: Question) => Promise<readonly LabelSet[]>>
> = {
  alerts: async ({ reads, signal }, first) => {
    const reading = first.state === 'pending' ? reads.pending(signal) : reads.alerts(signal);
    return (await reading).answers.flatMap(({ value }) => value.map((alert) => alert.labels));
  },
  silences: async ({ reads, signal }) =>
    (await reads.silences(signal)).answers.flatMap(({ value }) => value.flatMap(labelsOfSilence)),
  targets: async ({ reads, signal }) =>
    (await reads.targets(signal)).answers.flatMap(({ value }) => value.map(({ labels }) => labels)),
  rules: async ({ reads, signal }) =>
    (await reads.rules(signal)).answers.flatMap(({ value }) =>
      value.map(({ name, labels }) => ({ ...labels, alertname: name })),
    ),
};

function topicsOf({ domain, sentence }: Question): readonly Topic[] {
  const topics = new Set<Topic>();
  if (sentence.any('silence')) topics.add('silences');
  if (sentence.any('target') || sentence.any('down') || sentence.any('up')) topics.add('targets');
  // `is job batch healthy?` may be about a target, `is all well?` is not.
  const isNamed = sentence.parts.some(({ kind }) => kind === 'unknown' || kind === 'quoted');
  if (sentence.any('ok') && isNamed && domain === 'alerts') topics.add('targets');
  if (sentence.any('rule') || sentence.any('recording')) topics.add('rules');
  // `which targets are down` needs no alerts; `is checkout down` may mean an alert's service.
  const alone =
    domain === 'silences' || domain === 'rules' || (domain === 'targets' && sentence.any('target'));
  if (!alone || sentence.any('alert') || sentence.any('firing')) topics.add('alerts');
  return [...topics];
}

function labelsOfSilence({ matchers, createdBy }: Silence): readonly LabelSet[] {
  const told = matchers.flatMap(({ name, op, value }) => {
    if (op === '=' || op === '!=') return [{ [name]: value }];
    // `a|b` names two values; anything more regular names none.
    return /^[\w\-.:|]+$/.test(value) ? value.split('|').map((one) => ({ [name]: one })) : [];
  });
  return [...told, { created_by: createdBy }];
}
