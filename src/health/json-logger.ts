import { inspect } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import { destination, type Level, type Logger as Pino, pino } from 'pino';
import type { GatewayConfig } from '../config/config.types.js';
import { activeTraceId } from '../tracing/tracing.js';
import { describeError } from './describe-error.js';

/** What Nest says about itself while it starts: thirty lines that interest nobody but its makers. */
const CHATTY = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/**
 * Nest's logger on pino: one JSON object a line on standard output. A message is a text, or an
 * object whose `msg` is the text and whose other keys become fields (requestId, taskId, tenant, …).
 * Never a token, and no text of a user at info or above: that is for the callers to hold to.
 */
export class JsonLogger implements LoggerService {
  constructor(private readonly pino: Pino) {}

  static toStdout(level: GatewayConfig['log']['level']): JsonLogger {
    const out = destination({ dest: 1, sync: true });
    // The reader of a pipe may be gone; that must not end the gateway.
    out.on('error', () => undefined);
    return new JsonLogger(createPino(level, out));
  }

  log(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    const level = typeof context === 'string' && CHATTY.has(context) ? 'debug' : 'info';
    this.write(level, message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /** Nest adds the context as the last text, and sometimes a stack or an error before it. */
  private write(level: Level, message: unknown, rest: readonly unknown[]): void {
    if (!this.pino.isLevelEnabled(level)) return;
    const fields: Record<string, unknown> = {};
    let text = take(fields, message) ?? '';
    const last = rest.at(-1);
    const context = typeof last === 'string' ? last : undefined;
    for (const part of context === undefined ? rest : rest.slice(0, -1)) {
      const more = take(fields, part);
      if (more !== undefined && more.includes('\n    at ')) fields['stack'] = more;
      else if (more !== undefined) text = `${text} ${more}`.trim();
    }
    const traceId = activeTraceId();
    if (traceId !== undefined) fields['traceId'] ??= traceId;
    this.pino[level]({ ...(context === undefined ? {} : { context }), ...fields }, text);
  }
}

export function createPino(
  level: GatewayConfig['log']['level'],
  out: { write(s: string): void },
): Pino {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // pino's own would describe the description.
      serializers: { err: (description: unknown) => description },
    },
    out,
  );
}

/** Moves an object's keys into `fields`; returns the text there is. */
function take(fields: Record<string, unknown>, part: unknown): string | undefined {
  if (part === undefined || part === null) return undefined;
  if (part instanceof Error) {
    fields['err'] = describeError(part);
    return part.message;
  }
  if (typeof part === 'string') return part;
  if (typeof part !== 'object') return inspect(part);
  for (const [key, value] of Object.entries(part)) {
    if (key !== 'msg') {
      fields[key] = value instanceof Error ? describeError(value) : (value as unknown);
    }
  }
  return 'msg' in part && typeof part.msg === 'string' ? part.msg : undefined;
}
