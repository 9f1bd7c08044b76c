import type { Cell } from '../support/cells.js';

/** A behaviour that every gateway of this product must show to whoever calls it. */
export interface Requirement {
  readonly id: string;
  /** One sentence. */
  readonly says: string;
  /**
   * Where it comes from: sections of the specifications (`A2A 3.1.5`, `MCP tools`), pages of our own
   * (`docs admin`), and rows of ../sources (`N19`, `P23`, `K14`).
   */
  readonly sources: readonly string[];
  /** Over each of which it must be proved. */
  readonly cells: readonly Cell[];
}

/** A requirement; `sources` with spaces between rows, sections after a semicolon. */
export function must(
  id: string,
  cells: readonly Cell[],
  says: string,
  rows: string,
  ...sections: readonly string[]
): Requirement {
  const named = rows === '' ? [] : rows.split(' ');
  return { id, says, sources: [...sections, ...named], cells };
}
