import { WatchedFetch } from '../../outbound/watched-fetch.js';
import { ModelFault } from './model-fault.js';

/** More than any answer; a server that never ends must not fill our memory. */
const MOST_BYTES = 16 * 1024 * 1024;
const CONNECT_MS = 10_000;

/** The HTTP side of one model; see WatchedFetch. */
export class ModelHttp extends WatchedFetch {
  constructor(timeoutMs: number) {
    super({
      connectMs: Math.min(CONNECT_MS, timeoutMs),
      silenceMs: timeoutMs,
      maxBytes: MOST_BYTES,
      fault: (kind) => new ModelFault(kind),
    });
  }
}
