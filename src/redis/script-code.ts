import { DomainError, unavailable } from '../domain/errors.js';

/** What a script's first number means when it is negative: a refusal, and nothing was written. */
export const ScriptCode = {
  Missing: -1,
  Terminal: -2,
  StaleEpoch: -3,
  CursorLost: -4,
  Rewound: -5,
  ContextBusy: -6,
  UserQuota: -7,
  TenantQuota: -8,
  TenantInactive: -9,
  NotParked: -11,
  HeadMoved: -12,
  IdInUse: -13,
  StageGone: -14,
  Canceled: -15,
  KeyReused: -16,
  NotEnded: -17,
  QuestionOpen: -18,
  FilesFull: -19,
  TooManyHooks: -20,
  ClaimLost: -21,
  TooManyApprovals: -22,
  OtherVersion: -23,
  TokenQuota: -24,
  DayOver: -25,
  RateOver: -26,
} as const;

export type Refusal = (typeof ScriptCode)[keyof typeof ScriptCode];

/** A refusal as the caller of the operation should hear it; the one mapper, but for limits. */
export function refusalToError(code: number, taskId: string): DomainError {
  switch (code as Refusal) {
    case ScriptCode.Missing:
      return new DomainError('TASK_NOT_FOUND', 'Task not found', { metadata: { taskId } });
    case ScriptCode.Terminal:
      return new DomainError(
        'UNSUPPORTED_OPERATION',
        'The task has ended and takes no more input',
        {
          metadata: { taskId },
        },
      );
    case ScriptCode.ContextBusy:
      return new DomainError(
        'CONTEXT_BUSY',
        'Another task of this context is still running; wait for it, cancel it, or use another context',
        { retryAfter: 1 },
      );
    case ScriptCode.TenantInactive:
      return new DomainError('PERMISSION_DENIED', 'This tenant or user is suspended');
    case ScriptCode.NotParked:
      return new DomainError(
        'CONTEXT_BUSY',
        'The task is running and takes no message now; subscribe to it or cancel it',
        { retryAfter: 1 },
      );
    case ScriptCode.KeyReused:
      return new DomainError(
        'IDEMPOTENCY_CONFLICT',
        'This Idempotency-Key was used for another message',
      );
    case ScriptCode.NotEnded:
      return new DomainError('UNSUPPORTED_OPERATION', 'The task has not ended; cancel it first', {
        metadata: { taskId },
      });
    case ScriptCode.QuestionOpen:
    case ScriptCode.FilesFull:
    case ScriptCode.TooManyHooks:
      return new DomainError('QUOTA', 'The task has as many webhooks as a task may have', {
        metadata: { quota: 'webhooks_task' },
      });
    case ScriptCode.TooManyApprovals:
    case ScriptCode.ClaimLost:
    case ScriptCode.OtherVersion:
    case ScriptCode.StaleEpoch:
    case ScriptCode.CursorLost:
    case ScriptCode.Rewound:
    case ScriptCode.HeadMoved:
    case ScriptCode.IdInUse:
    case ScriptCode.StageGone:
    case ScriptCode.Canceled:
      return unavailable('The task changed at the same moment; try again');
    // Of limits: see quotaRefusal, which knows them.
    case ScriptCode.UserQuota:
    case ScriptCode.TenantQuota:
    case ScriptCode.TokenQuota:
    case ScriptCode.DayOver:
    case ScriptCode.RateOver:
    default:
      throw new Error(`bug: a script answered the unknown code ${code}`);
  }
}
