import type { Meter, Shortage } from '../assistant/assistant-backend.js';
import type { Allowance } from './allowance.service.js';

/** What one run uses: counted, and taken out of the allowances of the day. */
export class RunMeter implements Meter {
  readonly tokens = { inputTokens: 0, outputTokens: 0 };
  private taken = 0;

  constructor(private readonly allowance: Allowance) {}

  /** Calls of tools that the backend was allowed. */
  get granted(): number {
    return this.taken;
  }

  used({ input, output }: { readonly input: number; readonly output: number }): void {
    this.tokens.inputTokens += input;
    this.tokens.outputTokens += output;
  }

  async take(what: 'llm' | 'tools', amount: number): Promise<Shortage | undefined> {
    const short = await this.allowance.take(what, amount);
    if (short === undefined && what === 'tools') this.taken += amount;
    return short;
  }

  correct(what: 'llm' | 'tools', by: number): void {
    this.allowance.correct(what, by);
  }
}
