import type { AlertDetail } from '../../tools/get-alert.tool.js';
import type { SilenceRow } from '../../tools/silence-row.js';
import type { TurnRun } from '../turn-run.js';
import { code, link, linkedId, pair, plain } from './markdown.js';

/** Everything about one alert, as a short list. */
export function alertDetail(run: TurnRun, alert: AlertDetail, position?: number): string {
  const { words } = run;
  const { columns } = words;
  const number = position === undefined ? '' : `#${String(position)} `;
  const severity = alert.severity === undefined ? '' : ` · ${plain(alert.severity)}`;
  const state = words.states[alert.state] ?? alert.state;
  const labels = Object.entries(alert.labels).map(([name, value]) => pair(name, value));
  const urls = linksOf(alert);
  const lines = [
    `${columns.state}: ${state}${quietness(run, alert)}`,
    `${columns.since}: ${run.since(alert.since)}`,
    `${columns.labels}: ${labels.join(' ')}${alert.more_labels === undefined ? '' : ` ${words.moreLabels(alert.more_labels)}`}`,
    ...Object.entries(alert.annotations)
      .filter(([, text]) => link(text) === undefined)
      .map(([name, text]) => `${plain(name, 60)}: ${plain(text, 500)}`),
    alert.receivers.length === 0
      ? ''
      : `${words.receivers}: ${alert.receivers.map((r) => plain(r)).join(', ')}`,
    urls.length === 0 ? '' : `${words.links}: ${urls.join(' · ')}`,
    `${columns.source}: ${plain(alert.source)} (${code(alert.fingerprint)})`,
  ].filter((line) => line !== '');
  return [
    `**${number}${code(alert.name)}**${severity}`,
    '',
    ...lines.map((line) => `- ${line}`),
  ].join('\n');
}

function quietness(run: TurnRun, alert: AlertDetail): string {
  const known = alert.silences.map((silence) => silencedBy(run, silence));
  const shown = new Set(alert.silences.map((silence) => silence.id));
  const other = alert.silenced_by.filter((id) => !shown.has(id)).map((id) => code(id));
  const inhibited =
    alert.inhibited_by.length === 0 ? [] : [run.words.inhibited(alert.inhibited_by.length)];
  const reasons = [...known, ...other, ...inhibited];
  return reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
}

function silencedBy(run: TurnRun, silence: SilenceRow): string {
  return run.words.silencedBy(
    linkedId(silence.id, silence.url),
    plain(silence.comment),
    plain(silence.created_by),
    run.at(silence.ends_at),
  );
}

function linksOf(alert: AlertDetail): readonly string[] {
  const annotations = Object.entries(alert.annotations).flatMap(([name, text]) => {
    const url = link(text);
    return url === undefined ? [] : [`${plain(name, 60)} ${url}`];
  });
  const generator = alert.generator_url === undefined ? undefined : link(alert.generator_url);
  return generator === undefined ? annotations : [...annotations, `generator ${generator}`];
}
