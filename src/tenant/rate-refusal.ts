import type { IncomingMessage } from 'node:http';
import { SetMetadata } from '@nestjs/common';
import type { DomainError } from '../domain/errors.js';

export const REFUSES_RATES_ITSELF = Symbol('RefusesRatesItself');

/** Marks a route whose refusals by a rate depend on what is asked; it must look at `rateRefusalOf`. */
export const RefusesRatesItself = () => SetMetadata(REFUSES_RATES_ITSELF, true);

const refusals = new WeakMap<IncomingMessage, DomainError>();

export function noteRateRefusal(request: IncomingMessage, refusal: DomainError): void {
  refusals.set(request, refusal);
}

/** Why the request must be refused; undefined when its rates let it through. */
export function rateRefusalOf(request: IncomingMessage): DomainError | undefined {
  return refusals.get(request);
}
