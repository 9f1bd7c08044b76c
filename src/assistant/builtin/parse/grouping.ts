import { ROUTE_GROUP } from '../../tools/count-alerts.tool.js';
import { SEVERITY_LABELS } from '../../tools/severity.js';
import { ValueResolver } from './resolve-value.js';
import type { Segment } from './segment.js';
import { isHint, type Sentence } from './sentence.js';
import type { Vocabulary } from './vocabulary.js';

export interface Grouping {
  /** Label names; `severity` stands for the severity label whatever its name. */
  readonly by: readonly string[];
  /** Asked for, but no live thing has such a label. */
  readonly missing: readonly string[];
  /** `how many teams …`: the number of different values is what is asked for. */
  readonly counted: boolean;
}

/** Which labels the question wants the alerts counted by, at most two. */
export function readGrouping(
  sentence: Sentence,
  free: ReadonlySet<Segment>,
  vocabulary: Vocabulary,
): Grouping {
  const resolver = new ValueResolver(vocabulary);
  const by: string[] = [];
  const missing: string[] = [];
  const counted: Segment[] = [];
  let open = false;
  sentence.parts.forEach((part, index) => {
    // 按 app 分组: the verb, not the label.
    const isVerb = part.key === '分组' && isHint(sentence.at(index - 1));
    const isFree = isHint(part) && free.has(part) && !isVerb;
    const asked = open || isAsked(sentence, index);
    if (isFree && asked) {
      const label = labelOf(part, resolver);
      if (label === undefined) missing.push(part.text);
      else if (!by.includes(label)) by.push(label);
      if (isCounted(sentence, index)) counted.push(part);
      open = true;
    } else if (part.kind === 'unknown' && sentence.has(index - 1, 'by') && !sentence.any('sort')) {
      missing.push(part.text);
      open = true;
    } else if (!sentence.has(index, 'and')) open = false;
  });
  return { by: by.slice(0, 2), missing, counted: counted.length > 0 && by.length === 1 };
}

function isCounted(sentence: Sentence, index: number): boolean {
  const before = sentence.has(index - 1, 'one') ? index - 2 : index - 1;
  const key = sentence.at(before)?.key ?? '';
  return sentence.has(before, 'count') && /^(?:how many|number of|多少|几|有几)/.test(key);
}

function isAsked(sentence: Sentence, index: number): boolean {
  // `sort by severity`, 按级别排序: an order, no groups.
  const isOrdered = sentence.any('sort') || sentence.any('worst') || sentence.any('newest');
  if (isOrdered && !sentence.any('count')) return false;
  // `teams with more than 2 alerts`
  const isCompared = (['above', 'below', 'at-least', 'at-most'] as const).some((op) =>
    sentence.any(op),
  );
  if (isCompared && sentence.parts.some((part) => part.number !== undefined)) return true;
  // `a matrix of team by severity`
  if (sentence.has(index + 1, 'by') && isHint(sentence.at(index + 2))) return true;
  if (sentence.any('top') || isCounted(sentence, index)) return true;
  // `list all clusters`
  if (sentence.any('list') && !sentence.any('alert') && !sentence.any('firing')) return true;
  if (sentence.has(index - 1, 'list') && /[^s]s$/.test(sentence.at(index)?.key ?? '')) return true;
  if (sentence.has(index - 1, 'by', 'which')) return true;
  // `what is the severity of X`, `X 的级别是什么`
  if (sentence.has(index - 1, 'is') && sentence.has(index - 2, 'which')) return true;
  if (sentence.has(index + 1, 'is') && sentence.has(index + 2, 'which', 'value', 'count')) {
    return true;
  }
  if (sentence.has(index + 1, 'value')) return true;
  // `severity breakdown`, `级别分布`, `how many teams`
  if (sentence.has(index + 1, 'count') || sentence.has(index - 1, 'count')) return true;
  return sentence.any('most') || sentence.any('least');
}

function labelOf(hint: Segment, resolver: ValueResolver): string | undefined {
  const live = resolver.labelsOf(hint)[0];
  if (live !== undefined) return SEVERITY_LABELS.some((name) => name === live) ? 'severity' : live;
  if (hint.families.some(({ labels }) => labels === SEVERITY_LABELS)) return 'severity';
  return /^(?:groups?|分组|组)$/.test(hint.key) ? ROUTE_GROUP : undefined;
}
