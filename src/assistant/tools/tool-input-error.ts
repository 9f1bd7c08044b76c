import { faultText, type ToolFault } from './tool-fault.js';

/**
 * The arguments are refused; the message is written for whoever sent them, in English. `fault` is there
 * for other languages; absent: what is wrong is told in words only.
 */
export class ToolInputError extends Error {
  readonly fault: ToolFault | undefined;

  constructor(why: string | ToolFault, options?: ErrorOptions) {
    super(typeof why === 'string' ? why : faultText(why), options);
    this.fault = typeof why === 'string' ? undefined : why;
  }
}
