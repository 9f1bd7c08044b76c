import type { WritesConfig } from '../../config/config.types.js';
import { decisionOf } from '../../domain/decision.js';
import { metrics } from '../../metrics/metrics.js';
import type { AssistantBackend, Frame, Meter, Turn } from '../assistant-backend.js';
import type { TenantSources } from '../sources/tenant-sources.js';
import { WRITE_TOOLS } from '../tools/write-registry.js';
import { approvable } from '../remote/approvable.js';
import type { TenantRemotes } from '../remote/tenant-remotes.js';
import { TurnWrites, type WriteScene } from './carry-out.js';
import type { Looked, WriteDesk } from './write-desk.js';
import { type BegunWrite, readDocument } from './write-plan.js';
import type { WriteTool } from './write-tool.js';
import { writeWordsFor } from './write-words.js';

export interface GateOptions {
  readonly sources: TenantSources;
  readonly writes: WritesConfig | undefined;
  readonly remotes: TenantRemotes;
  readonly now?: () => number;
}

/**
 * Stands before a backend whose turns may propose writes: an answer to such a proposal is dealt with
 * here, without the backend, so that no model is asked what a yes meant.
 */
export class ApprovalGate implements AssistantBackend {
  readonly readOnly: boolean;

  constructor(
    private readonly inner: AssistantBackend,
    private readonly options: GateOptions,
  ) {
    this.readOnly = inner.readOnly;
  }

  async *run(
    turn: Turn,
    signal: AbortSignal,
    desk?: WriteDesk,
    meter?: Meter,
  ): AsyncIterable<Frame> {
    const { answering } = turn;
    if (answering?.expects !== 'approval' || answering.plan === undefined) {
      if (turn.drops === true) {
        yield { kind: 'content', text: `${writeWordsFor(turn.lang, turn.text).dropped}\n\n` };
      }
      yield* this.inner.run(turn, signal, desk, meter);
      return;
    }
    signal.throwIfAborted();
    const { remotes } = this.options;
    const known = turn.busiGroups === undefined ? await remotes.toolsSoon(signal) : [];
    const tools = [...WRITE_TOOLS, ...known.filter(({ readOnly }) => !readOnly).map(approvable)];
    const writes = { ...this.options.writes, ...remotes.rulesOf(known) };
    const scene = this.scene(turn, writes, signal, desk);
    yield* answer(new TurnWrites(scene), tools, answering.plan, scene.now, turn);
  }

  async lookBack(
    turn: Turn,
    begun: readonly BegunWrite[],
    signal: AbortSignal,
  ): Promise<readonly Looked[]> {
    signal.throwIfAborted();
    const scene = this.scene(turn, this.options.writes, signal);
    return new TurnWrites(scene).lookBack(begun, WRITE_TOOLS);
  }

  private scene(
    turn: Turn,
    writes: WritesConfig | undefined,
    signal: AbortSignal,
    desk?: WriteDesk,
  ): WriteScene {
    const { sources, now = Date.now } = this.options;
    return { turn, sources: sources.seenBy(turn), writes, desk, signal, now: now() };
  }
}

async function* answer(
  writes: TurnWrites,
  tools: readonly WriteTool[],
  plan: NonNullable<Turn['answering']>['plan'],
  now: number,
  turn: Turn,
): AsyncGenerator<Frame> {
  const { words } = writes;
  const document = readDocument(plan, writes.owner());
  const tool = tools.find(({ name }) => name === document?.tool);
  if (document === undefined || tool === undefined) {
    yield { kind: 'content', text: words.invalid };
    return;
  }
  const decision = decisionOf(turn.text, document.code);
  // A repeated attempt goes on with what was approved in time.
  const isLate = turn.attempt === 1 && now >= Date.parse(document.expires_at);
  if (isLate) {
    metrics.approvals.inc({ approver: 'user', outcome: 'expired' });
    writes.log(tool, 'lapsed', document, { step: 'decide', outcome: 'EXPIRED' });
    yield { kind: 'content', text: words.lapsed };
    return;
  }
  if (decision === undefined) {
    yield await writes.ask(tool, document, undefined, words.unclear);
    return;
  }
  const outcome = decision === 'yes' ? 'approved' : 'refused';
  metrics.approvals.inc({ approver: 'user', outcome });
  writes.log(tool, `${outcome} by its user`, document, {
    step: 'decide',
    outcome: decision === 'yes' ? 'ok' : 'REFUSED',
  });
  if (decision === 'no') {
    yield { kind: 'content', text: words.refusedByUser };
    return;
  }
  const carried = yield* writes.approved(tool, document);
  if (carried.kind === 'asks') yield carried.frame;
  else if (carried.outcome === 'unknown') yield { kind: 'fail', reason: carried.text };
  else yield { kind: 'content', text: carried.text };
}
