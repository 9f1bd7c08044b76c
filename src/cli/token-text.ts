import { EXIT_USAGE } from '../config/exit-code.js';
import type { TokenRecord } from '../store/token.store.js';
import { CliFailure } from './cli-failure.js';

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** What a token is called in lists and logs: enough of its hash to find it by. */
export function idOf(sha256: string): string {
  return sha256.slice(0, 16);
}

/**
 * Milliseconds since the epoch of `30d` from now, or of a date.
 * @throws CliFailure for anything else, and for the past.
 */
export function expiryOf(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const at = count === undefined ? dateOf(text) : now + Number(count) * (UNIT_MS[unit] ?? 0);
  if (Number.isNaN(at)) {
    throw new CliFailure(EXIT_USAGE, `--expires: '${text}' is neither 30d, 12h, 90m nor a date`);
  }
  if (at <= now) throw new CliFailure(EXIT_USAGE, '--expires: that is over already');
  return at;
}

/** One line a token, for a terminal. */
export function tokenTable(records: readonly TokenRecord[], now: number): string {
  const rows = records.map((record) => [
    idOf(record.sha256),
    record.tenant,
    record.user,
    record.scopes.join(','),
    day(record.created),
    stateOf(record, now),
    record.label,
  ]);
  const table = [['ID', 'TENANT', 'USER', 'SCOPES', 'CREATED', 'STATE', 'LABEL'], ...rows];
  const widths = table[0]?.map((_head, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  );
  return table
    .map((row) => row.map((cell, column) => cell.padEnd(widths?.[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function stateOf({ revoked, expires }: TokenRecord, now: number): string {
  if (revoked !== undefined) return `revoked ${day(revoked)}`;
  if (expires === undefined) return 'valid';
  return expires > now ? `until ${day(expires)}` : `expired ${day(expires)}`;
}

/** Only whole dates: Date would also read `5` as the year 2001. */
function dateOf(text: string): number {
  return /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
