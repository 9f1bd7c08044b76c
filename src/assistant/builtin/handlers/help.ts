import { alertTimeline } from '../../tools/alert-timeline.tool.js';
import { chart } from '../../tools/chart.tool.js';
import { createSilence } from '../../tools/create-silence.tool.js';
import { expireSilence } from '../../tools/expire-silence.tool.js';
import { readRunbook } from '../../tools/read-runbook.tool.js';
import { plain } from '../answer/markdown.js';
import type { Answer, TurnRun } from '../turn-run.js';

const NAMES = 8;

/** What can be asked here: also what only this team has. */
export function answerHelp(run: TurnRun): Answer {
  const { capability, help } = run.words;
  const { writes, agents } = run;
  const creates = writes?.allows(createSilence) === true;
  const ends = writes?.allows(expireSilence) === true;
  const has = (tool: { readonly name: string }): boolean => run.may(tool.name);
  const hasMetrics = run.reads.sources.all.some(({ metrics }) => metrics !== undefined);
  const hasRunbooks = run.reads.sources.runbooks !== undefined && has(readRunbook);
  const names = agents.slice(0, NAMES).map((name) => plain(name, 60));
  const more = [
    ...(has(alertTimeline) ? [capability.triage] : []),
    ...(hasMetrics && has(chart) ? [capability.charts] : []),
    ...(hasRunbooks ? [capability.runbooks] : []),
    ...(names.length > 0 ? [capability.agents(names)] : []),
    ...(creates ? [capability.creates] : []),
    ...(ends ? [capability.ends] : []),
  ];
  return {
    blocks: [
      help,
      ...(more.length === 0 ? [] : [more.map((line) => `- ${line}`).join('\n')]),
      creates || ends ? capability.changes : capability.readsOnly,
    ],
  };
}
