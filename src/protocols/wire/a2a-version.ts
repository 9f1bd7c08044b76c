import type { IncomingHttpHeaders } from 'node:http';
import { DomainError } from '../../domain/errors.js';

export type A2aVersion = '0.3' | '1.0';

/**
 * What the caller asks for by the `A2A-Version` header, or the query parameter of that name (spec
 * 3.6.1): `Major.Minor`, undefined when there is none or it is empty. Only Major.Minor counts; a
 * text that is no version is returned as it is, for the refusal to name.
 */
export function requestedVersion(headers: IncomingHttpHeaders, query: unknown): string | undefined {
  const text = headerText(headers['a2a-version']) || queryText(query);
  if (text === '') return undefined;
  const match = /^(\d{1,4}\.\d{1,4})(?:\.\d{1,9})?$/.exec(text);
  return match?.[1] ?? text;
}

/**
 * The path is the version, and only an explicit, different one is refused (design section 6).
 * @throws DomainError VERSION_NOT_SUPPORTED.
 */
export function requireVersion(
  requested: string | undefined,
  served: A2aVersion,
  where: string,
): void {
  if (requested !== undefined && requested !== served) {
    throw versionNotSupported(requested, [served], where);
  }
}

/** @param where what the caller talked to, e.g. `/a2a/v1`. */
export function versionNotSupported(
  requested: string,
  supported: readonly A2aVersion[],
  where: string,
): DomainError {
  const named = requested.slice(0, 32);
  return new DomainError(
    'VERSION_NOT_SUPPORTED',
    `A2A version ${JSON.stringify(named)} is not supported on ${where}, which speaks ${supported.join(' and ')}`,
    { metadata: { requested: named, supported: supported.join(',') } },
  );
}

/** A header sent twice arrives joined by commas: the same value twice is one value. */
function headerText(header: string | string[] | undefined): string {
  const values = String(header ?? '')
    .split(',')
    .map((value) => value.trim());
  return values.every((value) => value === values[0]) ? (values[0] ?? '') : String(header);
}

function queryText(query: unknown): string {
  if (typeof query !== 'object' || query === null) return '';
  for (const [name, value] of Object.entries(query)) {
    if (name.toLowerCase() === 'a2a-version') return headerText(String(value));
  }
  return '';
}
