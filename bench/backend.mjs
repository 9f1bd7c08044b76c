import { existsSync } from 'node:fs';

// The bench's assistant: `hello` at once, or as many numbered deltas as the message asks for.
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export default {
  async *run(turn, signal) {
    const ask = /^\{/.test(turn.text) ? JSON.parse(turn.text) : {};
    const { deltas = 1, pauseMs = 0, afterFile, stamped = false } = ask;
    while (afterFile !== undefined && !existsSync(afterFile) && !signal.aborted) await pause(20);
    for (let i = 0; i < deltas && !signal.aborted; i += 1) {
      yield { kind: 'content', text: textOf(i, deltas, stamped) };
      if (pauseMs > 0) await pause(pauseMs);
    }
  },
};

function textOf(i, deltas, stamped) {
  if (stamped) return `made ${(performance.timeOrigin + performance.now()).toFixed(3)} `;
  return deltas === 1 ? 'hello' : `delta ${String(i).padStart(6, '0')} `;
}
