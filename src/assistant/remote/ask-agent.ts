import type { WritesConfig } from '../../config/config.types.js';
import type { Frame, Turn } from '../assistant-backend.js';
import { editDistance } from '../builtin/text/edit-distance.js';
import type { TenantSources } from '../sources/tenant-sources.js';
import { ToolInputError } from '../tools/tool-input-error.js';
import { TurnWrites } from '../writes/carry-out.js';
import type { WriteDesk } from '../writes/write-desk.js';
import { writeWordsFor } from '../writes/write-words.js';
import { approvable } from './approvable.js';
import { QUESTION_KIND, questionPlan } from './question-plan.js';
import { QuoteStream } from './quote.js';
import { ending } from './remote-backend.js';
import type { RemoteTool } from './remote-tool.js';
import { remoteWordsFor } from './remote-words.js';
import type { TenantRemotes } from './tenant-remotes.js';

/** What a message that begins like `ask <agent> …` wants of whom. */
export interface AgentWish {
  readonly agent: string;
  readonly skill?: string;
  readonly task: string;
}

/**
 * `ask agent-b why checkout is slow`, `@agent-b: …`, `问 agent-b 为什么变慢`, with `agent-b/skill` for
 * one of its skills. Undefined for anything else: only the names of configured agents count.
 */
export function agentWish(text: string, agents: readonly string[]): AgentWish | undefined {
  const began =
    /^\s*(?:(?:please\s+)?(?:ask|tell)\s+@?|@|(?:请)?(?:问一下|询问|问|让|请)\s*@?)([\s\S]+)$/i.exec(
      text,
    )?.[1];
  if (began === undefined) return undefined;
  const lower = began.toLowerCase();
  const agent = [...agents]
    .sort((a, b) => b.length - a.length)
    .find((name) => lower.startsWith(name.toLowerCase()));
  if (agent === undefined) return undefined;
  const rest = began.slice(agent.length);
  // `agent-b2` is another one.
  if (/^[A-Za-z0-9_-]/.test(rest)) return undefined;
  const [, skill, task = ''] =
    /^(?:\/([^\s:：,，]{1,256}))?[\s:：,，]*(?:to\s+)?([\s\S]*)$/i.exec(rest) ?? [];
  if (task.trim() === '') return undefined;
  return { agent, task: task.trim(), ...(skill === undefined ? {} : { skill }) };
}

/**
 * The name that a message like `ask agent-c …` gives where there is no such agent: what is marked as a
 * name (`@x`, `x: …`, `x/skill`), is written like one (`agent-c`, `n9e`), or nearly is one.
 */
export function unknownAgent(text: string, agents: readonly string[]): string | undefined {
  const [, at = '', name = '', after = ''] =
    /^\s*(?:(?:please\s+)?(?:ask|tell)\s+|(?=@)|(?:请)?(?:问一下|询问)\s*|问\s*)(@?)([A-Za-z0-9][\w-]{0,63})(?=([/:：]?))/i.exec(
      text,
    ) ?? [];
  const lower = name.toLowerCase();
  if (name === '' || agents.length === 0) return undefined;
  if (agents.some((one) => one.toLowerCase() === lower)) return undefined;
  const isMarked = at !== '' || after !== '' || /[-_\d]/.test(name);
  const isNear = (one: string): boolean =>
    name.length >= 3 && editDistance(lower, one.toLowerCase(), 1) <= 1;
  return isMarked || agents.some(isNear) ? name : undefined;
}

/** What a wish is carried out with. */
export interface AskScene {
  readonly turn: Turn;
  readonly remotes: TenantRemotes;
  readonly sources: TenantSources;
  readonly writes: WritesConfig | undefined;
  readonly desk: WriteDesk | undefined;
  readonly signal: AbortSignal;
  readonly now: number;
}

/** The wish of a turn's message, or of an answer to a question that an agent has asked before. */
export function wishOf(
  { text, answering }: Turn,
  agents: readonly string[],
): AgentWish | undefined {
  const plan = answering?.plan;
  if (plan?.['kind'] === QUESTION_KIND && typeof plan['agent'] === 'string') {
    const { agent } = plan;
    const skill = plan['skill'];
    if (agents.includes(agent)) {
      return { agent, task: text, ...(typeof skill === 'string' ? { skill } : {}) };
    }
  }
  return agentWish(text, agents);
}

/** Asks the agent and shows what it says as the answer, marked as its words. */
export async function* askAgent(wish: AgentWish, scene: AskScene): AsyncGenerator<Frame> {
  const { turn, remotes, desk, signal } = scene;
  const words = remoteWordsFor(turn.lang, turn.answering?.question ?? turn.text);
  if (turn.busiGroups !== undefined) {
    yield { kind: 'content', text: words.notForGroups };
    return;
  }
  const tools = await remotes.toolsSoon(signal);
  const own = tools.filter(({ kind, remote }) => kind === 'agent' && remote === wish.agent);
  const skill = wish.skill === undefined ? undefined : `${wish.agent}__${wish.skill}`;
  const tool =
    skill === undefined
      ? (own[0] ?? remotes.agent(wish.agent)?.anything())
      : own.find(({ name }) => name === skill);
  if (tool === undefined) {
    const skills = own.map(({ name }) => name.slice(wish.agent.length + 2));
    yield { kind: 'content', text: words.noSkill(wish.agent, skills) };
    return;
  }
  const isFree = tool.readOnly || (tool.policy === 'auto' && desk !== undefined);
  try {
    yield* isFree ? asked(tool, wish, scene) : proposed(tool, wish, scene);
  } catch (error) {
    if (!(error instanceof ToolInputError)) throw error;
    const { cannotPlan } = writeWordsFor(turn.lang, turn.text);
    yield { kind: 'content', text: cannotPlan(error.message) };
  }
}

async function* asked(tool: RemoteTool, wish: AgentWish, scene: AskScene): AsyncGenerator<Frame> {
  const { turn, desk, signal } = scene;
  const words = remoteWordsFor(turn.lang, turn.answering?.question ?? turn.text);
  yield { kind: 'step', text: words.asking(wish.agent) };
  const calling = tool.call({ task: wish.task }, { turn, desk: desk?.calls, signal });
  const quote = new QuoteStream();
  let hasText = false;
  let step = await calling.next();
  for (; step.done !== true; step = await calling.next()) {
    const frame = step.value;
    if (frame.kind !== 'content') {
      yield frame;
      continue;
    }
    const text = quote.push(frame.text);
    if (text === '') continue;
    yield { kind: 'content', text: hasText ? text : `${words.says(wish.agent)}\n\n${text}` };
    hasText = true;
  }
  const answer = step.value;
  yield {
    kind: 'step',
    text: words.answered(wish.agent, !answer.success),
    tool: {
      callId: 'remote-1',
      name: tool.name,
      outcome: answer.success ? 'success' : 'failed',
      output: answer.text,
    },
  };
  const by = { agent: wish.agent, plan: questionPlan(wish) };
  yield* ending(answer, hasText, words, by);
}

/** Where a human has to agree before. */
async function* proposed(
  tool: RemoteTool,
  wish: AgentWish,
  scene: AskScene,
): AsyncGenerator<Frame> {
  const { remotes, writes: own, turn, sources, desk, signal, now } = scene;
  const writes = { ...own, ...remotes.rulesOf([tool]) };
  const carrying = new TurnWrites({ turn, sources, writes, desk, signal, now });
  const carried = yield* carrying.propose(approvable(tool), { task: wish.task });
  if (carried.kind === 'asks') {
    yield carried.frame;
  } else {
    const { text } = carried;
    yield carried.outcome === 'unknown'
      ? { kind: 'fail', reason: text }
      : { kind: 'content', text };
  }
}
