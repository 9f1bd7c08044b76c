import type { Artifact, Message, Part, StreamResponse, TaskStateName } from '../../domain/a2a.js';
import { isState } from '../../domain/task-state.js';
import { cleanText } from '../sources/clean-text.js';

const STEP_CHARS = 300;
const NAME_CHARS = 100;
const MOST_PARTS = 256;

/** What an event of a remote task brings that was not there before. */
export type News =
  | { readonly kind: 'text' | 'reason'; readonly text: string }
  | { readonly kind: 'step'; readonly text: string }
  /** A part that is no text: data, or a file that is still where it was. */
  | { readonly kind: 'part'; readonly name: string; readonly part: Part };

/**
 * Reads a remote task as it grows, whatever comes twice: after a broken stream a snapshot repeats
 * what was told, and a remote that runs a task again writes its artifacts from the start. Only what
 * goes beyond is news.
 */
export class AnswerTracker {
  taskId: string | undefined;
  contextId: string | undefined;
  state: TaskStateName | undefined;
  /** The last text beside a status: the answer of some agents, a question, a reason. */
  statusText = '';
  private readonly texts = new Map<
    string,
    { readonly kind: 'text' | 'reason'; now: string; told: string }
  >();
  private readonly parts = new Set<string>();
  private lastStep = '';

  /** All that was told as text so far. */
  get text(): string {
    return [...this.texts.values()]
      .filter(({ kind, told }) => kind === 'text' && told !== '')
      .map(({ told }) => told)
      .join('\n\n');
  }

  see(event: StreamResponse | { readonly message: Message }): News[] {
    if ('message' in event) return this.message(event.message);
    if ('task' in event) {
      const { id, contextId, status, artifacts = [] } = event.task;
      this.taskId = id;
      this.contextId = contextId;
      const news = artifacts.flatMap((artifact) => this.artifact(artifact, false));
      return [...news, ...this.status(status)];
    }
    if ('statusUpdate' in event) {
      this.taskId ??= event.statusUpdate.taskId;
      this.contextId ??= event.statusUpdate.contextId;
      return this.status(event.statusUpdate.status);
    }
    this.taskId ??= event.artifactUpdate.taskId;
    this.contextId ??= event.artifactUpdate.contextId;
    return this.artifact(event.artifactUpdate.artifact, event.artifactUpdate.append === true);
  }

  /** An agent may answer without a task. */
  private message({ parts, contextId }: Message): News[] {
    this.state = 'TASK_STATE_COMPLETED';
    if (contextId !== undefined && contextId !== '') this.contextId = contextId;
    return this.artifact({ artifactId: 'message', parts }, false);
  }

  private status(status: { readonly state: TaskStateName; readonly message?: Message }): News[] {
    if (isState(status.state)) this.state = status.state;
    const text = (status.message?.parts ?? []).flatMap((part) => part.text ?? []).join('\n');
    if (this.state !== 'TASK_STATE_WORKING' && this.state !== 'TASK_STATE_SUBMITTED') {
      this.statusText = text;
      return [];
    }
    // A heartbeat repeats what was said.
    const step = cleanText(text, STEP_CHARS);
    if (step === '' || step === this.lastStep) return [];
    this.lastStep = step;
    return [{ kind: 'step', text: step }];
  }

  private artifact({ artifactId, name, parts }: Artifact, append: boolean): News[] {
    const news: News[] = [];
    const restarted = new Set<string>();
    let others = 0;
    for (const part of parts.slice(0, MOST_PARTS)) {
      if (part.text !== undefined && !isStructured(part)) {
        const kind = part.metadata?.['adk_thought'] === true ? 'reason' : 'text';
        const key = `${kind} ${artifactId}`;
        const isFirst = !append && !restarted.has(key);
        restarted.add(key);
        news.push(...this.more(key, kind, part.text, isFirst));
        continue;
      }
      others += 1;
      // An agent appends files one by one: those are told apart by what they are.
      const key = append
        ? JSON.stringify([artifactId, part]).slice(0, 500)
        : `${artifactId} ${others}`;
      if (this.parts.has(key) || this.parts.size >= MOST_PARTS) continue;
      this.parts.add(key);
      if (isNightjarResult(name, part)) continue;
      news.push({ kind: 'part', name: cleanText(name ?? 'artifact', NAME_CHARS), part });
    }
    return news;
  }

  private more(key: string, kind: 'text' | 'reason', piece: string, restart: boolean): News[] {
    const entry = this.texts.get(key) ?? { kind, now: '', told: '' };
    const isBehind = !restart && entry.now.length === entry.told.length;
    entry.now = restart ? piece : entry.now + piece;
    this.texts.set(key, entry);
    if (isBehind) {
      entry.told = entry.now;
      return tell(kind, piece);
    }
    if (entry.told.startsWith(entry.now)) return [];
    if (entry.now.startsWith(entry.told)) {
      const rest = entry.now.slice(entry.told.length);
      const before = entry.told === '' && kind === 'text' && this.text !== '' ? '\n\n' : '';
      entry.told = entry.now;
      return tell(kind, before + rest);
    }
    // It says something else now. What was shown cannot be taken back.
    entry.told = entry.now;
    return tell(kind, `\n\n${entry.now}`);
  }
}

function tell(kind: 'text' | 'reason', text: string): News[] {
  return text === '' ? [] : [{ kind, text }];
}

/** n9e sends its forms and cards as text that is meant for a program. */
function isStructured({ metadata }: Part): boolean {
  return typeof metadata?.['n9e_content_type'] === 'string';
}

/** The document with which a Nightjar closes a task; our own task gets one of ours. */
function isNightjarResult(name: string | undefined, { data }: Part): boolean {
  if (name !== 'result' || typeof data !== 'object' || data === null || Array.isArray(data)) {
    return false;
  }
  return 'session' in data && 'tool_calls' in data && 'evidence' in data;
}
