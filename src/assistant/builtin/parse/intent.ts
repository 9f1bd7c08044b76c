import type { Concept } from '../lexicon/concept.js';
import { isHint, type Sentence } from './sentence.js';

/** What a question is about. */
export type Domain =
  | 'alerts'
  | 'silences'
  | 'targets'
  | 'rules'
  | 'sources'
  | 'query'
  | 'help'
  | 'greet'
  | 'thanks'
  | 'write'
  | 'unknown';

type Scored = 'alerts' | 'silences' | 'targets' | 'rules' | 'sources' | 'help';

/** How much a concept speaks for a domain; each counts once. */
const WEIGHTS: readonly (readonly [Concept, Scored, number])[] = [
  ['alert', 'alerts', 3],
  ['firing', 'alerts', 2.5],
  ['pending', 'alerts', 1.5],
  ['silenced', 'alerts', 2],
  ['ok', 'alerts', 1.5],
  ['resolved', 'alerts', 1.5],
  ['status', 'alerts', 1.5],
  ['history', 'alerts', 1.5],
  ['worst', 'alerts', 1.5],
  ['since-when', 'alerts', 1],
  ['detail', 'alerts', 0.8],
  ['newest', 'alerts', 0.5],
  ['oldest', 'alerts', 0.5],
  ['silence', 'silences', 5],
  ['silenced', 'silences', 1],
  ['expired', 'silences', 1],
  ['target', 'targets', 5],
  ['down', 'targets', 3],
  ['up', 'targets', 1.2],
  ['rule', 'rules', 6],
  ['recording', 'rules', 4],
  ['broken', 'rules', 3],
  ['source', 'sources', 3.5],
  ['help', 'help', 3],
];
/** Below that, it is a guess. */
const ENOUGH = 1.5;
const SEVERITY_WEIGHT = 2;
const VALUE_WEIGHT = 1.5;

/**
 * The domain that the most words speak for.
 * @param values how many conditions there are beyond doubt
 */
export function domainOf(sentence: Sentence, values: number): Domain {
  const { parts } = sentence;
  if (isWrite(sentence)) return 'write';
  // `ok thanks`
  const polite =
    sentence.any('thanks') || sentence.any('greet')
      ? parts.every((part) => only(part.concepts, ['greet', 'thanks', 'ok']))
      : false;
  if (polite) return sentence.any('greet') ? 'greet' : 'thanks';
  const scores = scoresOf(sentence, values);
  const [best, second] = [...scores].sort((a, b) => b[1] - a[1]);
  if (best === undefined || best[1] < ENOUGH) return 'unknown';
  // `metrics for checkout` asks for what only an expression can tell.
  const isMetric =
    sentence.any('metric') &&
    !['alert', 'firing', 'silenced'].some((concept) => sentence.any(concept as Concept));
  if (best[0] === 'alerts' && isMetric) return 'unknown';
  // `help me find the firing alerts` is no call for help.
  if (best[0] === 'help' && second !== undefined && second[1] >= 2.5) return second[0];
  return best[0];
}

function scoresOf(sentence: Sentence, values: number): ReadonlyMap<Scored, number> {
  const scores = new Map<Scored, number>();
  const add = (domain: Scored, weight: number): void => {
    scores.set(domain, (scores.get(domain) ?? 0) + weight);
  };
  const spoken = (concept: Concept): boolean =>
    sentence.segments.some((part) => part.concepts.has(concept) && part.kind !== 'quoted');
  for (const [concept, domain, weight] of WEIGHTS) if (spoken(concept)) add(domain, weight);
  const severe = sentence.parts.some(
    (part) => part.kind !== 'quoted' && part.aliases.some((alias) => alias.kind === 'severity'),
  );
  if (severe) add('alerts', SEVERITY_WEIGHT);
  if (values > 0) add('alerts', VALUE_WEIGHT);
  if (spoken('alert') || spoken('firing')) add('sources', -2);
  // 静默 … 的规则
  if (spoken('silence') && spoken('rule')) add('rules', -3);
  // `alerts on target web-1` is about alerts, `targets that are down` is not.
  const alertsByName = sentence.parts.some((part) => /alert|alarm|告警|报警|警报/.test(part.key));
  if (alertsByName && spoken('target') && !spoken('down')) add('targets', -2.5);
  return scores;
}

/** An order wherever it stands: `for the next hour do not page me about search`, 两小时内别再打扰我. */
const HUSH =
  /^(?:do not (?:page|alert|bother|notify|wake)|stop (?:paging|alerting|bothering|notifying))|^(?:别|不要|免).*(?:打扰|通知|报警|告警|吵|叫)/;
const MUTE = /^(?:silence|mute|静默|屏蔽|静音)$/;

/** Is it an order to change something? Orders begin with their verb. */
function isWrite(sentence: Sentence): boolean {
  if (sentence.parts.some((one) => one.concepts.has('write') && HUSH.test(one.key))) return true;
  // 把 puts the verb at the end.
  const isOrder = sentence.segments.some((one) => one.text === '把');
  if (isOrder && sentence.parts.some((one) => one.concepts.has('write') || MUTE.test(one.key))) {
    return true;
  }
  if (isTimedSilence(sentence)) return true;
  const start = sentence.parts.findIndex((part) => !only(part.concepts, ['greet', 'only']));
  const asked = sentence.has(start, 'how') ? start + 1 : start;
  const verb = sentence.at(asked);
  if (verb === undefined || verb.kind !== 'phrase') return false;
  if (verb.key === 'end' && sentence.has(asked + 1, 'silence')) return true;
  const isRepair = /^(?:fix|resolve|修复|处理)/.test(verb.key);
  if (verb.concepts.has('write') && !verb.concepts.has('silenced')) {
    return !(asked > start && isRepair);
  }
  const next = sentence.at(asked + 1);
  if (MUTE.test(verb.key) && next !== undefined) {
    const isObject =
      next.mention !== undefined ||
      next.ordinal !== undefined ||
      next.aliases.length > 0 ||
      ['quoted', 'unknown', 'matcher'].includes(next.kind) ||
      (/^[a-z]/.test(verb.key) && (isHint(next) || next.concepts.has('not')));
    return (
      isObject ||
      ['alert', 'it', 'them', 'all', 'one', 'last', 'newest', 'oldest', 'worst'].some((one) =>
        sentence.has(asked + 1, one as Concept),
      )
    );
  }
  return false;
}

/** How long it is to last, ahead: no question has that beside the bare verb. */
const AHEAD =
  /\bfor (?:the next |another )?(?:\d|an?\b|one|two|three|four|five|six|ten|half).*\b(?:silence|mute)\b|\b(?:silence|mute)\b.*\b(?:for (?:the next |another )?(?:\d|an?\b|one|two|three|four|five|six|ten|half)|until|till)|(?:静默|屏蔽|静音)(?:掉|一下)?.*?(?:\d|[一二两三四五六七八九十半])+ ?个?半?(?:秒|分钟?|小时|钟头|天|周|星期)半?(?=[,，。.!！吧谢 ]|$)|^.*(?:小时|分钟|天)(?:内|后|之后|之内)?,? ?(?:静默|屏蔽|静音)|(?:静默|屏蔽|静音).*(?:到|直到)/iu;

const ASKING = ['which', 'count', 'check', 'list', 'since-when', 'is', 'detail'] as const;

/** `never mute X for 10m`, `X 静默两小时`: an order wherever its verb stands. */
function isTimedSilence(sentence: Sentence): boolean {
  if (!sentence.parts.some((one) => MUTE.test(one.key) && one.kind === 'phrase')) return false;
  const asks = sentence.parts.some(
    ({ concepts, key }) => key !== 'do' && ASKING.some((concept) => concepts.has(concept)),
  );
  const text = sentence.segments.map((one) => one.text).join(sentence.chinese ? '' : ' ');
  return !asks && AHEAD.test(text);
}

function only(concepts: ReadonlySet<Concept>, allowed: readonly Concept[]): boolean {
  return concepts.size > 0 && [...concepts].some((concept) => allowed.includes(concept));
}
