import { randomBytes } from 'node:crypto';

/**
 * Marks what is data, not instruction, in a prompt. The marks hold a number that nobody outside the
 * turn can know, so data cannot end its own fence.
 */
export class Fence {
  constructor(readonly id: string = randomBytes(8).toString('hex')) {}

  /** @param title what the data is; ours, never a text from outside. */
  around(title: string, text: string): string {
    return `<<<data ${this.id} ${title}>>>\n${text.replaceAll(this.id, '')}\n<<<end ${this.id}>>>`;
  }
}
