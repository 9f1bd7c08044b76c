import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ModuleAgent } from './module-backend.js';

/**
 * Loads the ES module that a tenant's config names and makes its agent.
 *
 * The contract of such a module, in full:
 *
 * - Its default export is a factory `(options) => agent`, which may be async, or the agent itself.
 *   `options` is `assistant.options` of the tenant's config, as it stands there.
 * - `agent.run(turn, signal)` answers one message: an async iterable (usually an async generator)
 *   of frames. `turn` and the frames are `Turn` and `Frame` of assistant-backend.ts, as plain
 *   objects; a frame with an unknown kind, a missing or an unknown field, or a field of the wrong
 *   type ends the run as FAILED.
 * - It is called concurrently, for any user of the tenant, in any instance.
 * - It must stop soon after `signal` aborts (cancel, shutdown, end of the time budget).
 * - When the config says `readOnly: true`, a run may be started again on another instance after a
 *   crash (`turn.attempt` counts), so it must have no effect outside.
 * - It runs inside the gateway's process with all of its rights: load only your own code.
 *
 * An example is examples/module-backend/fixed-script.mjs.
 * @throws Error that says what is wrong with the module, for the operator.
 */
export async function loadModule(
  path: string,
  options: Readonly<Record<string, unknown>>,
): Promise<ModuleAgent> {
  if (!isAbsolute(path)) throw new Error(`the module's path is not absolute: ${path}`);
  const module = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
  const exported = module.default;
  if (exported === undefined) throw new Error(`${path} has no default export`);
  const agent: unknown =
    typeof exported === 'function'
      ? await (exported as (given: Readonly<Record<string, unknown>>) => unknown)(options)
      : exported;
  if (!isAgent(agent)) {
    throw new Error(`${path}: its default export neither is nor makes an object with a run method`);
  }
  return agent;
}

function isAgent(value: unknown): value is ModuleAgent {
  return (
    typeof value === 'object' && value !== null && 'run' in value && typeof value.run === 'function'
  );
}
