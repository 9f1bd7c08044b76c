/** Ends a `nightjar` command with a sentence for its user; `exitCode` is one of config/exit-code. */
export class CliFailure extends Error {
  constructor(
    readonly exitCode: number,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'CliFailure';
  }
}
