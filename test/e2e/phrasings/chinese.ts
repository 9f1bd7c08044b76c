import {
  about,
  alerting,
  count,
  detail,
  groups,
  inZone,
  list,
  matching,
  type Phrasing,
  rules,
  silences,
  targets,
  value,
} from './phrasing.js';
import type { SetAlert } from './world.js';

const SEVERITY: Readonly<Record<string, string>> = { critical: '严重', warning: '警告' };
const named = ({ labels }: SetAlert): boolean => labels.severity in SEVERITY;

/** The same in Chinese, with homophones for typos, and English words in between. */
export const CHINESE: readonly Phrasing[] = [
  () => list('现在有啥告警'),
  (w) => {
    const { severity, env } = w.some(named);
    return list(`帮我看下 ${env} 环境的${SEVERITY[severity]!}告警`, { severity, env });
  },
  (w) => {
    const { team } = w.some((a) => a.ageMinutes < 60);
    return list(`${team} 团队最近一小时的告警`, { team }, 60);
  },
  (w) => {
    const { group } = w.some();
    return list(`查看 ${group} 业务组当前正在告警的事件`, { group });
  },
  (w) => {
    const { region, app, severity } = w.some();
    const text = `${region} 里 ${app} 有哪些 ${severity} 告警`;
    return list(text, { region, app, severity });
  },
  (w) => {
    const { namespace } = w.some();
    return list(`请问命名空间 ${namespace} 目前有哪些告警正在触发？`, { namespace });
  },
  () => list('最近30分钟新增的告警', {}, 30),
  (w) => {
    const { env } = w.some((a) => a.ageMinutes < 120);
    return list(`过去两小时 ${env} 的告警`, { env }, 120);
  },
  (w) => {
    const { team, severity } = w.some((a) => a.labels.severity === 'critical');
    return list(`${team} 的严中告警`, { team, severity });
  },
  () => list('最进一小时有哪些告景', {}, 60),
  (w) => {
    const { team, severity } = w.some();
    return list(`team=${team} 且 severity=${severity} 的告警`, { team, severity });
  },
  (w) => {
    const { env } = w.some();
    const expected = inZone('UTC', {
      text: `今天 ${env} 的告警`,
      expected: (facts) => {
        const minutes = (facts.now % 86_400_000) / 60_000;
        return { kind: 'alerts', alerts: matching(facts, { env }, minutes) };
      },
    });
    return expected;
  },
  () => groups('按团队统计告警数量', 'team'),
  () => groups('按 region 统计一下告警', 'region'),
  (w) => {
    const { env } = w.some();
    return count(`${env} 现在一共有多少条告警`, { env });
  },
  () => groups('按级别统记告警', 'severity'),
  (w) => {
    const { team, severity } = w.some(named);
    return count(`${team} 有几条${SEVERITY[severity]!}告警？`, { team, severity });
  },
  () => groups('各个 namespace 分别有多少告警', 'namespace'),
  (w) => {
    const { alertname } = w.some();
    return detail(`${alertname} 的详情`, alertname);
  },
  (w) => {
    const { alertname } = w.some();
    const text = `麻烦看一下 ${alertname} 这条告警是什么时候开始的`;
    return inZone('Asia/Shanghai', detail(text, alertname));
  },
  (w) => {
    const { instance } = w.some();
    return alerting(`${instance} 有告警吗`, { instance });
  },
  (w) => {
    const { app, env } = w.some();
    return alerting(`${app} 在 ${env} 有没有在告警`, { app, env });
  },
  (w) => alerting(`${w.quietHost} 在告警吗`, { instance: w.quietHost }),
  () => silences('目前有哪些静默规则'),
  () => targets('哪些监控目标挂了'),
  () => rules('有哪些告警规则'),
  () => value('帮我查一下 sum(batch_jobs_stuck)', 'sum(batch_jobs_stuck)'),
  (w) => {
    const { severity } = w.some(named);
    const first = list(`${SEVERITY[severity]!}告警有哪些`, { severity });
    return about(1, first, '进一步分析其中第一条');
  },
  (w) => {
    const { env } = w.shared('env');
    return about(2, list(`${env} 有哪些告警`, { env }), '第二条是什么情况');
  },
  (w) => {
    const { team, severity } = w.some((a) => a.labels.severity === 'critical');
    return list(`show 一下 ${team} 的 critical alerts`, { team, severity });
  },
];
