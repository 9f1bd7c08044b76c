import { EXIT_USAGE } from '../config/exit-code.js';
import { dateFault } from '../config/dto/token.dto.js';
import { SYSTEM_TENANT } from '../auth/principal.js';
import { type TokenRecord, tokenId } from '../store/token.store.js';
import { CliFailure } from './cli-failure.js';
import { table } from './table.js';

const DAY_MS = 86_400_000;
const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: DAY_MS };

/** Milliseconds of `90m`, `12h` or `30d`; undefined for any other text. */
export function durationOf(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (UNIT_MS[unit] ?? 0);
}

/**
 * Milliseconds since the epoch of `30d` from now, or of a date.
 * @throws CliFailure for anything else, and for the past.
 */
export function expiryOf(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const duration = durationOf(text);
  const at = duration === undefined ? dateOf(text) : now + duration;
  if (Number.isNaN(at)) {
    throw new CliFailure(EXIT_USAGE, `--expires: '${text}' is neither 30d, 12h, 90m nor a date`);
  }
  if (at <= now) throw new CliFailure(EXIT_USAGE, '--expires: that is over already');
  return at;
}

/** Milliseconds since the epoch of `12h` ago, or of a date; NaN for anything else. */
export function momentOf(text: string, now: number): number {
  const duration = durationOf(text);
  return duration === undefined ? dateOf(text) : now - duration;
}

/** One line a token, for a terminal. */
export function tokenTable(records: readonly TokenRecord[], now: number): string {
  return table(
    ['ID', 'TENANT', 'USER', 'SCOPES', 'CREATED', 'USED', 'STATE', 'LABEL'],
    records.map((record) => [
      tokenId(record.sha256),
      record.tenant === SYSTEM_TENANT ? '-' : record.tenant,
      record.user,
      record.scopes.join(','),
      day(record.created),
      record.lastUsed === undefined ? 'never' : minute(record.lastUsed),
      stateOf(record, now),
      record.addresses === undefined
        ? record.label
        : `${record.label} (from ${record.addresses.join(', ')})`.trimStart(),
    ]),
  );
}

function stateOf({ revoked, expires }: TokenRecord, now: number): string {
  if (revoked !== undefined) return `revoked ${day(revoked)}`;
  if (expires === undefined) return 'valid';
  const soon = expires - now < 2 * DAY_MS;
  return expires > now
    ? `until ${soon ? minute(expires) : day(expires)}`
    : `expired ${day(expires)}`;
}

function dateOf(text: string): number {
  return dateFault(text) === undefined ? Date.parse(text) : Number.NaN;
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** In UTC, as the days are. */
function minute(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16)}Z`;
}
