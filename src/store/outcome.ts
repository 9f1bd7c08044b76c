import { ScriptCode } from '../redis/script-code.js';
import type { ScriptReply } from '../redis/scripts.js';

/** A write's answer for a run: applied, or a refusal (see `ScriptCode`). */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  /** `head`: of the log as found, where the refusal is about it. */
  | { readonly ok: false; readonly code: number; readonly head?: number };

/** @param value read from the reply of a write that was applied. */
export function outcome<T>(reply: readonly ScriptReply[], value: () => T): Outcome<T> {
  const code = Number(reply[0]);
  if (code > 0) return { ok: true, value: value() };
  return code === ScriptCode.Rewound
    ? { ok: false, code, head: Number(reply[1]) }
    : { ok: false, code };
}
