import {
  about,
  alerting,
  count,
  detail,
  groups,
  help,
  list,
  oldest,
  silences,
  targets,
  those,
  value,
  type Phrasing,
} from './phrasing.js';

/** Written by a stranger who had read the README only; judged by reading the answers. */
export const THIRD_ENGLISH: readonly Phrasing[] = [
  () => list('yo anything red right now?', { severity: 'critical' }),
  (w) => {
    const { region } = w.some();
    return list(`whats paging in ${region}`, { region });
  },
  (w) => {
    const { app } = w.some((a) => a.labels.severity === 'critical');
    return list(`pls show me only the criticals for ${app}`, { app, severity: 'critical' });
  },
  (w) => {
    const { app } = w.some();
    return list(`hey can you tell me what's broken with ${app} at the moment`, { app });
  },
  (w) => {
    const { namespace } = w.some((a) => a.labels.severity === 'warning');
    return those(
      `show everything on ${namespace} except warnings`,
      { namespace },
      ({ labels }) => labels['severity'] !== 'warning',
    );
  },
  (w) => {
    const { region } = w.some((a) => a.labels.severity === 'warning' && a.ageMinutes < 120);
    return list(`any warnigs in ${region} since 2h ago?`, { region, severity: 'warning' }, 120);
  },
  (w) => {
    const { team } = w.shared('team');
    return list(`alerts owned by team ${team}, newest first`, { team });
  },
  () => count('how many crits do we have', { severity: 'critical' }),
  () => groups('alert counts per region please', 'region'),
  () => groups('break down the active alerts by team and severity', ['team', 'severity']),
  () => groups('which service has the most alerts?', 'app'),
  (w) => {
    const { instance } = w.some();
    return list(`is ${instance} ok or is it screaming`, { instance });
  },
  (w) => {
    const { app } = w.some();
    return alerting(`is anything wrong with ${app}?`, { app });
  },
  (w) => {
    const { alertname } = w.some();
    return detail(`what's going on with ${alertname}`, alertname);
  },
  (w) => {
    const { alertname, instance } = w.some();
    return detail(`tell me more about ${alertname} on ${instance}`, alertname);
  },
  (w) => {
    const { alertname } = w.some();
    return detail(`when did ${alertname} start`, alertname);
  },
  (w) => {
    const { namespace } = w.some((a) => a.labels.severity === 'critical');
    return those(
      `anything not critical in ${namespace}?`,
      { namespace },
      ({ labels }) => labels['severity'] !== 'critical',
    );
  },
  () => list('stuff that started firing in the past 30 min', {}, 30),
  () =>
    those('what fired since 09:00', {}, ({ startsAt }, { now }) => {
      return Date.parse(startsAt) >= new Date(now).setUTCHours(9, 0, 0, 0);
    }),
  () => oldest('oldest alert still open?'),
  () => silences("what's muted right now and who muted it"),
  (w) => {
    const { alertname } = w.some((a) => a.labels.team === w.silencedTeam);
    return silences(`is ${alertname} silenced?`, w.silencedTeam);
  },
  () => targets('which scrape targets r down'),
  () => targets('is everything up in job batch?'),
  () => value('run promql: sum by (job) (up)', 'sum by (job) (up)'),
  () => value('whats the value of up == 0 right now', 'up == 0'),
  () => list('datacenter=zz9 alerts', { datacenter: 'zz9' }),
  () => help('what the hell can you do for me'),
  (w) => {
    const { region } = w.shared('region');
    return about(2, list(`list alerts in ${region}`, { region }), 'ok and the second one?');
  },
  (w) => {
    const { app } = w.some((a) => a.labels.severity === 'critical');
    const only = list('only criticals', { app, severity: 'critical' });
    return { ...only, after: { question: list(`firing for ${app}?`, { app }), nth: 0 } };
  },
];
