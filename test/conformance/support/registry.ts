import type { Cell } from './cells.js';
import type { World } from './world.js';

/** Rejects when the server does not behave as required. */
export type Proof = (world: World) => Promise<void>;

export interface RegisteredProof {
  /** Of the requirement. */
  readonly id: string;
  readonly cell: Cell;
  readonly run: Proof;
}

const registered: RegisteredProof[] = [];

/** Declares that `run` proves a requirement, over each of the cells by a run of its own. */
export function prove(id: string, cells: readonly Cell[], run: Proof): void {
  registered.push(...cells.map((cell) => ({ id, cell, run })));
}

/** All that were declared; proofs/index.js must have been imported. */
export function proofs(): readonly RegisteredProof[] {
  return registered;
}
