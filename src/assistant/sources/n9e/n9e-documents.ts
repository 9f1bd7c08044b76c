import { fingerprintOf } from '../fingerprint.js';
import { asLabels, asList, asOptionalText, asText, type Document } from '../shape.js';
import type {
  Alert,
  BusiGroup,
  Dashboard,
  LabelSet,
  MatchOp,
  PastAlert,
  Rule,
  Silence,
  Target,
} from '../source.types.js';

// Readers of n9e's documents (models/*.go, by their JSON tags). All throw ShapeError. Times there
// are seconds.

/** By n9e's numbers. */
export const SEVERITIES: Readonly<Record<number, string>> = {
  1: 'critical',
  2: 'warning',
  3: 'info',
};

export function readGroup(item: Document): BusiGroup {
  return { id: numberOf(item['id']), name: asText(item['name'], 'name') };
}

/** The group that an event, a rule or a mute belongs to; 0 when it names none. */
export function groupOf(item: Document): number {
  return numberOf(item['group_id']);
}

export function readAlert(event: Document, source: string): Alert {
  const labels = labelsOf(event);
  const url = asOptionalText(event['runbook_url'], 'runbook_url');
  const note = asOptionalText(event['rule_note'], 'rule_note');
  const annotations = asLabels(event['annotations'], 'annotations');
  return {
    source,
    fingerprint: asOptionalText(event['hash'], 'hash') || fingerprintOf(labels),
    labels,
    annotations: withDefaults(annotations, { summary: note, runbook_url: url }),
    state: 'active',
    startsAt: ms(event['first_trigger_time']) || ms(event['trigger_time']),
    silencedBy: [],
    inhibitedBy: [],
    receivers: asList(event['notify_rules'], 'notify_rules').flatMap((rule) => {
      const { name } = (typeof rule === 'object' && rule !== null ? rule : {}) as Document;
      return typeof name === 'string' ? [name] : [];
    }),
  };
}

export function readPastAlert(event: Document, source: string): PastAlert {
  const ended = ms(event['recover_time']);
  return {
    ...readAlert(event, source),
    // An int here, a boolean in the list of those that fire.
    ended: event['is_recovered'] === true || event['is_recovered'] === 1,
    triggeredAt: ms(event['trigger_time']),
    ...(ended > 0 ? { endedAt: ended } : {}),
  };
}

export function readDashboard(board: Document, busiGroup: string): Dashboard {
  return {
    id: numberOf(board['id']),
    name: asText(board['name'], 'name'),
    tags: asOptionalText(board['tags'], 'tags'),
    busiGroup,
  };
}

export function readTarget(item: Document, source: string): Target {
  const up = numberOf(item['target_up']);
  const ident = asText(item['ident'], 'ident');
  const groups = asList(item['group_objs'], 'group_objs').flatMap((one) => {
    const { name } = (typeof one === 'object' && one !== null ? one : {}) as Document;
    return typeof name === 'string' ? [name] : [];
  });
  const own = {
    ident,
    instance: asOptionalText(item['host_ip'], 'host_ip') || ident,
    busigroup: groups.join(','),
  };
  const tags = tagsOf(asList(item['tags'], 'tags'));
  return {
    source,
    labels: withDefaults(tags, own),
    health: up > 0 ? 'up' : 'down',
    scrapeUrl: '',
    lastError: up > 0 ? '' : 'no heartbeat',
    lastScrape: ms(item['beat_time']) || ms(item['update_at']),
  };
}

export function readRule(item: Document, source: string, group: string): Rule {
  const severity = SEVERITIES[numberOf(item['severity'])];
  return {
    source,
    group,
    name: asText(item['name'], 'name'),
    type: 'alerting',
    expr: asOptionalText(item['prom_ql'], 'prom_ql'),
    ...(numberOf(item['disabled']) === 1
      ? {}
      : { state: numberOf(item['cur_event_count']) > 0 ? 'firing' : 'inactive' }),
    forSeconds: numberOf(item['prom_for_duration']),
    labels: asLabels(severity === undefined ? {} : { severity }, 'labels'),
    health: numberOf(item['disabled']) === 1 ? 'disabled' : 'ok',
    lastError: '',
  };
}

/** A mute is what n9e has for a silence. */
export function readMute(item: Document, source: string, now: number): Silence {
  const [startsAt, endsAt] = [ms(item['btime']), ms(item['etime'])];
  const isPeriodic = numberOf(item['mute_time_type']) === 1;
  const isOff = numberOf(item['disabled']) === 1;
  const isOver = !isPeriodic && endsAt <= now;
  return {
    source,
    id: String(numberOf(item['id'])),
    state: isOff || isOver ? 'expired' : !isPeriodic && startsAt > now ? 'pending' : 'active',
    matchers: asList(item['tags'], 'tags').map(readMatcher),
    createdBy: asOptionalText(item['create_by'], 'create_by'),
    comment: [item['note'], item['cause'], isPeriodic ? 'periodic' : '']
      .filter((text): text is string => typeof text === 'string' && text !== '')
      .join(': '),
    startsAt,
    endsAt,
  };
}

function readMatcher(item: unknown): Silence['matchers'][number] {
  const tag = (typeof item === 'object' && item !== null ? item : {}) as Document;
  const texts = (Array.isArray(tag['value']) ? tag['value'] : [tag['value']]).map((one) =>
    typeof one === 'string' || typeof one === 'number' ? String(one) : '',
  );
  const whole = texts.join(' ');
  const any = whole
    .split(/\s+/)
    .map((text) => text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&'))
    .join('|');
  const OPS: Readonly<Record<string, readonly [MatchOp, string]>> = {
    '==': ['=', whole],
    '!=': ['!=', whole],
    '=~': ['=~', whole],
    '!~': ['!~', whole],
    in: ['=~', any],
    'not in': ['!~', any],
  };
  const func = asOptionalText(tag['func'], 'tag.func');
  const [op, value] = OPS[func] ?? ['=', whole];
  return { name: asText(tag['key'], 'tag.key'), op, value };
}

/** The tags that n9e itself knows of an event: what its mutes are about. */
export function tagsOfEvent(event: Document): LabelSet {
  const map = event['tags_map'];
  return typeof map === 'object' && map !== null
    ? asLabels(map, 'tags_map')
    : tagsOf(asList(event['tags'], 'tags'));
}

function labelsOf(event: Document): LabelSet {
  return withDefaults(tagsOfEvent(event), {
    alertname: asText(event['rule_name'], 'rule_name'),
    severity: SEVERITIES[numberOf(event['severity'])] ?? '',
    busigroup: asOptionalText(event['group_name'], 'group_name'),
    ident: asOptionalText(event['target_ident'], 'target_ident'),
  });
}

/** `k=v`; what has no `=` is a tag without a value. */
function tagsOf(tags: readonly unknown[]): LabelSet {
  const labels = Object.create(null) as Record<string, string>;
  for (const tag of tags) {
    const text = asText(tag, 'tag');
    const at = text.indexOf('=');
    labels[at < 0 ? text : text.slice(0, at)] = at < 0 ? '' : text.slice(at + 1);
  }
  return labels;
}

function withDefaults(labels: LabelSet, defaults: Readonly<Record<string, string>>): LabelSet {
  const all = Object.assign(Object.create(null) as Record<string, string>, labels);
  for (const [name, value] of Object.entries(defaults)) {
    if (value !== '' && all[name] === undefined) all[name] = value;
  }
  return all;
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function ms(seconds: unknown): number {
  return numberOf(seconds) * 1000;
}
