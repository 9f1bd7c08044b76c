import {
  alerting,
  count,
  detail,
  groups,
  help,
  list,
  matching,
  oldest,
  type Phrasing,
  refused,
  says,
  silences,
  followedBy,
  those,
} from './phrasing.js';
import { PAGE_STEPS, type World } from './world.js';

/**
 * Twenty of each language by an engineer on call, about incidents, charts, runbooks and silences;
 * written before the parser was read. Every turn of a conversation counts as one.
 */
export const FOURTH: readonly Phrasing[] = [
  (w) => {
    const { env } = w.shared('env');
    return first(`walk me through the incident in ${env}: what broke first?`, { env });
  },
  () => oldest('which alert started it all?'),
  (w) => {
    const { alertname } = w.some();
    return detail(`how long has ${alertname} been going on?`, alertname);
  },
  (w) => refused(`what else was firing when ${w.some().alertname} started?`),
  () => list('what fired in the last 30 minutes, newest first', {}, 30),
  (w) => {
    const { team } = w.some((alert) => alert.labels.team !== w.silencedTeam);
    return alerting(`is anything still firing for ${team} that isn't silenced?`, { team });
  },
  (w) => runbook(w, (name) => `what does the runbook for ${name} tell me to do?`),
  (w) =>
    followedBy(
      runbook(w, (name) => `what does the runbook for ${name} tell me to do?`),
      says("what's the first step of that runbook?", [PAGE_STEPS[0]], PAGE_STEPS.slice(1)),
    ),
  () =>
    followedBy(
      list('what is firing?'),
      says('read me the runbook of the second one', [...PAGE_STEPS]),
    ),
  (w) => silences(`who silenced the ${w.silencedTeam} alerts and until when?`, w.silencedTeam),
  (w) => help(`mute ${w.some().alertname} until tomorrow 9am`),
  (w) => help(`don't page me about ${w.some().team} for the next two hours`),
  (w) => help(`drop the silence on ${w.silencedTeam}`),
  () => ofTwo('compare the number of criticals in prod and staging'),
  (w) => {
    const { env } = w.shared('env');
    return first(`${env} 这次故障最先报的是哪条`, { env });
  },
  (w) => {
    const { team } = w.shared('team');
    return list(`按时间顺序列一下 ${team} 的告警`, { team });
  },
  (w) => {
    const { alertname } = w.some();
    return detail(`${alertname} 从几点开始的，现在恢复了吗`, alertname);
  },
  () => list('半小时内新冒出来的告警有哪些', {}, 30),
  (w) => {
    const { region } = w.some((alert) => alert.labels.team !== w.silencedTeam);
    return {
      ...count(`除了被静默的，${region} 还有几条告警`, { region }),
      expected: (facts) => ({
        kind: 'count',
        alerts: matching(facts, { region }).filter(({ status }) => status.state === 'active'),
      }),
    };
  },
  (w) => runbook(w, (name) => `${name} 的处理手册怎么说`),
  (w) =>
    followedBy(
      runbook(w, (name) => `${name} 的处理手册怎么说`),
      says('手册第二步是什么', [PAGE_STEPS[1]], [PAGE_STEPS[0]]),
    ),
  () =>
    followedBy(list('现在有哪些告警'), says('第一条的 runbook 里写了什么步骤', [...PAGE_STEPS])),
  (w) => silences(`谁把 ${w.silencedTeam} 的告警静默了，什么时候到期`, w.silencedTeam),
  (w) => help(`把 ${w.some().alertname} 屏蔽到明早九点`),
  (w) => help(`${w.some().team} 的告警两小时内别再打扰我`),
  (w) => help(`撤掉 ${w.silencedTeam} 的静默`),
  () => ofTwo('对比一下 prod 和 staging 的严重告警数量'),
  () => groups('哪个团队告警最多', 'team'),
];

const STUCK = says('draw batch_jobs_stuck for the last 15 minutes', [
  '`batch_jobs_stuck`',
  'app="ledger"',
  'app="mailer"',
  'chart.png',
]);
const LOAD = says('show me a graph of load on edge-41 over the past 3h', [
  '`system_load1{ident="edge-41"}`',
  'Load (1 min) of edge-41: 2.5',
]);
const STUCK_ZH = says('画一下 batch_jobs_stuck 最近十五分钟的走势', [
  '`batch_jobs_stuck`',
  'chart.png',
]);
const LOAD_ZH = says('edge-41 过去三小时的负载曲线', ['`system_load1{ident="edge-41"}`', '2.5']);

/** The same forty's charts: each is a picture to be drawn, so they are asked of one seed only. */
export const FOURTH_CHARTS: readonly Phrasing[] = [
  () =>
    followedBy(
      followedBy(STUCK, says('same for the last hour', ['`batch_jobs_stuck`', 'app="mailer"'])),
      says('now only for app ledger', ['`batch_jobs_stuck{app="ledger"}`'], ['app="mailer"']),
    ),
  () =>
    followedBy(
      followedBy(LOAD, says('and its memory?', ['mem_used_percent{ident="edge-41"}', '61 %'])),
      says('and cpu of edge-42?', ['cpu_usage_active{ident="edge-42"', '17 %'], ['edge-41']),
    ),
  () =>
    followedBy(
      followedBy(STUCK_ZH, says('换成最近一小时', ['`batch_jobs_stuck`', 'app="ledger"'])),
      says('只看 mailer 的', ['`batch_jobs_stuck{app="mailer"}`'], ['app="ledger"']),
    ),
  () =>
    followedBy(
      followedBy(LOAD_ZH, says('内存呢？', ['mem_used_percent{ident="edge-41"}', '61 %'])),
      says('换成 edge-42 看看', ['mem_used_percent{ident="edge-42"}', '38 %'], ['edge-41']),
    ),
];

function runbook(w: World, ask: (alertname: string) => string) {
  const { alertname } = w.some();
  return says(ask(alertname), [alertname, ...PAGE_STEPS, '(runbook)', `/${alertname}`]);
}

/** The one of these that fires the longest. */
function first(text: string, labels: { readonly env: string }) {
  return { ...oldest(text, labels) };
}

function ofTwo(text: string) {
  const shape = those(text, { severity: 'critical' }, ({ labels }) =>
    ['prod', 'staging'].includes(labels['env'] ?? ''),
  );
  return {
    ...shape,
    expected: async (facts: Parameters<typeof shape.expected>[0]) => {
      const found = await shape.expected(facts);
      if (found.kind !== 'alerts') throw new Error('not a list');
      return { kind: 'groups', labels: ['env'], alerts: found.alerts } as const;
    },
  };
}
