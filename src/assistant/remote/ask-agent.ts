import type { WritesConfig } from '../../config/config.types.js';
import type { Frame, Turn } from '../assistant-backend.js';
import { editDistance } from '../builtin/text/edit-distance.js';
import type { TenantSources } from '../sources/tenant-sources.js';
import { ToolInputError } from '../tools/tool-input-error.js';
import { endingOf, TurnWrites } from '../writes/carry-out.js';
import type { WriteDesk } from '../writes/write-desk.js';
import { writeWordsFor } from '../writes/write-words.js';
import { approvable } from './approvable.js';
import type { AgentQuestion } from './question-plan.js';
import { QuoteStream } from './quote.js';
import { ending } from './remote-backend.js';
import type { RemoteTool } from './remote-tool.js';
import { remoteWordsFor } from './remote-words.js';
import type { TenantRemotes } from './tenant-remotes.js';

/** What a message that begins like `ask <agent> …` wants of whom. */
export interface AgentWish extends AgentQuestion {
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

/** Asks the agent and shows what it says as the answer, marked as its words. */
export async function* askAgent(wish: AgentWish, scene: AskScene): AsyncGenerator<Frame> {
  const { turn, desk } = scene;
  const words = remoteWordsFor(turn.lang, turn.answering?.question ?? turn.text);
  if (turn.busiGroups !== undefined) {
    yield { kind: 'content', text: words.notForGroups };
    return;
  }
  const found = await toolFor(wish, scene);
  if ('skills' in found) {
    yield { kind: 'content', text: words.noSkill(wish.agent, found.skills) };
    return;
  }
  const { tool } = found;
  const isFree = tool.readOnly || (tool.policy === 'auto' && desk !== undefined);
  try {
    yield* isFree ? asked(tool, wish, scene) : proposed(tool, wish, scene);
  } catch (error) {
    if (!(error instanceof ToolInputError)) throw error;
    const { cannotPlan } = writeWordsFor(turn.lang, turn.text);
    yield { kind: 'content', text: cannotPlan(error.message) };
  }
}

/** The agent's tool for a wish, or the skills that there are in place of the one that it names. */
export async function toolFor(
  { agent, skill }: AgentQuestion,
  { remotes, signal }: Pick<AskScene, 'remotes' | 'signal'>,
): Promise<{ readonly tool: RemoteTool } | { readonly skills: readonly string[] }> {
  const tools = await remotes.toolsSoon(signal);
  const own = tools.filter(({ kind, remote }) => kind === 'agent' && remote === agent);
  const tool =
    skill === undefined
      ? (own[0] ?? remotes.agent(agent)?.anything())
      : own.find(({ name }) => name === `${agent}__${skill}`);
  return tool === undefined
    ? { skills: own.map(({ name }) => name.slice(agent.length + 2)) }
    : { tool };
}

/** At once, as its user or the configuration has decided. */
export async function* asked(
  tool: RemoteTool,
  wish: AgentWish,
  scene: AskScene,
): AsyncGenerator<Frame> {
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
  yield* ending(wish.agent, answer, hasText, words, wish);
}

/** Where a human has to agree before. */
export async function* proposed(
  tool: RemoteTool,
  wish: AgentWish,
  scene: AskScene,
): AsyncGenerator<Frame> {
  const { remotes, writes: own, turn, sources, desk, signal, now } = scene;
  const writes = { ...own, ...remotes.rulesOf([tool]) };
  const carrying = new TurnWrites({ turn, sources, writes, desk, signal, now });
  const carried = yield* carrying.propose(approvable(tool), { task: wish.task });
  yield endingOf(carried);
}
