import {
  about,
  alerting,
  count,
  detail,
  groups,
  list,
  type Phrasing,
  rules,
  silences,
  targets,
  value,
} from './phrasing.js';

/** As an on-call engineer types them who has read the README, typos included. */
export const ENGLISH: readonly Phrasing[] = [
  () => list('whats firing rn'),
  (w) => {
    const { severity } = w.some();
    return list(`show me the ${severity} alerts`, { severity });
  },
  (w) => {
    const { severity, team } = w.some();
    return list(`${severity} alerts of ${team}`, { severity, team });
  },
  (w) => {
    const { severity, region } = w.some((a) => a.ageMinutes < 60);
    const text = `any ${severity} alerts in ${region} that started in the last hour?`;
    return list(text, { severity, region }, 60);
  },
  (w) => {
    const { app, env } = w.some();
    return list(`alerts with app=${app} and env=${env}`, { app, env });
  },
  (w) => {
    const { namespace } = w.some();
    const text = `Could you please list everything that is currently firing in the ${namespace} namespace?`;
    return list(text, { namespace });
  },
  (w) => {
    const { env } = w.some((a) => a.ageMinutes < 120);
    return list(`which ${env} alerts started in the past 2 hours`, { env }, 120);
  },
  (w) => {
    const { severity, env } = w.some((a) => a.labels.severity === 'critical');
    return list(`critcal alerts in ${env}`, { severity, env });
  },
  (w) => {
    const { severity, team, region } = w.some((a) => a.labels.severity === 'warning');
    return list(`warnign alerts for ${team} in ${region}`, { severity, team, region });
  },
  (w) => {
    const { group } = w.some();
    return list(`${group} group: what is alerting now`, { group });
  },
  (w) => {
    const { severity, team } = w.some();
    const text = `hey, can you tell me what's going on with the ${team} team? only ${severity} please`;
    return list(text, { severity, team });
  },
  (w) => {
    const { severity, group } = w.some();
    const text = `alerts in business group ${group} with severity ${severity}`;
    return list(text, { severity, group });
  },
  () => groups('how many alerts by team?', 'team'),
  (w) => {
    const { severity, env } = w.some();
    return count(`how many ${severity} alerts do we have in ${env}?`, { severity, env });
  },
  (w) => {
    const { env } = w.some();
    return groups(`count alerts per region for ${env}`, 'region', { env });
  },
  () => groups('number of firing alerts by namspace', 'namespace'),
  () => groups('how mny alerts per app', 'app'),
  (w) => {
    const { alertname } = w.some();
    return detail(`details of ${alertname}`, alertname);
  },
  (w) => {
    const { alertname } = w.some();
    return detail(`tell me more about the ${alertname} alert, when did it start?`, alertname);
  },
  (w) => {
    const { instance } = w.some();
    return alerting(`is ${instance} alerting?`, { instance });
  },
  (w) => {
    const { app, region } = w.some();
    return alerting(`is anything firing for ${app} in ${region}?`, { app, region });
  },
  (w) => {
    const { alertname } = w.some();
    return alerting(`is ${alertname} still firing`, { alertname });
  },
  (w) => alerting(`is ${w.quietHost} alerting`, { instance: w.quietHost }),
  () => silences('which silences are active?'),
  (w) => silences(`is anything silenced for ${w.silencedTeam}?`, w.silencedTeam),
  () => targets('wich targets are down'),
  () => rules('list teh alert rules'),
  () => value('query sum(batch_jobs_stuck)', 'sum(batch_jobs_stuck)'),
  (w) => {
    const { severity, env } = w.shared('severity', 'env');
    return about(2, list(`${severity} alerts in ${env}`, { severity, env }), 'the second one');
  },
  (w) => {
    const { team } = w.some();
    return about(1, list(`alerts of team ${team}`, { team }), 'details on the first one pls');
  },
];
