import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config/config.types.js';
import type { Artifact, Part, StreamResponse, Task } from '../../domain/a2a.js';
import type { CallContext } from '../../domain/call-context.js';
import { jsonBytes, WIRE_BYTES } from '../../domain/document-size.js';
import { FILE_MARK, fileLink, fileOf, refersToFiles } from '../../domain/file-ref.js';
import { FileService } from '../../tasks/file.service.js';
import { mapStream } from './map-stream.js';
import type { TaskStream } from '../../tasks/task.types.js';

/** All files of one response or event; the rest are links. */
const INLINE_RESPONSE_BYTES = 1024 * 1024;

/** Who is shown files, and under which URL he reaches the gateway. */
export interface FileViewer {
  readonly ctx: CallContext;
  /** Without a trailing slash. */
  readonly baseUrl: string;
}

/**
 * Turns the references to files in documents on their way out into bytes or links (design section
 * 6). What refers to none passes as it is, and events without one are not even parsed. Files stop
 * being inline where a document would outgrow the wire.
 */
@Injectable()
export class FileView {
  private readonly inlineMaxBytes: number;

  constructor(
    private readonly files: FileService,
    @Inject(GATEWAY_CONFIG) config: GatewayConfig,
  ) {
    this.inlineMaxBytes = config.files.inlineMaxBytes;
  }

  async task(task: Task, viewer: FileViewer): Promise<Task> {
    if (!refersToFiles(task)) return task;
    return this.showTask(task, viewer, this.budgetOf(jsonBytes(task)));
  }

  /** A page shares one budget. */
  async tasks(tasks: readonly Task[], viewer: FileViewer): Promise<readonly Task[]> {
    if (!tasks.some(refersToFiles)) return tasks;
    const budget = this.budgetOf(jsonBytes(tasks));
    const shown: Task[] = [];
    for (const task of tasks) shown.push(await this.showTask(task, viewer, budget));
    return shown;
  }

  stream(stream: TaskStream, viewer: FileViewer): TaskStream {
    return mapStream(stream, (event) =>
      event.json.includes(FILE_MARK)
        ? this.event(event.json, viewer).then((json) => ({ ...event, json }))
        : event,
    );
  }

  private async event(json: string, viewer: FileViewer): Promise<string> {
    const event = JSON.parse(json) as StreamResponse;
    const budget = this.budgetOf(Buffer.byteLength(json));
    if ('task' in event) {
      return JSON.stringify({ ...event, task: await this.showTask(event.task, viewer, budget) });
    }
    if (!('artifactUpdate' in event)) return json;
    const { artifactUpdate } = event;
    const { artifact, taskId } = artifactUpdate;
    const [shown] = await this.showArtifacts([artifact], taskId, viewer, budget);
    return JSON.stringify({ ...event, artifactUpdate: { ...artifactUpdate, artifact: shown } });
  }

  private async showTask(task: Task, viewer: FileViewer, budget: Budget): Promise<Task> {
    const { artifacts } = task;
    if (artifacts === undefined || !refersToFiles(task)) return task;
    return { ...task, artifacts: await this.showArtifacts(artifacts, task.id, viewer, budget) };
  }

  private async showArtifacts(
    artifacts: readonly Artifact[],
    taskId: string,
    { ctx, baseUrl }: FileViewer,
    budget: Budget,
  ): Promise<readonly Artifact[]> {
    const wanted = artifacts
      .flatMap(({ parts }) => parts.map(fileOf))
      .flatMap((file) => (file !== undefined && budget.take(file.bytes) ? [file.name] : []));
    const found = wanted.length === 0 ? [] : await this.files.readMany(ctx, taskId, wanted);
    const contents = new Map(wanted.map((name, index) => [name, found[index]?.content]));
    const show = (part: Part): Part => {
      const file = fileOf(part);
      if (file === undefined) return part;
      const { url: _reference, ...rest } = part;
      const content = contents.get(file.name);
      if (content !== undefined) return { ...rest, raw: content.toString('base64') };
      return { ...rest, url: fileLink(baseUrl, taskId, file.name) };
    };
    return artifacts.map((artifact) => ({ ...artifact, parts: artifact.parts.map(show) }));
  }

  /** @param bytes of the document as it is; a byte of a file takes four thirds of one in base64. */
  private budgetOf(bytes: number): Budget {
    const left = Math.floor(((WIRE_BYTES - bytes) * 3) / 4);
    return new Budget(this.inlineMaxBytes, Math.min(INLINE_RESPONSE_BYTES, left));
  }
}

/** How much of one response may still be inline. */
class Budget {
  constructor(
    private readonly eachMost: number,
    private left: number,
  ) {}

  take(bytes: number): boolean {
    if (bytes > this.eachMost || bytes > this.left) return false;
    this.left -= bytes;
    return true;
  }
}
