// A `module` backend without any model: a fixed script of steps that is the same for every message.
// Tenant config:
//
//   tenants:
//     - id: acme
//       assistant:
//         backend: module
//         module: ./fixed-script.mjs   # relative to the config file
//         readOnly: true               # no effect outside: may be repeated after a crash
//         options: { steps: [collect, check, report], stepMs: 200 }
//
// The whole contract stands in src/assistant/module/load-module.ts.
import { setTimeout as sleep } from 'node:timers/promises';

/** @param {{ steps?: string[], stepMs?: number }} options `assistant.options` of the config */
export default function createAgent({ steps = ['collect', 'check', 'report'], stepMs = 100 } = {}) {
  return {
    /** One message in, frames out. `signal` aborts on cancel, shutdown and timeout. */
    async *run(turn, signal) {
      yield { kind: 'reason', text: `The script has ${steps.length} steps.` };
      yield { kind: 'content', text: `Running the script for: ${turn.text}\n\n` };
      for (const [index, step] of steps.entries()) {
        yield { kind: 'step', text: `step ${index + 1} of ${steps.length}: ${step}` };
        await sleep(stepMs, undefined, { signal });
        yield { kind: 'content', text: `${index + 1}. ${step}: done\n` };
      }
      yield {
        kind: 'artifact',
        name: 'report',
        description: 'What the script did',
        parts: [{ data: { steps, turn: turn.turn, attempt: turn.attempt } }],
      };
      // Given back in turn.history of the next message of the same context.
      yield { kind: 'memory', data: { finished: steps.length } };
    },
  };
}
