import { Logger } from '@nestjs/common';
import { afterAll, beforeAll } from 'vitest';

/** Nothing is logged while the specs of this file run. */
export function quietLogger(): void {
  beforeAll(() => {
    Logger.overrideLogger(false);
  });
  afterAll(() => {
    // Nest's own again: it takes undefined for that, which its type does not say.
    Logger.overrideLogger(undefined as never);
  });
}
