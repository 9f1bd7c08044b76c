export interface ErrorDescription {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: ErrorDescription;
}

const MAX_CAUSES = 4;

/**
 * What a log may hold of an error: these keys and no others. A Redis error carries the command with
 * its arguments, which are message texts and token hashes.
 */
export function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an Error' };
  const code: unknown = 'code' in error ? error.code : undefined;
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' ? { code } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause === undefined || depth >= MAX_CAUSES
      ? {}
      : { cause: describeError(error.cause, depth + 1) }),
  };
}
