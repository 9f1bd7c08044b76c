// The bench's assistant: `hello` at once, or as many numbered deltas as the message asks for.
export default {
  async *run(turn, signal) {
    const { deltas = 1, pauseMs = 0 } = /^\{/.test(turn.text) ? JSON.parse(turn.text) : {};
    for (let i = 0; i < deltas && !signal.aborted; i += 1) {
      yield {
        kind: 'content',
        text: deltas === 1 ? 'hello' : `delta ${String(i).padStart(6, '0')} `,
      };
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  },
};
