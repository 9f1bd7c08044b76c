import type { JsonObject } from '../../../domain/a2a.js';
import { asDocument, asList, asOptionalText, type Document } from '../shape.js';
import { SourceError } from '../source-error.js';
import type {
  BusiGroup,
  MadeSilence,
  NewSilence,
  Silence,
  SilenceScope,
  SilenceWrites,
} from '../source.types.js';
import type { SourceInfo } from '../source-info.js';
import type { N9eApi } from './n9e-api.js';
import { groupOf, readAlert, SEVERITIES, tagsOfEvent } from './n9e-documents.js';
import { literalsOf } from './pattern-literals.js';

type Matcher = Silence['matchers'][number];

/** What a matcher asks for, in n9e's terms: one of these values, exactly. */
interface Exact {
  readonly name: string;
  readonly values: readonly string[];
}

/** What n9e must be told beside the times; kept in the plan that is approved. */
interface MuteScope {
  readonly group_id: number;
  readonly prod: string;
  readonly cate: string;
  readonly datasource_ids: readonly number[];
  readonly severities: readonly number[];
  readonly tags: readonly {
    readonly key: string;
    readonly func: '==' | 'in';
    readonly value: string;
  }[];
}

export interface N9eMutesOptions {
  readonly source: SourceInfo;
  readonly api: N9eApi;
  /** The busi groups in which something may be changed. */
  readonly groups: (signal: AbortSignal) => Promise<readonly BusiGroup[]>;
  /** The events of those groups that fire now. */
  readonly events: (signal: AbortSignal) => Promise<readonly Document[]>;
  readonly now: () => number;
}

const LOOK_MS = 5000;
/** What its columns hold. */
const NOTE_CHARS = 1000;
const CAUSE_CHARS = 200;
const ALL_SEVERITIES = [1, 2, 3] as const;

/**
 * Mutes, which are what n9e has for silences. A mute belongs to one busi group and fits an event of
 * it by datasource, severity and all of its tags; a tag that the event does not have never fits. So
 * one is made from the tags of what fires now, by exact values only, and n9e itself is asked what it
 * would mute. It is ended by being switched off: what somebody else has set up stays to be read.
 */
export class N9eMutes implements SilenceWrites {
  constructor(private readonly options: N9eMutesOptions) {}

  async scope(matchers: readonly Matcher[], signal: AbortSignal): Promise<SilenceScope> {
    const exact = matchers.map(exactOf);
    if (exact.some((one) => one === undefined)) {
      return refused('n9e: only exact values (=) can be muted from here');
    }
    const wanted = exact.filter((one) => one !== undefined);
    const [groups, all] = await Promise.all([
      this.options.groups(signal),
      this.options.events(signal),
    ]);
    const { name } = this.options.source;
    const events = all.filter((event) => {
      const { labels } = readAlert(event, name);
      return wanted.every((one) => one.values.includes(labels[one.name] ?? ''));
    });
    const [first] = events;
    if (first === undefined) {
      return refused('n9e: nothing that fires now fits, so nothing is muted');
    }
    const group = groups.find(({ id }) => id === groupOf(first));
    if (events.some((event) => groupOf(event) !== groupOf(first))) {
      return refused('n9e: a mute belongs to one busi group, and alerts of several fit: name one');
    }
    if (group === undefined) return { refused: 'no_mute_right', isForbidden: true };
    const scope = scopeOf(events, wanted);
    if (typeof scope === 'string') return refused(scope);
    const muted = (await this.preview(scope, signal)).filter((one) => groupOf(one) === group.id);
    if (muted.length === 0) {
      return refused('n9e says that such a mute would mute nothing that fires now');
    }
    return {
      scope: scope as unknown as JsonObject,
      where: `busi group ${group.name}, ${datasourcesOf(scope)}`,
      isBroad: scope.tags.length === 0,
      alerts: muted.map((event) => readAlert(event, name)),
    };
  }

  async create(silence: NewSilence): Promise<string> {
    const scope = silence.scope as unknown as MuteScope | undefined;
    if (scope === undefined) throw new Error('bug: a mute without its scope');
    await this.checkGroup(scope.group_id);
    const body = this.bodyOf(scope, silence);
    const path = `/busi-group/${String(scope.group_id)}/alert-mutes`;
    // Its newer versions answer with the id, older ones with nothing.
    const id = await this.options.api.write('POST', path, body, idOf);
    return id ?? this.found(silence);
  }

  async expire(id: string): Promise<void> {
    const mute = (await this.mutes(AbortSignal.timeout(LOOK_MS))).find((one) => isNamed(one, id));
    // n9e does not look whether a mute is of the group in the path.
    if (mute === undefined) throw this.refusal(`there is no mute ${id} in the busi groups`);
    const path = `/busi-group/${String(groupOf(mute))}/alert-mutes/fields`;
    const body = { ids: [mute['id']], fields: { disabled: 1 } };
    await this.options.api.write('PUT', path, body, () => undefined);
  }

  async mayExpire(id: string, signal: AbortSignal): Promise<boolean> {
    return (await this.mutes(signal)).some((one) => isNamed(one, id));
  }

  async find(silence: NewSilence, signal: AbortSignal): Promise<MadeSilence | undefined> {
    const scope = silence.scope as unknown as MuteScope | undefined;
    const found = (await this.mutes(signal)).find(
      (mute) =>
        groupOf(mute) === scope?.group_id &&
        asOptionalText(mute['note'], 'note') === noteOf(silence) &&
        mute['etime'] === secondsOf(silence.endsAt),
    );
    if (found === undefined) return undefined;
    const hasEnded = found['disabled'] === 1 || silence.endsAt <= this.options.now();
    return { id: String(integerOf(found['id'])), hasEnded };
  }

  /** It was taken: whatever goes wrong from here on, nobody may say that nothing was done. */
  private async found(silence: NewSilence): Promise<string> {
    const made = await this.find(silence, AbortSignal.timeout(LOOK_MS)).catch(() => undefined);
    if (made !== undefined) return made.id;
    const fault = { kind: 'unexpected', what: 'the new mute is not listed' } as const;
    throw new SourceError(this.options.source, fault);
  }

  private async preview(scope: MuteScope, signal: AbortSignal): Promise<readonly Document[]> {
    const now = this.options.now();
    const times = { startsAt: now, endsAt: now + 60_000, createdBy: '', comment: '', matchers: [] };
    const path = `/busi-group/${String(scope.group_id)}/alert-mutes/preview`;
    return this.options.api.ask(path, this.bodyOf(scope, times), documents, signal);
  }

  private bodyOf(scope: MuteScope, silence: NewSilence): JsonObject {
    const { group_id: _group, ...what } = scope;
    return {
      ...(what as unknown as JsonObject),
      note: noteOf(silence),
      cause: silence.comment.slice(0, CAUSE_CHARS),
      btime: secondsOf(silence.startsAt),
      etime: secondsOf(silence.endsAt),
      mute_time_type: 0,
      periodic_mutes: [],
      mute_type: 0,
      disabled: 0,
    };
  }

  /** The plan may be older than the configuration, or than what its user may do. */
  private async checkGroup(id: number): Promise<void> {
    const groups = await this.options
      .groups(AbortSignal.timeout(LOOK_MS))
      .catch((error: unknown): never => {
        // Only a read has failed.
        throw this.refusal(
          error instanceof Error ? error.message : 'its busi groups are not known',
        );
      });
    if (!groups.some((group) => group.id === id)) {
      throw this.refusal('its busi group is none of those that may be changed');
    }
  }

  private async mutes(signal: AbortSignal): Promise<readonly Document[]> {
    const groups = await this.options.groups(signal);
    if (groups.length === 0) return [];
    const ids = new Set(groups.map(({ id }) => id));
    const gids = [...ids].join(',');
    const all = await this.options.api.get('/busi-groups/alert-mutes', { gids }, documents, signal);
    return all.filter((mute) => ids.has(groupOf(mute)));
  }

  private refusal(text: string): SourceError {
    return new SourceError(this.options.source, { kind: 'refused', text });
  }
}

/** The mute of all these events; or why there is none. */
function scopeOf(events: readonly Document[], wanted: readonly Exact[]): MuteScope | string {
  const kinds = new Set(events.map((event) => JSON.stringify(kindOf(event))));
  const [first, ...others] = events.map(kindOf);
  if (first === undefined || kinds.size > 1) {
    return `n9e: alerts of ${String(others.length + 1)} rules of different kinds fit: name one`;
  }
  const tags: MuteScope['tags'][number][] = [];
  const severities = new Set<number>();
  for (const { name, values } of wanted) {
    // Where an event has a tag of that name, the label is that tag.
    const isTag = events.every((event) => tagsOfEvent(event)[name] !== undefined);
    if (!isTag && name === 'severity') {
      for (const value of values) severities.add(numberOfSeverity(value));
      // For n9e 0 means any.
      if (severities.has(0)) return 'n9e: such a severity cannot be muted: name an alert';
      continue;
    }
    // It stands in the path.
    if (!isTag && name === 'busigroup') continue;
    const key = !isTag && name === 'alertname' ? 'rulename' : name;
    const [value = '', ...more] = values;
    if (more.length === 0) tags.push({ key, func: '==', value });
    else if (values.some((one) => /\s/.test(one))) {
      return `n9e: several values of ${name} cannot hold blanks: name one`;
    } else tags.push({ key, func: 'in', value: values.join(' ') });
  }
  return {
    group_id: groupOf(events[0] ?? {}),
    ...first,
    datasource_ids: [...new Set(events.map((event) => integerOf(event['datasource_id'])))].sort(
      (a, b) => a - b,
    ),
    severities: severities.size === 0 ? ALL_SEVERITIES : [...severities].sort((a, b) => a - b),
    tags,
  };
}

function exactOf({ name, op, value }: Matcher): Exact | undefined {
  const values = op === '=' ? [value] : op === '=~' ? literalsOf(value) : undefined;
  // An event without the tag fits no filter of it.
  return values === undefined || values.includes('') ? undefined : { name, values };
}

function kindOf(event: Document): { readonly prod: string; readonly cate: string } {
  return {
    prod: asOptionalText(event['rule_prod'], 'rule_prod'),
    cate: asOptionalText(event['cate'], 'cate'),
  };
}

function datasourcesOf({ datasource_ids: ids }: MuteScope): string {
  const named = ids.filter((id) => id > 0);
  return named.length === 0 ? 'no datasource' : `datasource ${named.join(', ')}`;
}

function numberOfSeverity(value: string): number {
  const found = Object.entries(SEVERITIES).find(([, name]) => name === value);
  return Number(found?.[0] ?? 0);
}

function noteOf({ comment }: NewSilence): string {
  return comment.slice(0, NOTE_CHARS);
}

function idOf(dat: unknown): string | undefined {
  return typeof dat === 'number' && Number.isInteger(dat) && dat > 0 ? String(dat) : undefined;
}

function isNamed(mute: Document, id: string): boolean {
  return String(integerOf(mute['id'])) === id;
}

function integerOf(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) ? value : 0;
}

function documents(dat: unknown): readonly Document[] {
  return asList(dat, 'dat').map((item) => asDocument(item, 'item'));
}

function refused(why: string): SilenceScope {
  return { refused: why };
}

function secondsOf(time: number): number {
  return Math.floor(time / 1000);
}
