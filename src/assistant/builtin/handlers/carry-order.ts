import type { TurnWrites } from '../../writes/carry-out.js';
import type { WriteTool } from '../../writes/write-tool.js';
import type { Handling, TurnRun } from '../turn-run.js';

/** Proposes it; what becomes of that is the tenant's policy. */
export async function* carry(
  run: TurnRun,
  writes: TurnWrites,
  tool: WriteTool,
  args: unknown,
): Handling {
  yield { kind: 'step', text: run.words.calling(tool.name, '') };
  const carried = yield* writes.propose(tool, args);
  if (carried.kind === 'asks') {
    yield carried.frame;
    return { blocks: [] };
  }
  if (carried.outcome === 'unknown') yield { kind: 'fail', reason: carried.text };
  return { blocks: [carried.text] };
}
