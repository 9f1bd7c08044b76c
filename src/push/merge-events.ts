import type { Artifact, Part, StreamResponse, TaskArtifactUpdate } from '../domain/a2a.js';
import type { EventId, TaskEvent } from '../domain/event.js';

/** One notification: an event, and the place in the log up to which it tells. */
export interface Notification {
  readonly event: StreamResponse;
  readonly upTo: EventId;
}

/** A notification is not made larger than about this by merging, in characters of its events. */
const MERGED_CHARACTERS = 512 * 1024;

/**
 * The notifications for events that wait: adjacent updates of one artifact become one, a status and
 * a Task never merge. Each covers a prefix of what is left, so that a cursor can follow.
 * @param frozen the last event that an earlier, failed try has told: it is told again as it was.
 */
export function mergeEvents(events: readonly TaskEvent[], frozen = 0): Notification[] {
  const merged: Notification[] = [];
  let size = 0;
  let open = false;
  for (const { id, json } of events) {
    const event = JSON.parse(json) as StreamResponse;
    const last = merged.at(-1);
    const both =
      open && last !== undefined && size + json.length <= MERGED_CHARACTERS
        ? mergeTwo(last.event, event)
        : undefined;
    if (both === undefined) {
      merged.push({ event, upTo: id });
      size = json.length;
    } else {
      merged[merged.length - 1] = { event: both, upTo: id };
      size += json.length;
    }
    open = id.seq !== frozen;
  }
  return merged;
}

function mergeTwo(first: StreamResponse, second: StreamResponse): StreamResponse | undefined {
  if (!('artifactUpdate' in first) || !('artifactUpdate' in second)) return undefined;
  const [one, two] = [first.artifactUpdate, second.artifactUpdate];
  if (one.artifact.artifactId !== two.artifact.artifactId) return undefined;
  // What replaces the artifact makes what came before it moot.
  if (two.append !== true) return second;
  const artifact: Artifact = {
    ...one.artifact,
    ...metadataOf(one.artifact, two.artifact),
    parts: two.artifact.parts.reduce(addPart, [...one.artifact.parts]),
  };
  const update: TaskArtifactUpdate = {
    ...one,
    ...(two.lastChunk === undefined ? {} : { lastChunk: two.lastChunk }),
    ...metadataOf(one, two),
    artifact,
  };
  return { artifactUpdate: update };
}

type WithMetadata = Pick<Artifact, 'metadata'>;

function metadataOf(one: WithMetadata, two: WithMetadata): WithMetadata {
  return two.metadata === undefined ? {} : { metadata: { ...one.metadata, ...two.metadata } };
}

/** Adjacent text parts that differ in nothing but their text are one. */
function addPart(parts: Part[], part: Part): Part[] {
  const last = parts.at(-1);
  const same = last?.text !== undefined && part.text !== undefined && shell(last) === shell(part);
  if (!same) {
    parts.push(part);
    return parts;
  }
  parts[parts.length - 1] = { ...last, text: `${last.text ?? ''}${part.text ?? ''}` };
  return parts;
}

function shell({ mediaType, filename, metadata }: Part): string {
  return JSON.stringify([mediaType, filename, metadata]);
}
