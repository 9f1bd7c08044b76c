import { isDeepStrictEqual } from 'node:util';
import { metrics } from '../../metrics/metrics.js';
import { Logger } from '@nestjs/common';
import type { WritesConfig } from '../../config/config.types.js';
import type { JsonObject } from '../../domain/a2a.js';
import type { Frame, Turn } from '../assistant-backend.js';
import { isTimezone, showInstant } from '../builtin/time/zoned.js';
import { SourceReads } from '../tools/source-reads.js';
import { ToolInputError } from '../tools/tool-input-error.js';
import { cleanText } from '../sources/clean-text.js';
import type { TenantSources } from '../sources/tenant-sources.js';
import { judge, type Verdict } from './policy.js';
import { lookBack } from './look-back.js';
import type { Asking, Deed, Looked, OperatorAnswer, WriteDesk, WriteNote } from './write-desk.js';
import { documentOf, type PlanDocument, type PlanOwner, type WritePlan } from './write-plan.js';
import type { WriteContext, WriteTool } from './write-tool.js';
import { writeWordsFor, type WriteWords } from './write-words.js';

/** An approval holds for so long (design 5.7). */
export const APPROVAL_MS = 30 * 60_000;
const OPERATOR_SECONDS = 120;
const DETAIL_CHARS = 500;
/** How the audit says what operators said. */
const DECIDED: Readonly<Record<OperatorAnswer['decision'], WriteNote['outcome']>> = {
  approved: 'ok',
  refused: 'REFUSED',
  expired: 'EXPIRED',
  full: 'QUOTA',
};
const CAME_OF_IT: Readonly<Record<Deed['outcome'], WriteNote['outcome']>> = {
  done: 'ok',
  before: 'ok',
  refused: 'REFUSED',
  rejected: 'REFUSED',
  // What it did until then is its own to tell.
  failed: 'UNKNOWN',
  unknown: 'UNKNOWN',
};

export interface WriteScene {
  readonly turn: Turn;
  readonly sources: TenantSources;
  readonly writes: WritesConfig | undefined;
  readonly desk: WriteDesk | undefined;
  readonly signal: AbortSignal;
  readonly now: number;
}

/** How a write went on. */
export type Carried =
  /** The turn must end with this question. */
  | { readonly kind: 'asks'; readonly frame: Asking }
  /** It is settled one way or the other; `text` is for the user. */
  | { readonly kind: 'told'; readonly text: string; readonly outcome: Deed['outcome'] };

/** How a turn ends with it, where nobody says more. */
export function endingOf(carried: Carried): Frame {
  if (carried.kind === 'asks') return carried.frame;
  const { outcome, text } = carried;
  switch (outcome) {
    case 'unknown':
    case 'failed':
      return { kind: 'fail', reason: text };
    case 'rejected':
      return { kind: 'reject', reason: text };
    case 'done':
    case 'refused':
    case 'before':
      return { kind: 'content', text };
  }
}

/** The writes of one turn: plans them, asks whoever has to be asked, carries out what may be. */
export class TurnWrites {
  readonly words: WriteWords;
  private readonly journal = new Logger('Writes');
  private calls = 0;

  constructor(private readonly scene: WriteScene) {
    const { lang, text, answering } = scene.turn;
    // A bare yes says nothing about the language of the talk; the question does.
    this.words = writeWordsFor(lang, answering?.question ?? text);
  }

  /** Does the config know this tool at all? One that is denied is not even offered. */
  allows(tool: WriteTool): boolean {
    const rule = this.scene.writes?.[tool.name];
    return this.scene.desk !== undefined && rule !== undefined && rule.policy !== 'deny';
  }

  /** @throws ToolInputError for arguments that cannot be planned; the signal's reason. */
  async *propose(tool: WriteTool, args: unknown): AsyncGenerator<Frame, Carried> {
    const { desk, now } = this.scene;
    if (desk === undefined || !this.allows(tool)) return this.denied('off');
    const before = await this.recall(tool, desk);
    if (before !== undefined) return this.told('before', this.words.before(before));
    // A proposal shows what was read for its plan.
    const ctx = this.context();
    const plan = await this.plan(tool, args, ctx);
    const verdict = this.judge(tool, plan.args);
    const proposed = verdict.how === 'deny' ? 'PERMISSION_DENIED' : 'ok';
    this.log(tool, `proposed (${verdict.how})`, plan, { step: 'propose', outcome: proposed });
    switch (verdict.how) {
      case 'deny':
        return this.denied(verdict.why, verdict.longest);
      case 'ask-caller': {
        const expires = now + APPROVAL_MS;
        const document = documentOf(plan, this.owner(), expires, verdict.exact);
        return { kind: 'asks', frame: await this.ask(tool, document, expires, '', ctx) };
      }
      case 'ask-operator':
        return yield* this.askOperator(tool, plan, desk);
      case 'auto':
        return yield* this.perform(tool, plan, desk);
    }
  }

  /** @throws ToolInputError for arguments that cannot be planned, or be shown whole; the signal's reason. */
  async plan(tool: WriteTool, args: unknown, ctx = this.context()): Promise<WritePlan> {
    const plan = await tool.plan(args, ctx, this.scene.signal);
    // Whoever decides must see all of it, and no secret is shown; what a remote is asked are the user's own words.
    const shown =
      tool.follow === undefined ? this.scene.sources.redactor.hideIn(plan.args) : plan.args;
    if (!isDeepStrictEqual(shown, plan.args)) throw new ToolInputError({ code: 'holds_secret' });
    return plan;
  }

  /** The question again, as it was. */
  async ask(
    tool: WriteTool,
    document: PlanDocument,
    expires = Date.parse(document.expires_at),
    before = '',
    ctx = this.context(),
  ): Promise<Extract<Frame, { kind: 'input_required' }>> {
    const { count: affected, away } = await tool.affected(document.args, ctx, this.scene.signal);
    const question = this.words.question({
      lines: tool.tell(document.args, this.words, (time) => this.at(time)),
      affected,
      away,
      until: this.at(expires),
      code: document.code,
    });
    metrics.approvals.inc({ approver: 'user', outcome: 'asked' });
    return {
      kind: 'input_required',
      expects: 'approval',
      question: before === '' ? question : `${before}\n\n${question}`,
      plan: document as unknown as JsonObject,
    };
  }

  /** Carries out what its user has approved, if the config still lets the user decide that. */
  async *approved(tool: WriteTool, document: PlanDocument): AsyncGenerator<Frame, Carried> {
    const { desk } = this.scene;
    if (desk === undefined) return this.denied('off');
    const before = await this.recall(tool, desk);
    if (before !== undefined) return this.told('before', this.words.before(before));
    const verdict = this.judge(tool, document.args);
    const outgrown = { step: 'effect', outcome: 'PERMISSION_DENIED' } as const;
    if (verdict.how === 'deny') {
      this.log(tool, 'not allowed any more', document, outgrown);
      return this.denied(verdict.why, verdict.longest);
    }
    // The config was changed meanwhile: now somebody else decides, or an exact phrase is wanted.
    const isWeaker =
      verdict.how === 'ask-operator' ||
      (verdict.how === 'ask-caller' && verdict.exact && document.code === undefined);
    if (isWeaker) {
      this.log(tool, 'not for its user to decide any more', document, outgrown);
      return this.told('refused', this.words.lapsed);
    }
    return yield* this.perform(tool, document, desk);
  }

  /** See AssistantBackend.lookBack. */
  async lookBack(
    begun: readonly WritePlan[],
    tools: readonly WriteTool[],
  ): Promise<readonly Looked[]> {
    const at = (time: number): string => this.at(time);
    const looked = await lookBack(begun, tools, { ctx: this.context(), words: this.words, at });
    for (const [n, plan] of begun.entries()) {
      const came = looked[n]?.outcome ?? 'unknown';
      const tool = tools.find(({ name }) => name === plan.tool) ?? plan.tool;
      this.log(tool, `looked for: ${came}`, plan, { step: 'effect', outcome: CAME_OF_IT[came] });
    }
    return looked;
  }

  /**
   * Into the log and the tenant's audit.
   * @param about by its name alone: a tool that is not offered any more.
   */
  log(
    about: WriteTool | string,
    what: string,
    { summary }: Pick<WritePlan, 'summary'>,
    note: Pick<WriteNote, 'step' | 'outcome'>,
  ): void {
    const { tenant, user, taskId } = this.scene.turn;
    const isOurs = typeof about !== 'string' && about.follow === undefined;
    const tool = typeof about === 'string' ? about : about.name;
    this.journal.log({ msg: `write ${what}`, tool, tenant, user, taskId });
    this.journal.debug({ msg: `write ${what}`, summary, taskId });
    // What a remote is asked is a text of the user's.
    const shown = isOurs ? `: ${cleanText(summary, DETAIL_CHARS)}` : '';
    this.scene.desk?.note({ ...note, detail: `${tool} ${what}${shown}` });
  }

  told(outcome: Deed['outcome'], text: string): Carried {
    return { kind: 'told', outcome, text };
  }

  owner(): PlanOwner {
    const { tenant, user, taskId } = this.scene.turn;
    return { tenant, user, taskId };
  }

  private judge(tool: WriteTool, args: JsonObject): Verdict {
    return judge(this.scene.writes?.[tool.name], tool.factsOf(args));
  }

  private denied(why: 'off' | 'scope' | 'danger', longest?: number): Carried {
    const { denied, deniedFor } = this.words;
    return this.told('refused', longest === undefined ? denied[why] : deniedFor(longest));
  }

  private async *askOperator(
    tool: WriteTool,
    plan: WritePlan,
    desk: WriteDesk,
  ): AsyncGenerator<Frame, Carried> {
    yield { kind: 'step', text: this.words.waiting(OPERATOR_SECONDS) };
    const { hash } = documentOf(plan, this.owner(), this.scene.now, false);
    const request = { tool: plan.tool, summary: plan.summary, hash };
    const answer = await desk.askOperator(request, this.scene.signal);
    const by = 'by' in answer ? answer.by : '';
    const who = by === '' ? 'no operator' : `operator ${by}`;
    const outcome = DECIDED[answer.decision];
    this.log(tool, `${answer.decision} by ${who}`, plan, { step: 'decide', outcome });
    const said = this.words.operator(answer.decision, by);
    if (answer.decision !== 'approved') return this.told('refused', said);
    const carried = yield* this.perform(tool, plan, desk);
    if (carried.kind === 'told') return { ...carried, text: `${said} ${carried.text}` };
    const { frame } = carried;
    return { kind: 'asks', frame: { ...frame, question: `${said} ${frame.question}` } };
  }

  private async *perform(
    tool: WriteTool,
    { args, summary }: Pick<WritePlan, 'args' | 'summary'>,
    desk: WriteDesk,
  ): AsyncGenerator<Frame, Carried> {
    yield { kind: 'step', text: this.words.doing(tool.name) };
    const { turn, signal } = this.scene;
    const deed =
      tool.follow === undefined
        ? await desk.once(summary, () => tool.carryOut(args, this.context(), this.words), {
            ...{ tool: tool.name, args },
          })
        : yield* tool.follow(
            args,
            { turn, desk: desk.calls, signal },
            turn.answering?.question ?? turn.text,
          );
    const outcome = CAME_OF_IT[deed.outcome];
    this.log(tool, deed.outcome, { summary }, { step: 'effect', outcome });
    const text = deed.outcome === 'before' ? this.words.before(deed.text) : deed.text;
    this.calls += 1;
    yield {
      kind: 'step',
      text: `${tool.name}: ${deed.outcome}`,
      tool: {
        callId: `write-${String(this.calls)}`,
        name: tool.name,
        outcome: deed.outcome === 'done' || deed.outcome === 'before' ? 'success' : 'failed',
        output: JSON.stringify({ plan: args, outcome: deed.outcome, text }),
      },
    };
    return deed.outcome === 'done' && deed.asks !== undefined
      ? { kind: 'asks', frame: deed.asks }
      : this.told(deed.outcome, text);
  }

  /** What an earlier attempt did; a call of a remote finds that out by itself. */
  private async recall(tool: WriteTool, desk: WriteDesk): Promise<string | undefined> {
    return tool.follow === undefined ? desk.recall() : undefined;
  }

  private context(): WriteContext {
    // Read anew: what was read before an approval may be old.
    const reads = new SourceReads(this.scene.sources);
    return { reads, owner: this.owner(), now: this.scene.now };
  }

  private at(time: number): string {
    const { timezone } = this.scene.turn;
    return showInstant(time, timezone !== undefined && isTimezone(timezone) ? timezone : 'UTC');
  }
}
