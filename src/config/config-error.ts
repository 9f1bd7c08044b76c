/** One line each: `tenants[1].sources[0].url: must be …`. Never holds a secret's value. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}`);
    this.name = 'ConfigError';
  }

  /** The headline and every fault, for a terminal. */
  override toString(): string {
    return [`${this.message}:`, ...this.faults.map((fault) => `  ${fault}`)].join('\n');
  }
}
