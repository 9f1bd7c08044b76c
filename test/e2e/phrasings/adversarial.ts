import {
  about,
  alerting,
  count,
  groups,
  list,
  type Phrasing,
  silences,
  targets,
  value,
} from './phrasing.js';

/** What strangers asked in words that nobody had thought of: slang, splits, turns of phrase. */
export const ADVERSARIAL: readonly Phrasing[] = [
  () => groups('break the alerts down per region', 'region'),
  () => groups('slice the alerts by env', 'env'),
  () => groups('gimme a tally of alerts, one line per team', 'team'),
  () => groups('how many alerts does each team carry', 'team'),
  () => groups('which region hurts the most', 'region'),
  () => groups('把告警按团队拆分一下', 'team'),
  () => groups('哪个区域最惨', 'region'),
  () => groups('按 app 分组看告警', 'app'),
  (w) => {
    const { severity } = w.some();
    return groups(`list the regions with ${severity} alerts`, 'region', { severity });
  },
  () => silences("what's muted right now, and until when?"),
  () => silences('静默到什么时候'),
  () => silences('who created the silences and when do they end?'),
  (w) => silences(`until when is team ${w.silencedTeam} muted?`, w.silencedTeam),
  (w) => silences(`有没有静默 ${w.silencedTeam} 的规则`, w.silencedTeam),
  () => targets('哪些采及目标挂了'),
  () => targets("which exporters aren't responding"),
  () => value('what is the current value of sum(batch_jobs_stuck)', 'sum(batch_jobs_stuck)'),
  (w) => {
    const { app } = w.some();
    return list(`anything scary going on with ${app}`, { app });
  },
  (w) => {
    const { region } = w.some();
    return list(`what needs my attention in ${region}`, { region });
  },
  (w) => {
    const { team } = w.some();
    return list(`老铁，${team} 那边有情况没`, { team });
  },
  () => list('alerts since 30 minutes', {}, 30),
  (w) => {
    const { severity } = w.some();
    return count(`how many ${severity} alerts`, { severity });
  },
  (w) => {
    const { severity } = w.some();
    return count(`${severity} 的有多少条？`, { severity });
  },
  (w) => {
    const { instance } = w.some();
    return alerting(`anything up with host ${instance}?`, { instance });
  },
  (w) => alerting(`${w.quietHost} 有问题吗`, { instance: w.quietHost }),
  (w) => {
    const { env } = w.shared('env');
    return about(2, list(`${env} 有哪些告警`, { env }), '第二条的标签');
  },
];
