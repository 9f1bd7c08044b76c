/** Why a run is told to stop: the reason of its abort signal. */
export type StopReason =
  /** Somebody asked for the end. */
  | { readonly kind: 'cancel'; readonly mark: string }
  /** Its deadline has passed. */
  | { readonly kind: 'budget' }
  /** It is no longer this instance's task, or is handed over: write nothing more. */
  | { readonly kind: 'leave' };

/**
 * Whether the task itself ends with this abort. False where another instance goes on with it: what
 * was set in motion elsewhere must then go on as well.
 */
export function endsTask(signal: AbortSignal): boolean {
  const reason = signal.reason as { readonly kind?: unknown } | undefined;
  return signal.aborted && (reason?.kind === 'cancel' || reason?.kind === 'budget');
}
