import {
  about,
  alerting,
  count,
  detail,
  groups,
  help,
  list,
  matching,
  oldest,
  silences,
  targets,
  those,
  value,
  type Phrasing,
} from './phrasing.js';

/** Written by a stranger who had read the README only; judged by reading the answers. */
export const THIRD_CHINESE: readonly Phrasing[] = [
  () => list('现在啥在报警'),
  (w) => {
    const { region } = w.some((a) => a.labels.severity === 'critical');
    return list(`${region} 那边有没有严重的告警`, { region, severity: 'critical' });
  },
  (w) => {
    const { app } = w.some();
    return list(`麻烦帮我看下 ${app} 有什么问题`, { app });
  },
  (w) => {
    const { namespace } = w.some((a) => a.labels.severity === 'warning');
    return those(
      `${namespace} 集群除了 warning 以外的告警都列出来`,
      { namespace },
      ({ labels }) => labels['severity'] !== 'warning',
    );
  },
  () => list('过去一小时新触发的告警', {}, 60),
  () =>
    those('今天早上9点以后触发了哪些告警', {}, ({ startsAt }, { now }) => {
      return Date.parse(startsAt) >= new Date(now).setUTCHours(9, 0, 0, 0);
    }),
  (w) => {
    const { team } = w.some();
    return list(`${team} 团队名下的告警`, { team });
  },
  () => count('一共多少条 critical', { severity: 'critical' }),
  () => groups('每个 region 各有多少告警', 'region'),
  () => groups('按 team 统计一下严重告警的数量', 'team', { severity: 'critical' }),
  () => groups('哪个服务告警最多', 'app'),
  (w) => {
    const { instance } = w.some();
    return alerting(`${instance} 还活着吗，有没有告警`, { instance });
  },
  (w) => {
    const { app } = w.some();
    return alerting(`${app} 现在正常吗`, { app });
  },
  (w) => {
    const { alertname } = w.some();
    return detail(`${alertname} 是怎么回事，给个详情`, alertname);
  },
  (w) => {
    const { alertname } = w.some();
    return detail(`${alertname} 什么时候开始的`, alertname);
  },
  (w) => {
    const { region } = w.some((a) => a.labels.severity === 'critical');
    return those(
      `不要 critical，只看 ${region} 的`,
      { region },
      ({ labels }) => labels['severity'] !== 'critical',
    );
  },
  () => oldest('最老的一条告警是哪个'),
  () => silences('谁静默了什么'),
  (w) => {
    const { alertname } = w.some((a) => a.labels.team !== w.silencedTeam);
    return silences(`${alertname} 被静默了吗`, alertname);
  },
  () => targets('有哪些 target 掉线了'),
  () => targets('batch 的采集目标都正常吗'),
  () => value('跑个 promql：count(up == 0)', 'count(up == 0)'),
  () => value('查一下 up{job="batch"} 现在的值', 'up{job="batch"}'),
  () => list('机柜 A12 的告警有吗', { rack: 'A12' }),
  () => help('你都会干什么呀'),
  (w) => {
    const { app } = w.shared('app');
    const { region } = w.some((a) => a.labels.app === app);
    return those(
      `${app} 的告警，但不包括 ${region}`,
      { app },
      ({ labels }) => labels['region'] !== region,
    );
  },
  (w) => {
    const { region } = w.some((a) => a.ageMinutes < 30);
    const text = `近30分钟 ${region} 有几条告靖`;
    return {
      text,
      expected: (facts) => ({ kind: 'count', alerts: matching(facts, { region }, 30) }),
    };
  },
  () => list('P1 级别的有吗', { severity: 'P1' }),
  (w) => {
    const { app } = w.shared('app');
    return about(2, list(`列一下 ${app} 的告警`, { app }), '第二条展开说说');
  },
  (w) => {
    const { region } = w.some((a) => a.labels.severity === 'critical');
    const only = count('其中严重的有几个', { region, severity: 'critical' });
    const first = list(`${region} 现在有哪些告警`, { region });
    return { ...only, after: { question: first, nth: 0 } };
  },
];
