import { explainRule, type ExplainedRule } from '../../tools/explain-rule.tool.js';
import { code, plain } from '../answer/markdown.js';
import type { Question } from '../parse/question.js';
import type { Handling, TurnRun } from '../turn-run.js';

const WHY =
  /^(?:why|reason|cause|root cause|how come|threshold|thresholds|trigger condition|为什么|为何|为啥|原因|什么原因|根因|阈值|阀值|触发条件|报警条件|告警条件)$/;
const MOST_NAMES = 2;
const MOST_SERIES = 3;

/** `why does HighLatency fire?`, HighLatency 的阈值: what its rule says, and what that measures now. */
export function asksWhy({ sentence }: Question): boolean {
  return sentence.segments.some(({ key }) => WHY.test(key));
}

/** The expression, the value now and the threshold, of rules of these names. */
export async function* whyFires(
  run: TurnRun,
  question: Question,
  names: readonly string[],
): Handling<readonly string[]> {
  const isAble = run.reads.sources.all.some(({ metrics }) => metrics !== undefined);
  if (!asksWhy(question) || !isAble || !run.may(explainRule.name)) return [];
  const { whyFires: words } = run.words;
  const blocks: string[] = [];
  for (const name of [...new Set(names)].slice(0, MOST_NAMES)) {
    const args = { name: name.slice(0, 500), minutes: 60, limit: 10 };
    const { rules } = yield* run.call(explainRule, args);
    blocks.push(
      ...(rules.length === 0
        ? [words.none(code(name))]
        : rules.map((rule) => explained(run, rule))),
    );
  }
  return blocks;
}

function explained(run: TurnRun, rule: ExplainedRule): string {
  const { whyFires: words } = run.words;
  const { measured } = rule;
  const lines = (measured?.series ?? []).slice(0, MOST_SERIES).map(({ labels, value, at }) => {
    const own = Object.entries(labels).filter(([name]) => name !== '__name__');
    const told = own.slice(0, 4).map(([name, text]) => `${name}=${text}`);
    const what = code(told.length === 0 ? (measured?.expr ?? '') : told.join(' '), 200);
    return words.measured(what, plain(value), run.at(at), code(measured?.condition ?? '', 200));
  });
  const isEmpty = measured !== undefined && measured.total === 0;
  return [
    words.rule(code(rule.name), code(rule.expr, 500)),
    '',
    ...(isEmpty ? [words.unmeasured] : lines).map((line) => `- ${line}`),
    `- ${words.holds(rule.holds_total)}`,
    ...(rule.for_seconds > 0 ? [`- ${words.waits(rule.for_seconds)}`] : []),
  ].join('\n');
}
