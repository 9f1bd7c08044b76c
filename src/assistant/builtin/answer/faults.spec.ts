import { describe, expect, it } from 'vitest';
import { alertOf, FakeSources, Talk } from '../../../../test/support/fake-sources.js';
import { SourceError, type SourceFault } from '../../sources/source-error.js';
import type { PageFault } from '../../sources/runbooks.js';
import { ToolInputError } from '../../tools/tool-input-error.js';
import type { ToolFault } from '../../tools/tool-fault.js';
import { CHINESE_WORDS } from './words-zh.js';
import { ENGLISH_WORDS } from './words-en.js';

const PROM = { name: 'fake-prom', type: 'prometheus' } as const;
const AWAY = new SourceError(PROM, { kind: 'timeout', seconds: 5 });
const TOOL_FAULTS: { readonly [C in ToolFault['code']]: ToolFault & { readonly code: C } } = {
  no_mutes: { code: 'no_mutes', source: 'night' },
  no_mute_right: { code: 'no_mute_right', source: 'night' },
  end_before_start: { code: 'end_before_start', argument: 'end' },
  too_long: { code: 'too_long', days: 90 },
  no_runbook_host: { code: 'no_runbook_host' },
  not_linked: { code: 'not_linked' },
  page: { code: 'page', fault: { kind: 'http', status: 404 } },
  no_history: { code: 'no_history' },
  no_selector: { code: 'no_selector' },
  pattern: { code: 'pattern', pattern: '(?=x)', isComplex: false },
  silence_unseen: { code: 'silence_unseen', failures: [AWAY] },
  no_silence: { code: 'no_silence', id: 's-77' },
  silence_ended: { code: 'silence_ended' },
  takes_no_silence: { code: 'takes_no_silence' },
  source_takes_no_silence: { code: 'source_takes_no_silence', source: 'x', able: 'am-a, am-b' },
  which_source: { code: 'which_source', able: 'am-a, am-b', failures: [AWAY] },
  hidden_characters: { code: 'hidden_characters' },
  redacted: { code: 'redacted' },
  holds_secret: { code: 'holds_secret' },
  matchers_too_long: { code: 'matchers_too_long', most: 2000 },
  one_end: { code: 'one_end' },
  end_is_past: { code: 'end_is_past' },
  silence_too_long: { code: 'silence_too_long', days: 30 },
  source: { code: 'source', error: AWAY },
};
const PAGE_FAULTS: readonly PageFault[] = [
  ...(['closed', 'redirect', 'no_text', 'late', 'unreachable'] as const).map((kind) => ({ kind })),
  { kind: 'http', status: 503 },
];
const SOURCE_FAULTS: readonly (readonly [SourceFault, RegExp])[] = [
  [{ kind: 'timeout', seconds: 7 }, /7 秒/],
  [{ kind: 'unreachable', code: 'ECONNREFUSED' }, /无法连接（ECONNREFUSED）/],
  [{ kind: 'http', status: 502 }, /返回了 HTTP 502/],
  [{ kind: 'http', status: 401 }, /拒绝了网关的凭据/],
  [{ kind: 'redirect', status: 302 }, /重定向/],
  [{ kind: 'not_json' }, /不是 JSON/],
  [{ kind: 'too_big', bytes: 8_000_000 }, /超过允许的 8000000 字节/],
  [{ kind: 'cut', read: 5000, total: 6200 }, /共有 6200 条，其中 1200 条未读取/],
  [{ kind: 'cut', read: 5000 }, /多于已读取的 5000 条/],
  [
    { kind: 'refused', text: 'query processing would load too many samples' },
    /拒绝了请求：query processing would load too many samples/,
  ],
];

/** Words of English prose: not names, codes, quotations of a source or what stands in a code span. */
function englishIn(text: string): readonly string[] {
  const bare = text
    .replace(/`[^`]*`/g, ' ')
    .replace(/拒绝了请求：[^。；]*/gu, ' ')
    .replace(
      /"[^"]*"|\b(?:Prometheus|fake-prom|HTTP|JSON|UTC|ECONNREFUSED|runbooks\.hosts)\b/g,
      ' ',
    );
  return bare.match(/\b[a-z]{3,}(?: [a-z]{2,})+/gi) ?? [];
}

describe('the reason why a tool refuses', () => {
  const faults: readonly ToolFault[] = [
    ...Object.values(TOOL_FAULTS),
    ...PAGE_FAULTS.map((fault) => ({ code: 'page', fault }) as const),
  ];
  it.each(faults.map((fault) => [JSON.stringify(fault), fault] as const))(
    'should be worded in both languages: %s',
    (_, fault) => {
      const error = new ToolInputError(fault);
      const [english, chinese] = [ENGLISH_WORDS, CHINESE_WORDS].map((w) => w.toolRefusal(error));
      expect(english).toMatch(/^[\x20-\x7e’…]+$/);
      expect(chinese).toMatch(/\p{Script=Han}{2}/u);
      expect(englishIn(chinese ?? '')).toEqual([]);
      for (const number of /\d+/.exec(JSON.stringify(fault)) ?? []) {
        expect(chinese).toContain(number);
        expect(english).toContain(number);
      }
    },
  );
});

describe('the reason why a source did not answer', () => {
  it.each(SOURCE_FAULTS)('should be Chinese in a Chinese answer: %j', async (fault, said) => {
    for (const question of [
      '画一下 web-1 最近 6 小时的负载',
      '查询 up 最近一小时',
      '查询 up',
      '哪些采集目标挂了',
    ]) {
      const facts = new FakeSources({ alerts: [alertOf({ alertname: 'A' })] });
      const down = () => Promise.reject(new SourceError(PROM, fault));
      Object.assign(facts.metrics.metrics ?? {}, { targets: down, query: down, queryRange: down });
      const answer = await new Talk(facts).ask(question);
      expect(answer).toMatch(said);
      expect(englishIn(answer)).toEqual([]);
    }
  });

  it('should be told as a refusal where every source refuses what was asked', async () => {
    const facts = new FakeSources();
    const text = '1:5: parse error: unclosed left parenthesis';
    const refuse = () => Promise.reject(new SourceError(PROM, { kind: 'refused', text }));
    Object.assign(facts.metrics.metrics ?? {}, { query: refuse, queryRange: refuse });
    expect(await new Talk(facts).ask('query sum(up')).toMatch(
      /^\*\*There is no answer\*\*: .*parse error/,
    );
    expect(await new Talk(facts).ask('查询 sum(up')).toMatch(/^\*\*没有结果\*\*：.*parse error/);
  });
});
