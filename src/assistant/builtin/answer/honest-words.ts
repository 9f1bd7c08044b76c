import type { ReadKind } from '../../tools/source-reads.js';
import type { Words } from './words.js';

const OF_ALERTS: readonly ReadKind[] = ['alerts', 'pending'];
const OF_METRICS: readonly ReadKind[] = ['queries'];
/** Live words come from all that was read. */
const OF_WORDS: readonly ReadKind[] = [...OF_ALERTS, 'silences', 'targets', 'rules'];

/**
 * The words of an answer that may say that there is none only where all that could know it did
 * answer: the one place that decides it, for every handler. While something of the kind is away they
 * say what did not answer instead.
 * @param lackOf what did not answer in this turn, of these kinds; empty: all did.
 */
export function honestWords(words: Words, lackOf: (kinds: readonly ReadKind[]) => string): Words {
  const sure = (kinds: readonly ReadKind[], text: string, otherwise: (lack: string) => string) => {
    const lack = lackOf(kinds);
    return lack === '' ? text : otherwise(lack);
  };
  const asSeen = (kinds: readonly ReadKind[], text: string): string =>
    sure(kinds, text, (lack) => words.asFarAsSeen(text, lack));
  const what = (key: string): string => words.what[key] ?? key;
  return {
    ...words,
    get no() {
      return sure(OF_ALERTS, words.no, words.cannotTell);
    },
    get notFiring() {
      return sure(OF_ALERTS, words.notFiring, words.cannotTell);
    },
    get allWell() {
      return sure(OF_WORDS, words.allWell, words.cannotTell);
    },
    get noMore() {
      return asSeen(OF_ALERTS, words.noMore);
    },
    get noneFired() {
      return sure(OF_METRICS, words.noneFired, words.cannotTell);
    },
    get noSeries() {
      return sure(OF_METRICS, words.noSeries, (lack) => words.noneSeen(what('metrics'), '', lack));
    },
    get noSeriesIn() {
      return sure(OF_METRICS, words.noSeriesIn, (lack) =>
        words.noneSeen(what('metrics'), '', lack),
      );
    },
    quietBefore: (hours) => sure(OF_METRICS, words.quietBefore(hours), words.cannotTell),
    leadAll: (state, total, suppressed) => {
      const text = words.leadAll(state, total, suppressed);
      if (total > 0) return text;
      return sure(OF_ALERTS, text, (lack) => words.noneSeen(words.alertsThat(state), '', lack));
    },
    leadNone: (state, conditions, others) =>
      sure(OF_ALERTS, words.leadNone(state, conditions, others), (lack) =>
        words.noneSeen(words.alertsThat(state), conditions, lack),
      ),
    fired: (isEnded, total, times, filter, from, to) => {
      const text = words.fired(isEnded, total, times, filter, from, to);
      return total > 0 ? text : sure(OF_METRICS, text, words.cannotTell);
    },
    noSuchLabel: (label, labels) =>
      sure(OF_ALERTS, words.noSuchLabel(label, labels), () => words.labelUnseen(label)),
    groupCount: (label, groups, lead) =>
      groups > 0
        ? words.groupCount(label, groups, lead)
        : sure(OF_ALERTS, words.groupCount(label, groups, lead), () => lead),
    silences: (state, total, all, conditions) => {
      const text = words.silences(state, total, all, conditions);
      if (total > 0) return text;
      return sure(['silences'], text, (lack) => words.noneSeen(what('silences'), conditions, lack));
    },
    noTarget: (conditions, all) =>
      sure(['targets'], words.noTarget(conditions, all), (lack) =>
        words.noneSeen(what('targets'), conditions, lack),
      ),
    rules: (total, all, conditions) => {
      const text = words.rules(total, all, conditions);
      if (total > 0) return text;
      return sure(['rules'], text, (lack) => words.noneSeen(what('rules'), conditions, lack));
    },
    noMetric: (metric, looked) =>
      sure(OF_METRICS, words.noMetric(metric, looked), (lack) =>
        words.noneSeen(what('metrics'), metric, lack),
      ),
    noHost: (metric, host, near) =>
      sure(OF_METRICS, words.noHost(metric, host, near), (lack) =>
        words.noneSeen(metric, host, lack),
      ),
    runbook: {
      ...words.runbook,
      noAlert: (conditions) =>
        sure(OF_ALERTS, words.runbook.noAlert(conditions), (lack) =>
          words.noneSeen(words.alertsThat('firing'), conditions, lack),
        ),
    },
    otherLabel: (typed, found) => asSeen(OF_WORDS, words.otherLabel(typed, found)),
    nothingExcluded: (typed) => asSeen(OF_WORDS, words.nothingExcluded(typed)),
    noSuchAlternative: (typed) => asSeen(OF_WORDS, words.noSuchAlternative(typed)),
  };
}
