import type { JsonObject, Message, StreamResponse, Task } from '../../domain/a2a.js';
import { jsonLine, terminalText } from '../terminal-text.js';
import type { Output, Streams } from './output.js';

/** One JSON document a line on stdout, nothing else there. */
export class JsonOutput implements Output {
  constructor(private readonly streams: Streams) {}

  event(event: StreamResponse): void {
    this.line(event);
  }

  message(message: Message): void {
    this.line({ message });
  }

  task(task: Task): void {
    this.line(task);
  }

  list(page: { readonly tasks: readonly Task[]; readonly nextPageToken: string }): void {
    this.line(page);
  }

  webhooks(configs: readonly JsonObject[]): void {
    for (const config of configs) this.line(config);
  }

  end(): void {
    return;
  }

  note(text: string): void {
    this.streams.err(`${terminalText(text)}\n`);
  }

  private line(document: object): void {
    this.streams.out(jsonLine(document));
  }
}
