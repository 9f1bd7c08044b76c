/**
 * The part of an AbortSignal that tells whoever waits that it is over; any AbortSignal is one. An
 * AbortSignal itself takes a kilobyte in Node 20, which counts where one is kept for each open stream.
 */
export interface EndSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { once: true }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
