import type { Looked } from './write-desk.js';
import type { BegunWrite } from './write-plan.js';
import type { LookScene, WriteTool } from './write-tool.js';

/** How long a source is asked what is there. */
export const LOOK_MS = 5000;

/**
 * Looks what became of writes that an instance had begun before it was gone. Nothing is written: a
 * request that was sent may still be on its way, and so may one that a stopped instance goes on with.
 */
export async function lookBack(
  begun: readonly BegunWrite[],
  tools: readonly WriteTool[],
  scene: LookScene,
): Promise<readonly Looked[]> {
  return Promise.all(
    begun.map(async ({ tool: name, args }): Promise<Looked> => {
      const tool = tools.find((one) => one.name === name);
      // A source that cannot be asked says as much as no look at all.
      const looked = await tool?.lookBack?.(args, scene).catch(() => undefined);
      return looked ?? { outcome: 'unknown' };
    }),
  );
}
