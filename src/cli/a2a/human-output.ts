import type {
  Artifact,
  JsonObject,
  Message,
  Part,
  StreamResponse,
  Task,
} from '../../domain/a2a.js';
import { isInterrupted, isTerminal } from '../../domain/task-state.js';
import { terminalText } from '../terminal-text.js';
import type { Output, Streams } from './output.js';

type Voice = 'none' | 'thought' | 'answer';

const DIM = '2';
const BOLD = '1';
const RED = '31';
const YELLOW = '33';

/**
 * For people: thoughts dimmed, each step on a line of its own, the answer as it comes. Control
 * characters of the server are left out, so that an alert's label cannot steer the terminal.
 */
export class HumanOutput implements Output {
  private voice: Voice = 'none';
  private atLineStart = true;
  /** What was shown of each artifact, to continue after a snapshot without repeating. */
  private readonly shown = new Map<string, string>();

  constructor(private readonly streams: Streams) {}

  event(event: StreamResponse): void {
    if ('task' in event) {
      this.snapshot(event.task);
    } else if ('artifactUpdate' in event) {
      const { artifact, append } = event.artifactUpdate;
      this.artifact(artifact, append === true);
    } else {
      const { state, message } = event.statusUpdate.status;
      const step = textOf(message);
      if (state === 'TASK_STATE_WORKING' && step !== '') this.line(`→ ${step}`, DIM);
    }
  }

  message(message: Message): void {
    this.line(textOf(message));
  }

  task(task: Task): void {
    // All of it, also what a stream has shown before.
    this.shown.clear();
    this.line(`${stateName(task)}  task ${task.id}  context ${task.contextId}`, BOLD);
    this.line(`${task.status.timestamp}${said(task)}`);
    this.snapshot(task);
    this.newLine();
  }

  list({ tasks, nextPageToken }: { tasks: readonly Task[]; nextPageToken: string }): void {
    if (tasks.length === 0) this.line('No tasks');
    for (const task of tasks) {
      const question = textOf(task.history?.find(({ role }) => role === 'ROLE_USER'));
      this.line(
        `${task.status.timestamp}  ${stateName(task).padEnd(14)}  ${task.id}  ${oneLine(question)}`,
      );
    }
    if (nextPageToken !== '') this.line(`more: --page-token ${nextPageToken}`, DIM);
  }

  webhooks(configs: readonly JsonObject[]): void {
    if (configs.length === 0) this.line('No webhooks');
    for (const { id, url } of configs) {
      this.line([id, url].filter((one) => typeof one === 'string').join('  '));
    }
  }

  end(task: Task, next: readonly string[]): void {
    const { state } = task.status;
    const text = textOf(task.status.message);
    this.newLine();
    if (isInterrupted(state)) this.line(text === '' ? 'Your answer is asked for' : text, YELLOW);
    else if (isTerminal(state) && state !== 'TASK_STATE_COMPLETED' && text !== '') {
      this.line(text, RED);
    }
    this.line(`${stateName(task)}  task ${task.id}  context ${task.contextId}`, DIM);
    next.forEach((line) => {
      this.line(line, DIM);
    });
  }

  note(text: string): void {
    // Not a line feed in the answer: stdout may be a file.
    const begin = this.atLineStart ? '' : '\n';
    this.streams.err(`${begin}${terminalText(text)}\n`);
  }

  private snapshot(task: Task): void {
    (task.artifacts ?? []).forEach((artifact) => {
      this.artifact(artifact, false);
    });
  }

  private artifact(artifact: Artifact, append: boolean): void {
    const { artifactId, name, parts } = artifact;
    const text = parts.map((part) => part.text ?? '').join('');
    const before = this.shown.get(artifactId);
    this.shown.set(artifactId, append ? (before ?? '') + text : text);
    if (!append && before !== undefined) {
      this.replace(before, text, parts);
      return;
    }
    parts.forEach((part) => {
      this.part(part, name);
    });
  }

  /** A snapshot repeats what was shown; a run that was started again begins anew. */
  private replace(before: string, text: string, parts: readonly Part[]): void {
    if (text.startsWith(before)) {
      this.speak(text.slice(before.length), voiceOf(parts.at(-1)));
      return;
    }
    if (text === '') return;
    this.line('(started again)', DIM);
    this.speak(text, voiceOf(parts.at(-1)));
  }

  private part(part: Part, name: string | undefined): void {
    if (part.text !== undefined) this.speak(part.text, voiceOf(part));
    // The run's summary for machines repeats the answer.
    else if (part.data !== undefined && name === 'result') return;
    else if (part.data !== undefined) this.line(`[${name ?? 'data'}] ${JSON.stringify(part.data)}`);
    else this.line(`[${fileLine(part, name)}]`);
  }

  private speak(text: string, voice: Voice): void {
    if (text === '') return;
    if (voice !== this.voice) this.newLine();
    this.voice = voice;
    this.write(text, voice === 'thought' ? DIM : undefined);
  }

  private line(text: string, style?: string): void {
    this.newLine();
    this.voice = 'none';
    this.write(`${text}\n`, style);
  }

  private newLine(): void {
    if (!this.atLineStart) this.write('\n');
  }

  private write(text: string, style?: string): void {
    const safe = terminalText(text);
    if (safe === '') return;
    this.atLineStart = safe.endsWith('\n');
    const styled = style !== undefined && this.streams.colour;
    this.streams.out(styled ? `\u001b[${style}m${safe}\u001b[0m` : safe);
  }
}

function voiceOf(part: Part | undefined): Voice {
  return part?.metadata?.['adk_thought'] === true ? 'thought' : 'answer';
}

/** `input-required` for TASK_STATE_INPUT_REQUIRED. */
function stateName(task: Task): string {
  return task.status.state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');
}

function said(task: Task): string {
  const text = textOf(task.status.message);
  return text === '' ? '' : `  ${text}`;
}

function textOf(message: Message | undefined): string {
  return (message?.parts ?? []).flatMap((part) => part.text ?? []).join('\n');
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

function fileLine(part: Part, name: string | undefined): string {
  const bytes = part.raw === undefined ? undefined : Buffer.byteLength(part.raw, 'base64');
  return [
    part.filename ?? name ?? 'file',
    part.mediaType,
    bytes === undefined ? part.url : `${bytes} bytes`,
  ]
    .filter((word) => word !== undefined)
    .join(', ');
}
