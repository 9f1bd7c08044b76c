import { Injectable } from '@nestjs/common';
import type { Artifact, Part, StreamResponse, Task } from '../../domain/a2a.js';
import type { CallContext } from '../../domain/call-context.js';
import { FILE_MARK, fileLink, fileOf, refersToFiles } from '../../domain/file-ref.js';
import { FileService } from '../../tasks/file.service.js';
import type { TaskStream } from '../../tasks/task.types.js';

/** Larger files, and what goes over the second in one response or event, are links. */
const INLINE_BYTES = 256 * 1024;
const INLINE_RESPONSE_BYTES = 1024 * 1024;

/** Who is shown files, and under which URL he reaches the gateway. */
export interface FileViewer {
  readonly ctx: CallContext;
  /** Without a trailing slash. */
  readonly baseUrl: string;
}

/**
 * Turns the references to files in documents on their way out into bytes or links (design section
 * 6). What refers to none passes as it is, and events without one are not even parsed.
 */
@Injectable()
export class FileView {
  constructor(private readonly files: FileService) {}

  async task(task: Task, viewer: FileViewer): Promise<Task> {
    return refersToFiles(task) ? this.showTask(task, viewer, new Budget()) : task;
  }

  /** A page shares one budget. */
  async tasks(tasks: readonly Task[], viewer: FileViewer): Promise<readonly Task[]> {
    if (!tasks.some(refersToFiles)) return tasks;
    const budget = new Budget();
    const shown: Task[] = [];
    for (const task of tasks) shown.push(await this.showTask(task, viewer, budget));
    return shown;
  }

  async *stream(stream: TaskStream, viewer: FileViewer): TaskStream {
    for await (const event of stream) {
      if (event.json.includes(FILE_MARK)) {
        yield { ...event, json: await this.event(event.json, viewer) };
      } else yield event;
    }
  }

  private async event(json: string, viewer: FileViewer): Promise<string> {
    const event = JSON.parse(json) as StreamResponse;
    const budget = new Budget();
    if ('task' in event) {
      return JSON.stringify({ ...event, task: await this.showTask(event.task, viewer, budget) });
    }
    if (!('artifactUpdate' in event)) return json;
    const { artifactUpdate } = event;
    const { artifact, taskId } = artifactUpdate;
    const shown = await this.showArtifact(artifact, taskId, viewer, budget);
    return JSON.stringify({ ...event, artifactUpdate: { ...artifactUpdate, artifact: shown } });
  }

  private async showTask(task: Task, viewer: FileViewer, budget: Budget): Promise<Task> {
    const artifacts: Artifact[] = [];
    for (const artifact of task.artifacts ?? []) {
      artifacts.push(await this.showArtifact(artifact, task.id, viewer, budget));
    }
    return artifacts.length > 0 ? { ...task, artifacts } : task;
  }

  private async showArtifact(
    artifact: Artifact,
    taskId: string,
    viewer: FileViewer,
    budget: Budget,
  ): Promise<Artifact> {
    const parts: Part[] = [];
    for (const part of artifact.parts) {
      parts.push(await this.showPart(part, taskId, viewer, budget));
    }
    return { ...artifact, parts };
  }

  private async showPart(
    part: Part,
    taskId: string,
    { ctx, baseUrl }: FileViewer,
    budget: Budget,
  ): Promise<Part> {
    const file = fileOf(part);
    if (file === undefined) return part;
    const { url: _reference, ...rest } = part;
    if (budget.take(file.bytes)) {
      const [found] = await this.files.readMany(ctx, taskId, [file.name]);
      if (found !== undefined) return { ...rest, raw: found.content.toString('base64') };
    }
    return { ...rest, url: fileLink(baseUrl, taskId, file.name) };
  }
}

/** How much of one response may still be inline. */
class Budget {
  private left = INLINE_RESPONSE_BYTES;

  take(bytes: number): boolean {
    if (bytes > INLINE_BYTES || bytes > this.left) return false;
    this.left -= bytes;
    return true;
  }
}
