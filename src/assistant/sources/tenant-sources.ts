import type { SourceConfig, TenantConfig } from '../../config/config.types.js';
import type { MuteRights } from '../../domain/call-context.js';
import { Redactor } from '../llm/redactor.js';
import { AlertmanagerSource } from './alertmanager.source.js';
import { N9eSource } from './n9e/n9e.source.js';
import { DemoSource } from './demo.source.js';
import { PrometheusSource } from './prometheus.source.js';
import { Runbooks } from './runbooks.js';
import { SourceError } from './source-error.js';
import type { SourceInfo } from './source-info.js';
import type { Listed, Source } from './source.types.js';

/** What the live sources said, and which of those that were asked failed, or told a part only (`cut`). */
export interface Gathered<T> {
  readonly answers: readonly {
    readonly source: SourceInfo;
    readonly at: number;
    readonly value: T;
    /** Members of an HA source that did not answer; another one did in their place. */
    readonly ailing?: readonly SourceError[];
  }[];
  readonly failures: readonly { readonly source: SourceInfo; readonly error: SourceError }[];
}

export interface SourceHealth extends SourceInfo {
  readonly ok: boolean;
  /** A version or, when not ok, what is wrong; written for the user. */
  readonly text: string;
}

/** What a tenant has beside its sources. */
interface Beside {
  /** Names of the tools that may be used; absent: all. */
  readonly tools?: readonly string[];
  readonly runbooks?: Runbooks;
  /** Knows the tenant's secrets; absent: only what looks like one is hidden. */
  readonly redactor?: Redactor;
}

/** The sources of one tenant. */
export class TenantSources {
  readonly runbooks: Runbooks | undefined;
  /** Takes secrets out of whatever is shown of these sources. */
  readonly redactor: Redactor;

  constructor(
    readonly all: readonly Source[],
    private readonly beside: Beside = {},
  ) {
    this.runbooks = beside.runbooks;
    this.redactor = beside.redactor ?? new Redactor([]);
  }

  /** May this tool that reads be used by the tenant's users? */
  allows(tool: string): boolean {
    return this.beside.tools?.includes(tool) ?? true;
  }

  /**
   * Asks all of `sources` at once. A dead one never hides the others.
   * @throws the signal's reason when that aborts; an error that is not a SourceError (a bug).
   */
  async gather<T>(
    sources: readonly Source[],
    ask: (source: Source, signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<Gathered<T>> {
    signal.throwIfAborted();
    const answers: Gathered<T>['answers'][number][] = [];
    const failures: { source: SourceInfo; error: SourceError }[] = [];
    const settled = await Promise.allSettled(
      sources.map(async (source) => ({ value: await ask(source, signal), at: Date.now() })),
    );
    signal.throwIfAborted();
    settled.forEach((outcome, index) => {
      const { name, type, ailing } = sources[index] as Source;
      const source: SourceInfo = { name, type };
      if (outcome.status === 'fulfilled') {
        const down = ailing?.() ?? [];
        answers.push({ source, ...outcome.value, ...(down.length === 0 ? {} : { ailing: down }) });
        const { value }: { readonly value: unknown } = outcome.value;
        const cut = Array.isArray(value) ? (value as Listed<unknown>).cut : undefined;
        if (cut !== undefined) failures.push({ source, error: cut });
      } else if (outcome.reason instanceof SourceError) {
        failures.push({ source, error: outcome.reason });
      } else throw outcome.reason;
    });
    return { answers, failures };
  }

  async health(signal: AbortSignal): Promise<readonly SourceHealth[]> {
    const { answers, failures } = await this.gather(
      this.all,
      (source, abort) => source.health(abort),
      signal,
    );
    const healths: SourceHealth[] = [
      ...answers.map(({ source, value }) => ({ ...source, ok: true, text: value })),
      ...failures.map(({ source, error }) => ({ ...source, ok: false, text: error.message })),
    ];
    const order = this.all.map((source) => source.name);
    return healths.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  }

  /** As one caller sees them: a user of n9e within their own busi groups, anybody else as they are. */
  seenBy({
    busiGroups,
    mutes,
  }: {
    readonly busiGroups?: readonly number[];
    readonly mutes?: MuteRights;
  }): TenantSources {
    if (busiGroups === undefined) return this;
    return new TenantSources(
      this.all.map((source) =>
        source instanceof N9eSource ? source.narrowedTo(busiGroups, mutes) : source,
      ),
      this.beside,
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.all.map((source) => source.close()), this.runbooks?.close()]);
  }
}

/** Makes the sources that a tenant's config names. Connects to nothing yet. */
export function openSources(
  configs: readonly SourceConfig[],
  {
    tools,
    runbooks,
    redactor,
  }: Pick<TenantConfig, 'tools' | 'runbooks'> & { readonly redactor?: Redactor } = {},
): TenantSources {
  return new TenantSources(configs.map(openSource), {
    ...(tools === undefined ? {} : { tools }),
    ...(runbooks === undefined ? {} : { runbooks: new Runbooks(runbooks) }),
    ...(redactor === undefined ? {} : { redactor }),
  });
}

function openSource(config: SourceConfig): Source {
  switch (config.type) {
    case 'demo':
      return new DemoSource(config.name);
    case 'alertmanager':
      return new AlertmanagerSource({ ...config });
    case 'prometheus':
      return new PrometheusSource({ ...config });
    case 'n9e':
      return new N9eSource(config);
  }
}
