import type { FastifyRequest } from 'fastify';
import { DomainError } from '../domain/errors.js';
import { InvalidParams } from '../protocols/wire/invalid-params.js';
import { parseJson } from '../protocols/wire/parse-json.js';

export type AdminRequest = FastifyRequest<{ Params: Record<string, string | undefined> }>;

/** A member of the path; never empty. */
export function pathPart(request: AdminRequest, name: string): string {
  const value = request.params[name] ?? '';
  if (value === '') throw new DomainError('NOT_FOUND', 'No such resource');
  return value;
}

/** `<id>:<verb>`, split at the last colon. @throws DomainError PATH_NOT_FOUND for another verb. */
export function splitVerb<V extends string>(text: string, verbs: readonly V[]): [string, V] {
  const at = text.lastIndexOf(':');
  const verb = verbs.find((one) => one === text.slice(at + 1));
  if (at < 1 || verb === undefined) {
    throw new DomainError('PATH_NOT_FOUND', `No such operation; there are :${verbs.join(', :')}`);
  }
  return [text.slice(0, at), verb];
}

/** The body: a JSON object; no body is an empty one. @throws DomainError PARSE_ERROR, INVALID_PARAMS. */
export function bodyOf(request: AdminRequest): Record<string, unknown> {
  const text = typeof request.body === 'string' ? request.body : '';
  if (text === '') return {};
  const body: unknown = parseJson(text);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
    return body as Record<string, unknown>;
  }
  throw new DomainError('INVALID_PARAMS', 'The body must be a JSON object');
}

/** What is wrong with a value, as the end of a sentence; undefined when nothing is. */
type Fault = (value: unknown) => string | undefined;

/** Collects what is wrong with a request, so that all of it is told at once. */
export class Fields {
  private readonly violations: { field: string; description: string }[] = [];

  /** @param known every name that may stand there. */
  constructor(
    private readonly values: Readonly<Record<string, unknown>>,
    known: readonly string[],
  ) {
    for (const name of Object.keys(values)) {
      if (!known.includes(name)) this.add(name, 'is not a known field');
    }
  }

  /** The value, if it is there; `fault` says what is wrong with it, and that it is a text. */
  text(name: string, fault: Fault): string | undefined {
    return this.taken(name, fault) as string | undefined;
  }

  /** The same for a list of texts. */
  texts(name: string, fault: Fault): string[] | undefined {
    return this.taken(name, fault) as string[] | undefined;
  }

  /** The same for a number, or its digits. */
  whole(name: string, fault: Fault): number | undefined {
    const value = this.taken(name, fault);
    return value === undefined ? undefined : Number(value);
  }

  require(name: string): void {
    if (this.values[name] === undefined) this.add(name, 'is required');
  }

  private taken(name: string, fault: Fault): unknown {
    const value = this.values[name];
    if (value === undefined || value === null) return undefined;
    const wrong = fault(value);
    if (wrong === undefined) return value;
    this.add(name, wrong);
    return undefined;
  }

  add(field: string, description: string): void {
    this.violations.push({ field, description });
  }

  /** @throws InvalidParams with all of it. */
  check(): void {
    if (this.violations.length > 0) throw new InvalidParams(this.violations);
  }
}

export function textFault(max: number): (value: unknown) => string | undefined {
  return (value) =>
    typeof value === 'string' && value.length <= max
      ? undefined
      : `must be a text of at most ${max} characters`;
}

/** A whole number, in a query as its digits. */
export function wholeFault(min: number, max: number): (value: unknown) => string | undefined {
  return (value) => {
    const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
    const fits = typeof number === 'number' && Number.isInteger(number);
    return fits && number >= min && number <= max
      ? undefined
      : `must be a whole number, ${min} to ${max}`;
  };
}
