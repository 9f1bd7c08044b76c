import { createHash } from 'node:crypto';
import type { RemoteAgentConfig } from '../../config/config.types.js';
import { MOST_DEPTH } from '../../domain/agent-depth.js';
import { plainText } from '../../domain/hidden-characters.js';
import type { Frame } from '../assistant-backend.js';
import { cleanText } from '../sources/clean-text.js';
import { toTask } from './a2a-wire.js';
import { AgentCall, type AgentQuestion } from './agent-call.js';
import { clientOf } from './agent-client.js';
import type { AgentDiscovery } from './agent-discovery.js';
import type { OpenCall, RemoteLink } from './call-desk.js';
import { readQuestion } from './question-plan.js';
import { isUndone, RemoteError } from './remote-error.js';
import type { RemoteHttp } from './remote-http.js';
import { type CallScene, type EndState, hashOf, type RemoteAnswer } from './remote-tool.js';

/** What a model or a user may be shown of an answer. */
const ANSWER_CHARS = 200_000;

/** What was said answers a question: alone it may mean something else. */
const NOT_OPEN = 'its question is not open any more, so the answer to it was not taken';

/** What is asked of an agent. */
export interface AgentErrand {
  /** Name of the tool that stands for it. */
  readonly tool: string;
  readonly skill: string | undefined;
  readonly text: string;
  /** As it was given to the tool; the same errand has the same. */
  readonly args: unknown;
  /** One line for people. */
  readonly what: string;
}

/** Calls of one agent: recorded at the desk, within our own conversation with it. */
export class AgentConversation {
  private readonly name: string;

  constructor(
    private readonly config: RemoteAgentConfig,
    private readonly http: RemoteHttp,
    private readonly discovery: AgentDiscovery,
  ) {
    this.name = config.name;
  }

  /** @throws the signal's reason when it aborts; what the desk throws. */
  async *call(
    { tool, skill, text, args, what }: AgentErrand,
    scene: CallScene,
  ): AsyncGenerator<Frame, RemoteAnswer> {
    const { desk, turn } = scene;
    const { readOnly } = this.config;
    const plan = { remote: this.name, what, hash: hashOf(tool, args), readOnly };
    const open = await desk?.open(plan);
    const { before } = open ?? {};
    if (before?.kind === 'answer') {
      await open?.end('done', before.text);
      return { success: true, certainty: 'done', text: repeated(before) };
    }
    const link = before === undefined ? await desk?.linkOf(this.name) : undefined;
    const question = {
      messageId: messageIdOf(turn, open?.id ?? hashOf(tool, [args, Date.now()])),
      text,
      ...(link === undefined ? {} : { contextId: link.contextId }),
      ...(link?.taskId === undefined ? {} : { taskId: link.taskId }),
      ...(turn.lang === undefined ? {} : { lang: turn.lang }),
      ...(skill === undefined ? {} : { skill }),
      ...(before === undefined ? {} : { resume: before.taskId }),
    };
    const isAnswer = readQuestion(turn.answering?.plan)?.agent === this.name;
    const state = { ended: false };
    const end = async (certainty: RemoteAnswer['certainty'], words: string): Promise<void> => {
      state.ended = true;
      await open?.end(certainty, words);
    };
    try {
      if (isAnswer && before === undefined && link?.taskId === undefined) {
        throw new RemoteError(this.name, { kind: 'refused', text: NOT_OPEN });
      }
      const answer = yield* this.ask(question, scene, open);
      await end(answer.certainty, answer.text);
      return before === undefined || before.isSame
        ? answer
        : { ...answer, text: repeated({ what: before.what, text: answer.text }) };
    } catch (error) {
      scene.signal.throwIfAborted();
      if (!(error instanceof RemoteError)) throw error;
      const certainty = isUndone(error) && before === undefined ? 'refused' : 'unknown';
      await end(certainty, error.message);
      return { success: false, certainty, text: error.message };
    } finally {
      if (!state.ended) await open?.end('unknown', plan.what).catch(() => undefined);
    }
  }

  /** Once more without the conversation, where the remote does not know it any more. */
  private async *ask(
    question: AgentQuestion,
    scene: CallScene,
    open: OpenCall | undefined,
  ): AsyncGenerator<Frame, RemoteAnswer> {
    try {
      return yield* this.askOnce(question, scene, open);
    } catch (error) {
      if (scene.signal.aborted || !isGone(error)) throw error;
      const { contextId, taskId, ...fresh } = question;
      if (taskId !== undefined && contextId !== undefined) {
        await keep(scene.desk, this.name, { contextId });
        // Its question was withdrawn, by our own cancel: what is said now answers nothing.
        if (scene.turn.answering === undefined && (await this.isCanceled(taskId, scene))) {
          const messageId = `${question.messageId}-2`;
          return yield* this.askOnce({ ...fresh, contextId, messageId }, scene, open);
        }
        // What was said answers that question: alone it may mean something else.
        throw new RemoteError(this.name, {
          kind: 'refused',
          text: `${NOT_OPEN} (${error.fault.text})`,
        });
      }
      if (contextId === undefined || question.resume !== undefined) throw error;
      const messageId = `${question.messageId}-2`;
      return yield* this.askOnce({ ...fresh, messageId }, scene, open);
    }
  }

  private async *askOnce(
    question: AgentQuestion,
    scene: CallScene,
    open: OpenCall | undefined,
  ): AsyncGenerator<Frame, RemoteAnswer> {
    const { signal, desk } = scene;
    const depth = this.depthOf(scene);
    const card = await this.discovery.card(signal);
    const fetch = this.http.fetchAt(depth);
    const call = new AgentCall(
      {
        remote: this.name,
        client: await clientOf(card, fetch),
        streaming: card.streaming,
        fetch,
        maxSeconds: this.config.maxSeconds,
        failure: (error) => this.http.failure(error),
      },
      question,
      signal,
    );
    for await (const event of call.events()) {
      switch (event.kind) {
        case 'named':
          await Promise.all([
            open?.named(event.taskId),
            keep(desk, this.name, { contextId: event.contextId }),
          ]);
          break;
        case 'text':
          yield { kind: 'content', text: event.text };
          break;
        case 'reason':
          yield { kind: 'reason', text: event.text };
          break;
        case 'step':
          yield { kind: 'step', text: event.text };
          break;
        case 'part': {
          const type = event.part.metadata?.['n9e_content_type'];
          yield {
            kind: 'artifact',
            name: event.name,
            parts: [event.part],
            ...(typeof type === 'string' ? { contentType: cleanText(type, 60) } : {}),
          };
          break;
        }
      }
    }
    return this.result(call, scene);
  }

  private async isCanceled(taskId: string, scene: CallScene): Promise<boolean> {
    const { signal } = scene;
    const fetch = this.http.fetchAt(this.depthOf(scene));
    const client = await clientOf(await this.discovery.card(signal), fetch);
    const task = await client
      .getTask({ id: taskId, tenant: '' }, { signal })
      .catch(() => undefined);
    return task !== undefined && toTask(task).status.state === 'TASK_STATE_CANCELED';
  }

  private async withdraw(taskId: string, scene: CallScene): Promise<void> {
    const { signal } = scene;
    const fetch = this.http.fetchAt(this.depthOf(scene));
    const client = await clientOf(await this.discovery.card(signal), fetch);
    await client
      .cancelTask({ id: taskId, tenant: '', metadata: {} }, { signal })
      .catch(() => undefined);
  }

  /** @throws RemoteError where agents have called each other too often. */
  private depthOf({ turn }: CallScene): number {
    const depth = (turn.depth ?? 0) + 1;
    if (depth > MOST_DEPTH) {
      throw new RemoteError(this.name, { kind: 'depth', depth: depth - 1 });
    }
    return depth;
  }

  private async result({ answer }: AgentCall, scene: CallScene): Promise<RemoteAnswer> {
    const { state, statusText, contextId, taskId } = answer;
    const { desk } = scene;
    const isOpen = state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED';
    if (contextId !== undefined) {
      await keep(desk, this.name, {
        contextId,
        ...(isOpen && taskId !== undefined ? { taskId } : {}),
      });
    }
    // Without a desk nobody keeps the question, so nobody could answer it.
    if (isOpen && taskId !== undefined && desk === undefined) await this.withdraw(taskId, scene);
    const said = visible(statusText);
    const text = visible(answer.text);
    const whole = [text, said].filter((one) => one !== '').join('\n\n');
    switch (state) {
      case 'TASK_STATE_COMPLETED':
        return { success: true, certainty: 'done', text: text === '' ? said : text };
      case 'TASK_STATE_INPUT_REQUIRED':
      case 'TASK_STATE_AUTH_REQUIRED': {
        const kind = state === 'TASK_STATE_INPUT_REQUIRED' ? 'text' : 'auth';
        const question = said === '' ? 'It wants to hear more.' : said;
        return { success: true, certainty: 'done', text: whole, asks: { kind, question } };
      }
      default: {
        const ended: EndState =
          state === 'TASK_STATE_REJECTED'
            ? 'rejected'
            : state === 'TASK_STATE_CANCELED'
              ? 'canceled'
              : 'failed';
        const how = `${this.name}: its task ${ended === 'failed' ? 'has failed' : `was ${ended}`}`;
        return {
          success: false,
          certainty: 'done',
          text: [how, whole].filter((one) => one !== '').join('\n\n'),
          ended: { state: ended, partial: text, reason: said },
        };
      }
    }
  }
}

async function keep(desk: CallScene['desk'], name: string, link: RemoteLink): Promise<void> {
  if (link.contextId !== '') await desk?.keepLink(name, link);
}

/** The remote does not know the task or the conversation (any more), or takes no more of it. */
function isGone(
  error: unknown,
): error is RemoteError & { readonly fault: { readonly kind: 'refused'; readonly text: string } } {
  if (!(error instanceof RemoteError) || error.fault.kind !== 'refused') return false;
  return /^(TASK_NOT_FOUND|UNSUPPORTED_OPERATION)$/.test(error.fault.reason ?? '');
}

/** Stays the same when another attempt sends the question again: many agents know a repeated one. */
function messageIdOf({ tenant, taskId }: CallScene['turn'], call: string): string {
  const content = JSON.stringify([tenant, taskId, call]);
  return `nj-${createHash('sha256').update(content).digest('hex').slice(0, 32)}`;
}

function repeated({ what, text }: { readonly what: string; readonly text: string }): string {
  return `(An earlier attempt at this turn did this already: ${what}. This is what came of it.)\n\n${text}`;
}

/** Without what reorders or hides text; lines stay. */
function visible(text: string): string {
  const cut = text.length > ANSWER_CHARS ? `${text.slice(0, ANSWER_CHARS)}… [cut here]` : text;
  return plainText(cut).trim();
}
