import { SourceError } from '../../sources/source-error.js';
import { plain } from './markdown.js';
import { ENGLISH_SPENT } from '../../spent-words.js';
import { type AlertState, MOST_NAMES, type Words } from './words.js';

const TOPICS: Words['topics'] = {
  alerts:
    'what is firing: "what is firing in prod?", "critical alerts for team=payments since 09:00"',
  count:
    'how many: "how many alerts by severity?", "count critical alerts per cluster", "which team has the most alerts?"',
  detail:
    'one alert: "is HighErrorRate firing?", "details of HighErrorRate", then "tell me more about the second one"',
  silences: 'silences: "list silences", "which alerts are silenced?"',
  query:
    'metrics: "query up", "what is the value of sum(rate(http_requests_total[5m]))", "query up over the last hour", "cpu of web-1 over the last 6 hours"',
  targets: 'scrape targets and rules: "which targets are down?", "list alerting rules"',
  sources: 'the sources: "are all sources healthy?"',
};

const ALL_TOPICS = `${Object.values(TOPICS)
  .map((topic) => `- ${topic}`)
  .join('\n')}

Any label can be a condition: \`name=value\`, "not", "or", "except", a time such as "in the last hour".`;

const ADJECTIVES: Readonly<Record<AlertState, string>> = {
  firing: 'firing',
  active: 'active (not suppressed)',
  suppressed: 'suppressed',
  pending: 'pending',
};

/** A few of many names. */
function together(names: readonly string[]): string {
  const left = names.length - MOST_NAMES;
  const shown = names.slice(0, MOST_NAMES);
  if (left > 0) return `${shown.join(', ')} and ${String(left)} more`;
  return shown.length > 1
    ? `${shown.slice(0, -1).join(', ')} and ${shown.at(-1) ?? ''}`
    : shown.join('');
}

export const ENGLISH_WORDS: Words = {
  language: 'en',
  help: `I answer questions about alerts and metrics. I can answer these:\n\n${ALL_TOPICS}`,
  greeting: `Hello! I answer questions about alerts and metrics, for example:\n\n${ALL_TOPICS}`,
  thanks: 'You are welcome. Ask again any time, for example "what is firing?".',
  unknown: `I did not understand the question, and I do not guess. I can answer these:\n\n${ALL_TOPICS}`,
  topics: TOPICS,
  unsure: (words) =>
    `I did not understand the question: ${words} may change what is asked for, and I do not guess. I can answer, for example:`,
  partUnknown: (text) => `I did not understand the question ${text}, so this part has no answer.`,
  readOnly:
    'I only read: I cannot create, change or delete anything, neither silences nor alerts nor anything else. I can show what is firing, silences, targets, rules and metrics.',
  silencesOnly: (creates, ends) =>
    `I cannot do that. The only things I can change here are silences: I can ${[...(creates ? ['create'] : []), ...(ends ? ['end'] : [])].join(' and ')} them, for example ${creates ? '"silence HighErrorRate for 1h"' : '"expire the silence on HighErrorRate"'}.`,
  capability: {
    triage:
      'a first look at an incident: "triage", "what is going on in prod?", "what fired first?"',
    charts:
      'charts: "plot node_load1 over the last 24 hours", then "and memory?" or "the same for web-2"',
    runbooks: 'runbooks: "show the runbook of HighErrorRate", then "next step"',
    agents: (names) => `other agents: "ask ${names[0] ?? ''} …" (known: ${names.join(', ')})`,
    creates: 'silences: "silence HighErrorRate for 1h", "silence the second one for 30 minutes"',
    ends: 'the end of a silence: "expire the silence on HighErrorRate"',
    changes: 'Silences are all that I change, as the configuration of your team allows it.',
    readsOnly: 'I only read: I change nothing.',
  },
  past: (total, filter, from, to) =>
    `**${String(total)} ${total === 1 ? 'alert was' : 'alerts were'} triggered** from ${from} to ${to}${filter === '' ? '' : ` with ${filter}`}.`,
  noHistory:
    'The sources tell only what is firing now; resolved alerts are not kept there, so I cannot list them.',
  fired: (isEnded, total, times, filter, from, to) =>
    `**${alerts(total)} ${isEnded ? 'ended' : 'fired'}**${isEnded || total === 0 ? '' : `, ${String(times)} ${times === 1 ? 'time' : 'times'} in all,`} from ${from} to ${to}${filter === '' ? '' : ` with ${filter}`}, as Prometheus remembers it.`,
  firedAlready: (total) =>
    `${String(total)} more ${total === 1 ? 'was' : 'were'} firing already when that time began.`,
  firedThen: (total) =>
    `${alerts(total)} fired in that time, ended ones included, as Prometheus remembers it:`,
  noneFired: 'Prometheus remembers no other alert that fired in that time.',
  weekOnly: '⚠ I looked only at the last 7 days of that time.',
  timesFired: 'Times',
  firedAtEnd: 'at the end of that time',
  contradictory:
    'I cannot put these conditions together into one question without guessing what belongs to what. Please ask for each part by itself.',
  tooLong: (characters) =>
    `The question is very long; I read only its first ${String(characters)} characters.`,
  tooLongToRun: (characters) =>
    `**I did nothing**: I read only the first ${String(characters)} characters of a message, and an expression or an order that is cut off says something else. Make it shorter.`,
  noList:
    'I have shown no list in this conversation that this could refer to. Ask "what is firing?" first.',
  whichOne: 'I do not know which one is meant. Say for example "the second one", or its name.',
  demo: '**Demo data**: invented by the built-in demo source, not real alerts.',
  otherLanguage: (lang) => `I speak English and Chinese only, not ${lang}.`,
  badTimezone: (zone) => `The timezone ${zone} is unknown to me; times are in UTC.`,
  badInput: (text) => `I could not do that: ${text}`,
  toolsSpent: ENGLISH_SPENT.tools,

  leadAll: (state, total, suppressed) =>
    total === 0
      ? `**No alert is ${ADJECTIVES[state]}** right now.`
      : `**${alerts(total)} ${be(total)} ${ADJECTIVES[state]}**${ofThem(state, suppressed)}.`,
  leadSome: (state, total, all, suppressed) =>
    `**${String(total)} of ${String(all)} ${ADJECTIVES[state]} ${all === 1 ? 'alert' : 'alerts'} ${total === 1 ? 'matches' : 'match'}**${ofThem(state, suppressed)}.`,
  leadNone: (state, conditions, others) =>
    `**No ${ADJECTIVES[state]} alert matches** ${conditions}. ${
      others === 0
        ? `No other alert is ${ADJECTIVES[state]} either.`
        : `${String(others)} ${others === 1 ? 'other is' : 'others are'} ${ADJECTIVES[state]}.`
    }`,
  alertsThat: (state) => `${ADJECTIVES[state]} alerts`,
  noneSeen: (what, conditions, failures) =>
    `**Not that I can see**: ${failures}. What did answer shows 0 ${what}${conditions === '' ? '' : ` that match ${conditions}`}.`,
  asFarAsSeen: (text, failures) =>
    `${text.replace(/\.$/, '')} in what did answer (not all did: ${failures})`,
  partly: (failures) => `This is only what did answer: ${failures}.`,
  cannotTell: (failures) => `**I cannot tell**: ${failures}.`,
  labelUnseen: (label) => `I cannot count by ${label}: what did answer does not have it.`,
  unrouted: (count, names, routers) =>
    `⚠ **Prometheus fires ${alerts(count)} that ${routers} lacks**: ${names}. Nobody may have been notified.`,
  yes: 'Yes.',
  no: 'No.',
  stillFiring: 'Not resolved: still firing.',
  notFiring: 'It is not firing now.',
  allWell: 'All quiet.',
  notWell: 'Not all is well.',
  near: (values) => `Live values: ${values}.`,
  gone: (name) => `${name} is not firing any more: its source does not list it now.`,
  noPosition: (position, listed) =>
    `The last list had ${String(listed)} ${listed === 1 ? 'row' : 'rows'}: there is no number ${String(position)}.`,
  first: (order, names, since) =>
    names.length > 1
      ? `${order === 'newest' ? 'The newest' : 'Those that fire the longest'} are ${together(names)}, all since ${since}.`
      : `${order === 'newest' ? 'The newest' : 'The one that fires the longest'} is ${together(names)}, since ${since}.`,
  most: (kind, labels, keys, count) =>
    `${kind === 'most' ? 'Most' : 'Fewest'} by ${labels}: ${keys.join(', ')} with ${alerts(count)}${keys.length > 1 ? ' each' : ''}.`,
  noSuchLabel: (label, labels) =>
    `No live alert has a label called ${label}, so I cannot count by it. Live labels: ${labels}.`,
  groupCount: (label, groups, lead) =>
    `**${String(groups)} different ${label}** among the alerts that match. ${lead}`,
  groups: (labels, count) => `${String(count)} different by ${labels}:`,
  without: '(none)',
  more: (count) => `… and ${String(count)} more.`,
  noMore: 'There are no more.',
  moreHint: 'Ask "show more" for the next ones.',
  rulesView:
    'Read from the rules of Prometheus, not from an Alertmanager: silences are unknown here, and times count from when the condition began.',
  alike: (count) =>
    `${alerts(count)} ${count === 1 ? 'has' : 'have'} the same labels in more than one source and ${be(count)} counted in each.`,
  columns: {
    alert: 'Alert',
    severity: 'Severity',
    labels: 'Labels',
    since: 'Since',
    summary: 'Summary',
    state: 'State',
    source: 'Source',
    count: 'Alerts',
    group: 'Routing group',
    matchers: 'Matchers',
    ends: 'Ends',
    silenced: 'Silenced',
    by: 'By',
    comment: 'Comment',
    health: 'Health',
    error: 'Last error',
    lastScrape: 'Last scrape',
    rule: 'Rule',
    expr: 'Expression',
    series: 'Series',
    value: 'Value',
    at: 'At',
    first: 'First',
    firstTime: 'First',
    lastTime: 'Last',
    min: 'Min',
    max: 'Max',
    last: 'Last',
  },
  silenceStates: { active: 'active', pending: 'pending', expired: 'expired' },
  states: {
    active: 'firing',
    suppressed: 'suppressed',
    pending: 'pending',
    firing: 'firing',
    inactive: 'inactive',
    expired: 'expired',
    up: 'up',
    down: 'down',
    unknown: 'unknown',
    any: 'any',
  },
  silencedBy: (silence, comment, by, until) =>
    `silenced by ${silence}, made by ${by} (${comment}), until ${until}`,
  silencedUntil: (until, by, comment) =>
    `until ${until} by ${by}${comment === '' ? '' : `: ${comment}`}`,
  inhibited: (count) => `inhibited by ${String(count)} other ${count === 1 ? 'alert' : 'alerts'}`,
  receivers: 'Receivers',
  links: 'Links',
  moreLabels: (count) => `(+${String(count)})`,

  inOrder: (hours) =>
    `What fired in the last ${String(hours)} hours, in the order in which it began:`,
  quietBefore: (hours) => `No alert fired in the last ${String(hours)} hours.`,
  stillFires: 'still firing',
  ended: (at) => `ended ${at}`,
  about: (at) => `about ${at}`,
  already: (at) => `already at ${at}`,
  againSince: (at, times, over) =>
    `fired ${String(times)} times${over === undefined ? '' : `, ended ${over}`}, again since ${at}`,
  firedTimes: (times) => `fired ${times} times`,
  atLeast: (times) => `at least ${String(times)}`,
  looks: (seconds) =>
    `Times told as “about” are known to ${String(seconds)} s only: shorter stretches and gaps may be missing among them.`,
  firstToFire: (hours, names, told) =>
    `**The first to fire in the last ${String(hours)} hours ${names.length > 1 ? `were ${together(names)}**, at the same time` : `was ${together(names)}**`}: ${told}. Ended ones are included.`,
  endedAt: (name, at, again, isNow) =>
    `**${name} ended at ${at}**${again === undefined ? '' : isNow ? `, and fires again since ${again}` : `, and fired again from ${again} on`}.`,
  notEnded: (name, since) => `**${name} did not end in that time**: it fires since ${since}.`,
  lastEnded: (names, at, again) =>
    `**The last to end ${names.length > 1 ? 'were' : 'was'} ${together(names)}**${names.length > 1 ? ', at the same time' : ''}: ${at}${again ? '; more of it below, for it began again' : ''}.`,
  firesAgain: (names) =>
    `Of these, ${together(names)} ${names.length > 1 ? 'began again and have' : 'began again and has'} not ended since.`,
  firstTime: (name, told) => `**The first time in that period that ${name} fired**: ${told}.`,
  mostOften: (names, times) =>
    `**Most often: ${together(names)}**, ${times} ${times === '1' ? 'time' : 'times'}${names.length > 1 ? ' each' : ''}.`,
  firedAt: (total, filter, at) =>
    `**${alerts(total)} ${total === 1 ? 'was' : 'were'} firing** at ${at}${filter === '' ? '' : ` with ${filter}`}, as Prometheus remembers it.`,
  whyFires: {
    rule: (name, expr) => `The rule ${name} fires while this holds: ${expr}`,
    measured: (name, value, at, condition) =>
      `${name}: **${value}** at ${at}; the threshold is ${condition}`,
    holds: (total) => `It holds for ${String(total)} series now.`,
    unmeasured: 'The expression has no data now.',
    waits: (seconds) => `It fires after it has held for ${String(seconds)} s.`,
    none: (names) => `**I cannot tell why**: no source has the rule of ${names}.`,
  },
  endedUnknown: 'Alerts that have ended since are not known here.',
  affected: (label) => `Affected by ${label}`,
  downTargets: (down, all, names) => `Targets down: ${String(down)} of ${String(all)} (${names})`,
  next: 'What to ask next:',
  nextSteps: ({ alert, host }) => [
    ...(alert === undefined ? [] : [`"details of ${plain(alert, 100)}"`]),
    ...(host === undefined ? [] : [`"cpu of ${plain(host, 100)} over the last 6 hours"`]),
    '"which targets are down?"',
    '"which alerts are silenced?"',
  ],

  silences: (state, total, all, conditions) => {
    const kind = state === 'any' ? '' : `${state} `;
    if (total > 0) {
      const of = conditions === '' ? '' : ` of ${String(all)}`;
      return `**${String(total)}${of} ${kind}${total === 1 && of === '' ? 'silence' : 'silences'}**${conditions === '' ? '' : ` (${conditions})`}:`;
    }
    if (conditions === '') return `**There is no ${kind}silence.**`;
    return `**No ${kind}silence matches** ${conditions}. There ${all === 1 ? 'is' : 'are'} ${String(all)} in all.`;
  },
  runbook: {
    says: (alert, title) => `**The runbook of ${alert}**${title === '' ? '' : ` (${title})`} says:`,
    step: (step, of, alert) =>
      `**Step ${String(step)} of ${String(of)}** of the runbook of ${alert}:`,
    noStep: (step, of) =>
      of === 0
        ? `The runbook has no numbered or listed steps, so there is no step ${String(step)}. It says:`
        : `The runbook has ${String(of)} steps, no step ${String(step)}:`,
    none: (names) => `**No runbook** is linked by ${names}.`,
    noAlert: (conditions) =>
      `**No firing alert matches** ${conditions}, so there is no runbook to read.`,
    unread: (alert, url, reason) =>
      `**I could not read the runbook** of ${alert}, ${url}: ${reason}.`,
    closed: 'pages of that host are not read here',
    several: '**These alerts have different runbooks**; ask for one of them:',
    goesOn: (url) => `The page goes on: ${url}`,
    empty: 'the page has no text',
  },
  targets: ({ total, up, down, unknown, conditions }) =>
    `**${String(down)} of ${String(total)} ${total === 1 ? 'target' : 'targets'} ${down === 1 ? 'is' : 'are'} down**, ${String(up)} up${unknown === 0 ? '' : `, ${String(unknown)} not known yet`}${conditions === '' ? '' : ` (${conditions})`}.`,
  noTarget: (conditions, all) =>
    conditions === ''
      ? '**There are no targets.**'
      : `**No target matches** ${conditions}. There ${be(all)} ${String(all)} in all.`,
  rules: (total, all, conditions) => {
    if (conditions === '') return `**${String(total)} ${total === 1 ? 'rule' : 'rules'}**:`;
    return total === 0
      ? `**No rule matches** ${conditions}. There ${be(all)} ${String(all)} in all.`
      : `**${String(total)} of ${String(all)} rules** (${conditions}):`;
  },
  sources: (ok, all) => `**${String(ok)} of ${String(all)} sources answer**:`,
  noSources: 'No source is configured for this tenant.',
  series: (total) => `**${String(total)} ${total === 1 ? 'series' : 'series'}**:`,
  noSeries: '**No data**: no series matches the expression at that time.',
  noSeriesIn: '**No data**: no series matches the expression in that time.',
  extremeOf: (isHighest, name, value) =>
    `${isHighest ? 'Highest' : 'Lowest'}: ${name} with **${value}**.`,
  scalar: (value) => `**${value}**`,
  went: (name, { last, min, max, lastAt, maxAt, maxAfter }) =>
    `**${name}: ${last}** at ${lastAt}; lowest ${min}, highest ${max} ${maxAfter === undefined ? `at ${maxAt}` : `between ${maxAfter} and ${maxAt}`}.`,
  eachStep: (seconds) =>
    `The figures are of one value each ${step(seconds)}: what was higher or lower in between is not among them. Ask for a shorter time to see it.`,
  everySample: (seconds) =>
    `The line has one value each ${step(seconds)}; lowest, highest and the shade around the line are of every sample in between.`,
  eachBetween: (seconds, each) =>
    `The line has one value each ${step(seconds)}; lowest, highest and the shade around the line are of one each ${step(each)}.`,
  noValues: (total) =>
    `**No data to draw**: ${String(total)} series ${total === 1 ? 'matches' : 'match'}, but without any number in that time.`,
  picture: (file) => `The chart is attached (\`${file}\`); its times are in UTC.`,
  noPicture: (reason) => `There is no picture: ${reason}.`,
  firedMeanwhile: (total) =>
    `${alerts(total)} about the same things fired in that time (shaded in the chart):`,
  stretch: (from, to) => (to === undefined ? `since ${from}` : `${from} to ${to}`),
  firingUnknown: 'Which alerts fired in that time is not known here.',
  metricOf: (metric, hosts) => `${metric} of ${hosts}`,
  noMetric: (metric, looked) =>
    `**I cannot tell ${metric}**: no source has metrics for it that I know (looked for ${looked}). Ask with an expression, for example "plot node_load1 over the last 6 hours".`,
  toCome: '⚠ Part of that time has not come yet: the chart ends now.',
  rangeSaid: {
    table:
      'The table below has the figures of each line; every single value stands in the attachments (the data part or `chart.csv`).',
    future: (texts) =>
      `**That time has not come yet**: ${texts}. There is no value of the future; ask for a time that has begun, for example "over the last 6 hours".`,
    reversed: (texts) =>
      `**That time ends before it begins**: ${texts}. Say the earlier time first, for example "from 11:00 to 12:00".`,
    crosses: (from, to) =>
      `⚠ The time ends at an earlier hour than it begins, so I took it over midnight: from ${from} to ${to}.`,
    cut: (days) =>
      `⚠ That is more than the ${String(days)} days that I draw at once: this is the last ${String(days)} days of it.`,
    unread: (texts) => `⚠ I could not read the time ${texts}: this is the last hour.`,
    step: (text, seconds) =>
      `⚠ The step follows from the range: it is ${step(seconds)} here, ${text} is not used.`,
  },
  noHost: (metric, host, near) =>
    `**No data**: nothing called ${host} has ${metric}.${near === '' ? '' : ` There are: ${near}.`}`,
  notAsked: (left) =>
    `**Not asked**: I did not understand ${left} in a question about a metric, and without it the answer would be another one. A comparison stands right behind the metric's name, what is left out behind "except": "node_load1 > 1 on web-1", "node_load1 except web-1"; or ask with the whole expression: \`node_load1{host!="web-1"} > 1\`.`,
  warning: (text) => `Warning of the source: ${text}`,

  noSource: (what) => `No source of this tenant knows ${what}.`,
  noAnswer: (what) => `**I cannot tell**: no source that knows ${what} answered.`,
  what: {
    alerts: 'alerts',
    silences: 'silences',
    targets: 'targets',
    rules: 'rules',
    metrics: 'metrics',
  },
  missing: (failure) => `⚠ ${failure}. What it knows is missing here.`,
  memberDown: (failure) => `⚠ ${failure}. Another member answered in its place.`,
  failure: (source, fault) => new SourceError(source, fault).message,
  refused: (failures) => `**There is no answer**: ${failures}.`,
  toolRefusal: ({ message }) => message.replace(/^url: /, ''),
  footer: (sources, query, time) => `Source: ${sources} · Query: ${query} · Time: ${time}`,

  understood: (parts) => `Understood as: ${parts.join('; ')}.`,
  task: {
    list: 'list of alerts',
    count: 'number of alerts',
    detail: 'details of an alert',
    silences: 'silences',
    targets: 'scrape targets',
    rules: 'rules',
    query: 'evaluate an expression',
    sources: 'health of the sources',
    help: 'what I can do',
    write: 'a change, which I do not make',
    unknown: 'nothing I know',
    history: 'alerts that fired, ended ones included',
    ended: 'resolved alerts',
    more: 'the next part of the last list',
  },
  countedBy: (labels) => `counted by ${labels}`,
  filter: (conditions) => `filter: ${conditions}`,
  expression: (expr) => `expression: ${expr}`,
  range: (from, to) => `from ${from} to ${to}`,
  instant: (at) => `at ${at}`,
  started: (after, before) =>
    `started ${[after === undefined ? '' : `since ${after}`, before === undefined ? '' : `until ${before}`].filter((p) => p !== '').join(' and ')}`,
  orders: {
    newest: 'newest first',
    oldest: 'oldest first',
    severity: 'worst first',
    name: 'by name',
  },
  threshold: (op, count) =>
    `${op === 'above' ? 'more than' : op === 'below' ? 'fewer than' : op === 'at-least' ? 'at least' : 'at most'} ${String(count)}`,
  limit: (count) => `at most ${String(count)}`,
  or: ' or ',
  not: 'not ',
  contains: (label, text) =>
    label === undefined ? `name, label or text contains ${text}` : `${label} contains ${text}`,
  absent: (label) => `no label ${label}`,
  present: (label) => `any ${label}`,
  anyLabel: 'any label',
  readAs: (typed, readAs) => `${typed} read as ${readAs}`,
  part: (typed, found) => `${typed} is no whole value, read as part of ${found}`,
  otherLabel: (typed, found) => `${typed}: no live label of that kind, read as ${found}`,
  word: (typed, found) => `${typed} read as a word, not as ${found}`,
  nothingExcluded: (typed) => `nothing is excluded by ${typed}: no live alert has it`,
  noSuchAlternative: (typed) => `no live alert has ${typed}`,
  ignored: (words) => `⚠ Not understood, and not used as a condition: ${words}.`,
  inherited: 'conditions of the last question kept',

  reading: (what, sources) => `Reading ${what} from ${sources}`,
  calling: (tool, query) => `${tool}: ${query}`,
  noTool: (tool) => `the tool ${tool} is not open to this team`,
  called: (tool, failed) => `${tool} ${failed ? 'got no answer' : 'answered'}`,
  ago: (milliseconds) => `${span(milliseconds)} ago`,
};

function alerts(count: number): string {
  return `${String(count)} ${count === 1 ? 'alert' : 'alerts'}`;
}

function be(count: number): string {
  return count === 1 ? 'is' : 'are';
}

function ofThem(state: AlertState, suppressed: number): string {
  return state === 'firing' && suppressed > 0
    ? `, ${String(suppressed)} of them suppressed (silenced or inhibited)`
    : '';
}

function step(seconds: number): string {
  if (seconds < 120) return `${String(seconds)} s`;
  return seconds < 3 * 3600
    ? `${String(Math.round(seconds / 60))} min`
    : `${String(Math.round(seconds / 360) / 10)} h`;
}

function span(milliseconds: number): string {
  const minutes = Math.floor(Math.max(0, milliseconds) / 60_000);
  if (minutes < 1) return `${String(Math.floor(Math.max(0, milliseconds) / 1000))} s`;
  if (minutes < 60) return `${String(minutes)} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${String(hours)} h ${String(minutes % 60)} min`;
  return `${String(Math.floor(hours / 24))} d ${String(hours % 24)} h`;
}
