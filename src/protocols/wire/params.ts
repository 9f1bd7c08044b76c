import type { JsonObject, JsonValue } from '../../domain/a2a.js';
import { isObject } from './json-rpc.js';
import { type FieldViolation, InvalidParams } from './invalid-params.js';

/** The most that the protocol buffer's int32 holds. */
export const INT32_MAX = 2 ** 31 - 1;

/**
 * Reads the fields of a request object, strictly, and collects what is wrong, so that a caller
 * hears of all faults at once. A field that is null or absent is unset (ProtoJSON); unknown fields
 * are ignored (A2A spec 5.7).
 */
export class Params {
  private constructor(
    private readonly object: JsonObject,
    private readonly path: string,
    private readonly violations: FieldViolation[],
  ) {}

  /** @throws InvalidParams when `value` is no object. */
  static of(value: JsonValue | undefined): Params {
    if (!isObject(value)) {
      throw new InvalidParams([{ field: 'request', description: 'must be an object' }]);
    }
    return new Params(value, '', []);
  }

  /** Call it once all fields have been read. @throws InvalidParams when one was wrong. */
  check(): void {
    if (this.violations.length > 0) throw new InvalidParams(this.violations);
  }

  /** How many faults the whole request has so far. */
  get faults(): number {
    return this.violations.length;
  }

  has(key: string): boolean {
    return this.raw(key) !== undefined;
  }

  fault(key: string, description: string): void {
    this.violations.push({ field: this.path + key, description });
  }

  /** A fault of the object itself. */
  faultHere(description: string): void {
    this.violations.push({ field: this.path.slice(0, -1), description });
  }

  nested(key: string): Params | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    if (isObject(value)) return new Params(value, `${this.path}${key}.`, this.violations);
    this.fault(key, 'must be an object');
    return undefined;
  }

  /** The field as it is, when it is an object. */
  document(key: string): JsonObject | undefined {
    const value = this.raw(key);
    if (value === undefined || isObject(value)) return value;
    this.fault(key, 'must be an object');
    return undefined;
  }

  /** The elements of a list of objects. */
  objects(key: string): readonly Params[] | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) {
      this.fault(key, 'must be a list');
      return undefined;
    }
    return (value as readonly JsonValue[]).flatMap((element, index) => {
      const at = `${key}[${index}]`;
      if (isObject(element)) {
        return [new Params(element, `${this.path}${at}.`, this.violations)];
      }
      this.fault(at, 'must be an object');
      return [];
    });
  }

  string(key: string): string | undefined {
    const value = this.raw(key);
    if (value === undefined || typeof value === 'string') return value;
    this.fault(key, 'must be a string');
    return undefined;
  }

  /** An id: a string that is not blank, of at most `maxBytes` UTF-8 bytes; "" is unset. */
  id(key: string, maxBytes: number): string | undefined {
    const value = this.string(key);
    if (value === undefined || value === '') return undefined;
    if (value.trim() === '') this.fault(key, 'must not be blank');
    if (Buffer.byteLength(value) > maxBytes) {
      this.fault(key, `must not be longer than ${maxBytes} bytes`);
    }
    return value;
  }

  requiredId(key: string, maxBytes: number): string {
    const before = this.violations.length;
    const value = this.id(key, maxBytes);
    if (value !== undefined) return value;
    if (this.violations.length === before) this.fault(key, 'is required');
    return '';
  }

  strings(key: string): readonly string[] | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((element) => typeof element === 'string')) return value;
    this.fault(key, 'must be a list of strings');
    return undefined;
  }

  boolean(key: string): boolean | undefined {
    const value = this.raw(key);
    if (value === undefined || typeof value === 'boolean') return value;
    this.fault(key, 'must be true or false');
    return undefined;
  }

  integer(key: string, min: number, max: number): number | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) {
      return value;
    }
    const range = max === INT32_MAX ? `of at least ${min}` : `from ${min} to ${max}`;
    this.fault(key, `must be an integer ${range}`);
    return undefined;
  }

  /** Undefined for null, as for a field that is not there. */
  raw(key: string): JsonValue | undefined {
    // An own property only: a body cannot reach Object.prototype, nor be answered from it.
    return Object.hasOwn(this.object, key) ? (this.object[key] ?? undefined) : undefined;
  }

  /** Whether the key is there, also with null. */
  names(): readonly string[] {
    return Object.keys(this.object);
  }
}
