/** How the command-line clients end; documented in their `--help`. */
export const EXIT = {
  /** The task completed, or the command did what it was asked. */
  ok: 0,
  /** The task ended as FAILED, REJECTED or CANCELED. */
  failed: 1,
  usage: 2,
  /** The task waits for its user. */
  inputRequired: 3,
  /** No token, a wrong one, or one that may not do this. */
  auth: 4,
  /** The server cannot be reached or cannot take the request now. */
  unreachable: 5,
  /** The server refused the request: unknown task, busy conversation, bad argument, quota. */
  refused: 6,
  /** The task has not ended yet. */
  running: 7,
  /** Left by Ctrl-C; the task goes on. */
  detached: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_HELP = `
Exit codes:
  0  completed           1  failed, rejected or canceled    2  wrong usage
  3  waits for input     4  token missing or not allowed    5  unreachable or unavailable
  6  request refused     7  still running                 130  left by Ctrl-C; the task goes on`;

/** Ends the program with a sentence for its user. */
export class CliError extends Error {
  constructor(
    readonly exitCode: ExitCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'CliError';
  }
}
