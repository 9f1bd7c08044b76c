import { Logger } from '@nestjs/common';
import type { LlmConfig, WritesConfig } from '../../config/config.types.js';
import { metrics, tenantLabel } from '../../metrics/metrics.js';
import type { AssistantBackend, Frame, Meter, Turn } from '../assistant-backend.js';
import { isTimezone } from '../builtin/time/zoned.js';
import { cleanText } from '../sources/clean-text.js';
import type { TenantSources } from '../sources/tenant-sources.js';
import { approvable } from '../remote/approvable.js';
import type { RemoteTool } from '../remote/remote-tool.js';
import type { TenantRemotes } from '../remote/tenant-remotes.js';
import { SourceReads } from '../tools/source-reads.js';
import { toolsOf } from '../tools/tool-registry.js';
import { WRITE_TOOLS } from '../tools/write-registry.js';
import { TurnWrites } from '../writes/carry-out.js';
import type { WriteDesk } from '../writes/write-desk.js';
import { converse } from './converse.js';
import { Fence } from './fence.js';
import { conversationOf } from './history.js';
import type { ModelFault } from './model-fault.js';
import { ModelHttp } from './model-http.js';
import { openModel } from './open-model.js';
import { Redactor } from './redactor.js';
import type { Model } from './sdk-types.js';
import { systemPrompt } from './system-prompt.js';
import { TurnTools } from './turn-tools.js';
import { wordsFor } from './words.js';

/** Earlier turns get this share of the context; the rest is for tools. */
const HISTORY_SHARE = 4;
const RETRY_BASE_MS = 500;

/** How far a turn has come. */
interface Said {
  /** A piece of the answer was shown. */
  any: boolean;
  tools?: TurnTools;
}

export interface LlmBackendOptions {
  readonly config: LlmConfig;
  readonly sources: TenantSources;
  /** Other agents and MCP servers, whose tools are offered as well. */
  readonly remotes?: TenantRemotes;
  /** Every secret that must not reach the model, a frame or a log. */
  readonly secrets: readonly string[];
  /** What the model may propose to change. */
  readonly writes?: WritesConfig;
  /** Answers, with a note, when the model fails. */
  readonly fallback?: AssistantBackend;
  readonly now?: () => number;
  readonly retryBaseMs?: number;
}

/**
 * The assistant behind a language model: a loop over the tools that read, and those that change
 * something as far as the tenant allows them: these only propose. What the model is shown is redacted, fenced and bounded; when it fails, the built-in assistant answers
 * or the task fails with a reason, never with an empty answer.
 */
export class LlmBackend implements AssistantBackend {
  /** What it changes goes through the desk, which does nothing twice. */
  readonly readOnly = true;
  private readonly log = new Logger(LlmBackend.name);
  private readonly http: ModelHttp;
  private readonly model: Model;
  private readonly redactor: Redactor;

  constructor(private readonly options: LlmBackendOptions) {
    this.http = new ModelHttp(options.config.timeoutMs);
    this.model = openModel(options.config, this.http.fetch);
    this.redactor = new Redactor(options.secrets);
  }

  async *run(
    turn: Turn,
    signal: AbortSignal,
    desk?: WriteDesk,
    meter?: Meter,
  ): AsyncIterable<Frame> {
    signal.throwIfAborted();
    const said: Said = { any: false };
    const fault = yield* this.ask(turn, signal, said, desk, meter);
    if (fault !== undefined) yield* this.failed(turn, fault, said, signal, desk, meter);
  }

  /** Ends its connections. */
  close(): Promise<void> {
    return this.http.close();
  }

  private async *ask(
    turn: Turn,
    signal: AbortSignal,
    said: Said,
    desk: WriteDesk | undefined,
    meter: Meter | undefined,
  ): AsyncGenerator<Frame, ModelFault | undefined> {
    // Ends the call and the tools however this generator is left.
    const end = new AbortController();
    const onAbort = (): void => {
      end.abort(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const remoteTools = await this.remoteTools(turn, end.signal);
      const exchange = this.exchange(turn, end.signal, said, desk, meter, remoteTools);
      for (;;) {
        const step = await exchange.next();
        if (step.done === true) return step.value;
        if (step.value.kind === 'content') said.any = true;
        yield step.value;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      end.abort();
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** A user of n9e gets none: what a remote shows cannot be narrowed down to busi groups. */
  private async remoteTools(turn: Turn, signal: AbortSignal): Promise<readonly RemoteTool[]> {
    if (turn.busiGroups !== undefined) return [];
    return (await this.options.remotes?.toolsSoon(signal)) ?? [];
  }

  private exchange(
    turn: Turn,
    signal: AbortSignal,
    said: Said,
    desk: WriteDesk | undefined,
    meter: Meter | undefined,
    remoteTools: readonly RemoteTool[],
  ): ReturnType<typeof converse> {
    const { config, remotes, now = Date.now, retryBaseMs = RETRY_BASE_MS } = this.options;
    const rules = { ...this.options.writes, ...remotes?.rulesOf(remoteTools) };
    const { redactor } = this;
    const sources = this.options.sources.seenBy(turn);
    const fence = new Fence();
    const zone = turn.timezone !== undefined && isTimezone(turn.timezone) ? turn.timezone : 'UTC';
    const budget = Math.floor(config.contextTokens / HISTORY_SHARE);
    const conversation = conversationOf(turn, budget, fence);
    const writes = new TurnWrites({ turn, sources, writes: rules, desk, signal, now: now() });
    const words = wordsFor(turn.lang, turn.text);
    const isFree = ({ readOnly, policy }: RemoteTool): boolean =>
      readOnly || (policy === 'auto' && desk !== undefined);
    const asked = remoteTools.filter((tool) => !isFree(tool)).map(approvable);
    const writeTools = [...WRITE_TOOLS, ...asked].filter((tool) => writes.allows(tool));
    const tools = new TurnTools({
      tools: toolsOf(sources).filter(
        (tool) => sources.all.length === 0 || sources.all.some((source) => tool.needs(source)),
      ),
      remoteTools: remoteTools.filter(isFree),
      scene: { turn, desk: desk?.calls, signal },
      writeTools,
      writes,
      context: { reads: new SourceReads(sources) },
      language: words.language,
      redactor,
      fence,
      signal,
      meter,
      onBug: (tool, error) => {
        const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
        this.log.error(`tool ${tool} failed in task ${turn.taskId}: ${redactor.hide(detail)}`);
      },
    });
    said.tools = tools;
    const { leftOut } = conversation;
    const situation = {
      sources: sources.all,
      writes: writeTools.map(({ name }) => name),
      remotes: remoteTools.map(({ name }) => name),
      missing: turn.busiGroups === undefined ? (remotes?.missing ?? []) : [],
      fence,
      now: now(),
      zone,
      lang: turn.lang,
      leftOut,
    };
    return converse({
      config,
      model: this.model,
      system: systemPrompt(situation),
      conversation,
      tools,
      redactor,
      words,
      retryBaseMs,
      meter,
      onUsage: ({ sent, received, counted }) => {
        meter?.used({ input: sent, output: received });
        const tenant = tenantLabel(turn.tenant);
        metrics.llmTokens.inc({ tenant, direction: 'sent', counted }, sent);
        metrics.llmTokens.inc({ tenant, direction: 'received', counted }, received);
      },
      signal,
    });
  }

  private async *failed(
    turn: Turn,
    fault: ModelFault,
    said: Said,
    signal: AbortSignal,
    desk: WriteDesk | undefined,
    meter: Meter | undefined,
  ): AsyncGenerator<Frame> {
    this.log.warn(
      `the model of tenant ${turn.tenant} failed in task ${turn.taskId}: ${fault.message}`,
    );
    const { words: told } = fault.detail;
    if (told !== undefined) this.log.debug(`it said: ${cleanText(this.redactor.hide(told), 500)}`);
    const words = wordsFor(turn.lang, turn.text);
    const reason = words.reason(fault);
    const { question, unsure, written } = said.tools ?? {};
    if (question !== undefined) {
      yield question;
      return;
    }
    if (unsure !== undefined || written !== undefined) {
      // Nobody else gets this message: it could be carried out a second time.
      if (unsure !== undefined) yield { kind: 'fail', reason: unsure };
      else {
        yield { kind: 'content', text: `${said.any ? '\n\n' : ''}${written ?? ''}\n\n_${reason}_` };
      }
      return;
    }
    const { fallback } = this.options;
    if (fallback === undefined) {
      yield { kind: 'fail', reason };
      return;
    }
    yield { kind: 'content', text: (said.any ? '\n\n' : '') + words.fallback(reason) };
    yield* fallback.run(turn, signal, desk, meter);
  }
}
