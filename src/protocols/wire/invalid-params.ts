import { DomainError } from '../../domain/errors.js';

/** One field of a request that is wrong, as in google.rpc.BadRequest.FieldViolation. */
export interface FieldViolation {
  /** JSON path from the request's root, e.g. `message.parts[0].text`. */
  readonly field: string;
  readonly description: string;
}

/** INVALID_PARAMS that names every wrong field at once. */
export class InvalidParams extends DomainError {
  constructor(readonly violations: readonly FieldViolation[]) {
    super(
      'INVALID_PARAMS',
      `Invalid request: ${violations.map((one) => `${one.field} ${one.description}`).join('; ')}`,
    );
    this.name = 'InvalidParams';
  }
}
