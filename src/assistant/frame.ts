import type { JsonObject, JsonValue, Part } from '../domain/a2a.js';

/** A tool call that has ended: counted, and kept as evidence, in the run's `result` artifact. */
export interface ToolUse {
  readonly callId: string;
  readonly name: string;
  readonly outcome: 'success' | 'failed';
  /** What the tool answered; cut to 4 KiB in the evidence. */
  readonly output: string;
}

/** What a backend yields while it works. */
export type Frame =
  /** A piece of the answer. */
  | { readonly kind: 'content'; readonly text: string }
  /** A piece of a thought; shown apart from the answer. */
  | { readonly kind: 'reason'; readonly text: string }
  /** A line on what is being done, e.g. a tool call. Ends the current thought. */
  | { readonly kind: 'step'; readonly text: string; readonly tool?: ToolUse }
  /** A whole artifact beside the answer: text, data or file parts (`raw` in base64). */
  | {
      readonly kind: 'artifact';
      readonly name: string;
      readonly parts: readonly Part[];
      readonly description?: string;
      /** n9e_content_type of a structured payload, e.g. `alert_rule`. */
      readonly contentType?: string;
    }
  /** Parks the task on a question; the user's next message continues it as a new run. */
  | {
      readonly kind: 'input_required';
      readonly question: string;
      readonly expects: 'approval' | 'text';
      /** Shown to the client as a data part, and given back with the answer. */
      readonly plan?: JsonObject;
    }
  /** Parks the task until the user has authorised something elsewhere. */
  | { readonly kind: 'auth_required'; readonly question: string; readonly plan?: JsonObject }
  /** Ends the task as REJECTED: the backend will not do this. */
  | { readonly kind: 'reject'; readonly reason: string }
  /** Ends the task as FAILED with a text for the user. */
  | { readonly kind: 'fail'; readonly reason: string }
  /** Kept with the turn (≤ 16 KiB of JSON, else dropped) for the next one; not shown. */
  | { readonly kind: 'memory'; readonly data: JsonValue };
