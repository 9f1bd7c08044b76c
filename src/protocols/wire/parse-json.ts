import { toUSVString } from 'node:util';
import type { JsonValue } from '../../domain/a2a.js';
import { DomainError } from '../../domain/errors.js';

/** Deeper bodies are refused: no document of ours needs it, and recursion over them costs stack. */
export const MAX_JSON_DEPTH = 64;

const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * Reads a request's JSON once and for all, so that no one further in has to ask again: bounded
 * depth, no key twice in one object (a proxy before us may have read the other one), no
 * `__proto__` key, no lone surrogate (it could not be written as UTF-8).
 * @throws DomainError PARSE_ERROR, with a text that quotes nothing of the body.
 */
export function parseJson(text: string): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    throw parseError(text.trim() === '' ? 'The body is empty' : 'The body is not valid JSON');
  }
  scan(text);
  return value;
}

/**
 * One pass over text that JSON.parse has accepted, which is why it may be so simple. Keys are
 * compared as they are written, except those with an escape, which are decoded first.
 */
function scan(text: string): void {
  // The keys of each open object; undefined stands for an open array.
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case 0x7b: // {
        open.push(new Set());
        if (open.length > MAX_JSON_DEPTH) throw tooDeep();
        break;
      case 0x5b: // [
        open.push(undefined);
        if (open.length > MAX_JSON_DEPTH) throw tooDeep();
        break;
      case 0x7d: // }
      case 0x5d: // ]
        open.pop();
        break;
      case 0x22: {
        const end = endOfString(text, at);
        checkString(text, at, end, open.at(-1));
        at = end;
        break;
      }
      default:
    }
  }
}

function checkString(text: string, start: number, end: number, keys: Set<string> | undefined) {
  const raw = text.slice(start, end + 1);
  const escaped = raw.includes('\\');
  if (escaped && !isWellFormed(JSON.parse(raw) as string)) {
    throw parseError('A string of the body has half a surrogate pair');
  }
  if (keys === undefined || !isKey(text, end)) return;
  const key = escaped ? (JSON.parse(raw) as string) : raw.slice(1, -1);
  if (key === '__proto__') throw parseError('The key __proto__ is not allowed');
  if (keys.has(key)) throw parseError('An object of the body has a key twice');
  keys.add(key);
}

/** The index of the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}

/** A string in an object is a key when a colon follows. */
function isKey(text: string, end: number): boolean {
  let at = end + 1;
  while (SPACES.has(text.charCodeAt(at))) at += 1;
  return text.charCodeAt(at) === 0x3a;
}

function isWellFormed(text: string): boolean {
  return toUSVString(text) === text;
}

function tooDeep(): DomainError {
  return parseError(`The body is nested deeper than ${MAX_JSON_DEPTH} levels`);
}

function parseError(message: string): DomainError {
  return new DomainError('PARSE_ERROR', message);
}
