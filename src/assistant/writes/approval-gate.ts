import type { WritesConfig } from '../../config/config.types.js';
import type { JsonObject } from '../../domain/a2a.js';
import { decisionOf } from '../../domain/decision.js';
import { metrics } from '../../metrics/metrics.js';
import type { AssistantBackend, Frame, Meter, Turn } from '../assistant-backend.js';
import type { TenantSources } from '../sources/tenant-sources.js';
import { WRITE_TOOLS } from '../tools/write-registry.js';
import { answerAgent } from '../remote/answer-agent.js';
import { approvable } from '../remote/approvable.js';
import type { AskScene } from '../remote/ask-agent.js';
import { readQuestion } from '../remote/question-plan.js';
import { remoteWordsFor } from '../remote/remote-words.js';
import type { TenantRemotes } from '../remote/tenant-remotes.js';
import { spentWordsFor } from '../spent-words.js';
import { ToolInputError } from '../tools/tool-input-error.js';
import { endingOf, TurnWrites, type WriteScene } from './carry-out.js';
import type { Looked, WriteDesk } from './write-desk.js';
import { type PlanDocument, readDocument, type WritePlan } from './write-plan.js';
import type { WriteTool } from './write-tool.js';
import { writeWordsFor } from './write-words.js';

/** A plan of this gateway's, of whichever version. */
function isOurs({ kind }: JsonObject): boolean {
  return typeof kind === 'string' && kind.startsWith('nightjar.');
}

export interface GateOptions {
  readonly sources: TenantSources;
  readonly writes: WritesConfig | undefined;
  readonly remotes: TenantRemotes;
  readonly now?: () => number;
}

/**
 * Stands before a backend whose turns may propose writes, or put an agent's question to the user: an
 * answer to either is dealt with here, without the backend, so that no model is asked what a yes meant
 * or what to pass on.
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
    const plan = answering?.plan;
    if (plan === undefined || !isOurs(plan)) {
      if (turn.drops === true) {
        yield { kind: 'content', text: `${writeWordsFor(turn.lang, turn.text).dropped}\n\n` };
      }
      yield* this.inner.run(turn, signal, desk, meter);
      return;
    }
    signal.throwIfAborted();
    const { remotes, writes } = this.options;
    const scene = this.scene(turn, writes, signal, desk);
    yield* answering?.expects === 'approval'
      ? decided(plan, scene, remotes)
      : passedOn(plan, { ...scene, remotes }, meter);
  }

  async lookBack(
    turn: Turn,
    begun: readonly WritePlan[],
    signal: AbortSignal,
    desk?: WriteDesk,
  ): Promise<readonly Looked[]> {
    signal.throwIfAborted();
    const scene = this.scene(turn, this.options.writes, signal, desk);
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

/** What a user says to an agent's question. */
async function* passedOn(
  plan: JsonObject,
  scene: AskScene,
  meter: Meter | undefined,
): AsyncGenerator<Frame> {
  const { turn } = scene;
  const spoken = turn.answering?.question ?? turn.text;
  const question = readQuestion(plan);
  if (question === undefined) {
    yield { kind: 'content', text: remoteWordsFor(turn.lang, spoken).otherVersion };
    return;
  }
  const short = await meter?.take('tools', 1);
  if (short === undefined) yield* answerAgent(question, scene);
  else yield { kind: 'fail', reason: spentWordsFor(turn.lang, spoken).tools(short.whose) };
}

/** What a user says to a proposal. */
async function* decided(
  plan: JsonObject,
  scene: WriteScene,
  remotes: TenantRemotes,
): AsyncGenerator<Frame> {
  const { turn, signal, now } = scene;
  const known = turn.busiGroups === undefined ? await remotes.toolsSoon(signal) : [];
  const rules = { ...scene.writes, ...remotes.rulesOf(known) };
  const writes = new TurnWrites({ ...scene, writes: rules });
  const { words } = writes;
  const document = readDocument(plan, writes.owner());
  if (typeof document === 'string') {
    yield { kind: 'content', text: document === 'forged' ? words.invalid : words.otherVersion };
    return;
  }
  const decision = decisionOf(turn.text, document.code);
  const tools = [...WRITE_TOOLS, ...known.filter(({ readOnly }) => !readOnly).map(approvable)];
  const tool = tools.find(({ name }) => name === document.tool);
  const about = tool ?? document.tool;
  // A repeated attempt goes on with what was approved in time.
  const isLate = turn.attempt === 1 && now >= Date.parse(document.expires_at);
  if (isLate) {
    metrics.approvals.inc({ approver: 'user', outcome: 'expired' });
    writes.log(about, 'lapsed', document, { step: 'decide', outcome: 'EXPIRED' });
    yield { kind: 'content', text: words.lapsed };
    return;
  }
  if (decision === 'no') {
    metrics.approvals.inc({ approver: 'user', outcome: 'refused' });
    writes.log(about, 'refused by its user', document, { step: 'decide', outcome: 'REFUSED' });
    yield { kind: 'content', text: words.refusedByUser };
    return;
  }
  if (tool === undefined) {
    yield missing(document, turn, remotes);
    return;
  }
  if (!isReadable(tool, document)) {
    yield { kind: 'content', text: words.otherVersion };
    return;
  }
  if (decision === undefined) {
    yield await writes.ask(tool, document, undefined, words.unclear);
    return;
  }
  metrics.approvals.inc({ approver: 'user', outcome: 'approved' });
  writes.log(tool, 'approved by its user', document, { step: 'decide', outcome: 'ok' });
  yield endingOf(yield* writes.approved(tool, document));
}

/** The remote whose tool was proposed was taken away, or does not answer now: then the question stands. */
function missing({ tool }: PlanDocument, turn: Turn, remotes: TenantRemotes): Frame {
  const { question = '', plan } = turn.answering ?? {};
  const words = remoteWordsFor(turn.lang, question);
  if (turn.busiGroups !== undefined || remotes.whyNot(tool) === 'gone' || plan === undefined) {
    return { kind: 'content', text: words.toolGone(tool) };
  }
  const away = `${words.away(tool)}\n\n`;
  const again = question.startsWith(away) ? question : away + question;
  return { kind: 'input_required', expects: 'approval', question: again, plan };
}

/** Whether this version knows all that the plan says. */
function isReadable(tool: WriteTool, { args }: PlanDocument): boolean {
  try {
    tool.factsOf(args);
    return true;
  } catch (error) {
    if (error instanceof ToolInputError) return false;
    throw error;
  }
}
