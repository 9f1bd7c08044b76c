import { ScriptCode } from '../redis/script-code.js';

/** Why a run may not write any more. */
export type LostReason =
  /** Another instance took the task over: leave it alone. */
  | 'fenced'
  /** It has ended already (forced cancel). */
  | 'ended'
  /** Its keys are gone. */
  | 'missing'
  /** Redis lost acknowledged events: the run cannot go on from here. */
  | 'rewound'
  /** Redis did not answer for 30 s. */
  | 'outage';

/** Thrown by every write of a run that has lost its task. */
export class RunLostError extends Error {
  constructor(
    readonly reason: LostReason,
    cause?: unknown,
  ) {
    super(`the run lost its task: ${reason}`, { cause });
    this.name = 'RunLostError';
  }
}

/** Of a write of a run that a script refused with this code. */
export function lostBy(code: number): LostReason {
  switch (code) {
    case ScriptCode.StaleEpoch:
      return 'fenced';
    case ScriptCode.Terminal:
      return 'ended';
    case ScriptCode.Missing:
      return 'missing';
    case ScriptCode.Rewound:
      return 'rewound';
    default:
      throw new Error(`bug: a write of a run was refused with ${code}`);
  }
}
