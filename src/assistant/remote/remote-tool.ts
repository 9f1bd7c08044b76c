import { createHash } from 'node:crypto';
import type { WritePolicy } from '../../config/config.types.js';
import type { JsonObject } from '../../domain/a2a.js';
import type { Frame, Turn } from '../assistant-backend.js';
import type { CallDesk } from './call-desk.js';

/** For whom a tool is called. */
export interface CallScene {
  readonly turn: Pick<Turn, 'tenant' | 'taskId' | 'depth' | 'lang' | 'answering'>;
  /** Absent: nothing is recorded, and only what is read-only may be called. */
  readonly desk: CallDesk | undefined;
  readonly signal: AbortSignal;
}

export type EndState = 'rejected' | 'canceled' | 'failed';

/** How a call ended. */
export interface RemoteAnswer {
  readonly success: boolean;
  /** `unknown`: it may have been carried out, and nobody can tell. */
  readonly certainty: 'done' | 'refused' | 'unknown';
  /** The remote's words, or what went wrong, for whoever asked. */
  readonly text: string;
  /** The document that an MCP server has sent beside its texts. */
  readonly structured?: JsonObject;
  /** The remote wants to hear something before it goes on; the next call to it answers. */
  readonly asks?: { readonly kind: 'text' | 'auth'; readonly question: string };
  /** How it says itself that it ended without success; absent where we tell what went wrong. */
  readonly ended?: {
    readonly state: EndState;
    /** What it had answered until then. */
    readonly partial: string;
    /** What it says about the end; may be empty. */
    readonly reason: string;
  };
}

/** A tool that stands at another agent or an MCP server. */
export interface RemoteTool {
  /** `<remote>__<id>`. */
  readonly name: string;
  /** Configured name of the agent or server. */
  readonly remote: string;
  readonly kind: 'agent' | 'mcp';
  /** What it says of itself, cleaned and marked as its words. */
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly readOnly: boolean;
  /** Who decides about a call, where it is not read-only. */
  readonly policy: WritePolicy;
  /** One line for people. @throws ToolInputError for arguments that do not fit. */
  what(args: unknown): string;
  /**
   * Steps, thoughts, pieces of the answer and artifacts while it goes on.
   * @throws the signal's reason when it aborts; what the desk throws.
   */
  call(args: unknown, scene: CallScene): AsyncGenerator<Frame, RemoteAnswer>;
}

/** The same for the same arguments, whatever the order of their fields. */
export function hashOf(tool: string, args: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([tool, sorted(args)]))
    .digest('hex')
    .slice(0, 32);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}
