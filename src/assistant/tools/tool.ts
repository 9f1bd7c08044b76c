import { z } from 'zod';
import type { JsonObject, Part } from '../../domain/a2a.js';
import type { SourceInfo } from '../sources/source-info.js';
import type { Source } from '../sources/source.types.js';
import type { Gathered, TenantSources } from '../sources/tenant-sources.js';
import type { SourceError } from '../sources/source-error.js';
import { observeTool } from './observe-tool.js';
import { shownResult } from './shown-result.js';
import type { SourceReads } from './source-reads.js';
import { ToolInputError } from './tool-input-error.js';

export { ToolInputError } from './tool-input-error.js';

/** What a tool works with: the tenant's sources as they are read within one turn. */
export interface ToolContext {
  readonly reads: SourceReads;
  /** Absent: nobody would see it, so no picture and no file is made. */
  readonly outlet?: ToolOutlet;
}

/** Takes what cannot stand in a result's document and goes to the user beside the answer. */
export interface ToolOutlet {
  /** Of texts in a picture. */
  readonly language: 'en' | 'zh';
  attach(artifact: ToolArtifact): void;
}

/** As an `artifact` frame has it. */
export interface ToolArtifact {
  readonly name: string;
  /** `raw` in base64. */
  readonly parts: readonly Part[];
  readonly description?: string;
  readonly contentType?: string;
}

/** What every result says about where it comes from. */
export interface ToolResult {
  /** What was asked, in words or as an expression, for the user to check. */
  readonly query: string;
  /** RFC 3339: when the sources were read. */
  readonly time: string;
  /**
   * Every source that was asked; one with `error` is missing from the rest of the result. One that has
   * more than is read at once stands there twice, the second time with what was left out.
   */
  readonly sources: readonly SourceReport[];
}

export interface SourceReport extends Omit<SourceInfo, 'type'> {
  /** `runbook`: a host of pages, by its name. */
  readonly type: SourceInfo['type'] | 'runbook';
  /** True: the facts are invented and must be marked as such wherever they are shown. */
  readonly demo?: true;
  readonly error?: string;
  /** Of an HA pair: members that did not answer; another one did in their place. */
  readonly members_down?: readonly string[];
  /** The errors themselves of those, for a consumer that words them; not serialised. */
  readonly ailing?: readonly SourceError[];
  /** The error itself, for a consumer that words it in another language; not serialised. */
  readonly failure?: SourceError;
}

/** One entry of the registry. It speaks no protocol: plain arguments in, a plain document out. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly readOnly: boolean;
  /** Can it tell anything of this source? Where it can of none it is not worth offering. */
  readonly needs: (source: Source) => boolean;
  /** Of a tool that needs more than a source. */
  readonly offered?: (sources: TenantSources) => boolean;
  /**
   * @throws ToolInputError for arguments that do not fit `inputSchema`; the signal's reason when it
   * aborts. A source that fails is no error: it is reported in the result.
   */
  run(args: unknown, ctx: ToolContext, signal: AbortSignal): Promise<ToolResult>;
}

/** A tool whose argument and result types are known to callers in this code. */
export interface TypedTool<A, R extends ToolResult> extends Tool {
  run(args: A, ctx: ToolContext, signal: AbortSignal): Promise<R>;
}

/**
 * Makes a tool whose arguments are checked against `schema` before `run` sees them, and whose result
 * holds no secret: whoever shows it, words it or gives it to a model has nothing to think of.
 */
export function defineReadTool<S extends z.ZodType, R extends ToolResult>(definition: {
  readonly name: string;
  readonly description: string;
  readonly schema: S;
  /** Absent: of any. */
  readonly needs?: (source: Source) => boolean;
  readonly offered?: (sources: TenantSources) => boolean;
  readonly run: (args: z.output<S>, ctx: ToolContext, signal: AbortSignal) => Promise<R>;
}): TypedTool<z.input<S>, R> {
  return {
    name: definition.name,
    description: definition.description,
    inputSchema: schemaOf(definition.schema),
    readOnly: true,
    needs: definition.needs ?? (() => true),
    ...(definition.offered === undefined ? {} : { offered: definition.offered }),
    run: (args, ctx, signal) =>
      observeTool(definition.name, signal, async () =>
        shownResult(
          await definition.run(parseInput(definition.schema, args), ctx, signal),
          ctx.reads.sources.redactor,
        ),
      ),
  };
}

/** JSON Schema of a tool's arguments. */
export function schemaOf(schema: z.ZodType): JsonObject {
  const entries = Object.entries(z.toJSONSchema(schema, { io: 'input' }));
  // Which dialect it is in is for the protocol to say.
  return Object.fromEntries(entries.filter(([key]) => key !== '$schema')) as JsonObject;
}

/** @throws ToolInputError */
export function parseInput<S extends z.ZodType>(schema: S, args: unknown): z.output<S> {
  const parsed = schema.safeParse(args);
  if (!parsed.success) {
    throw new ToolInputError(z.prettifyError({ issues: tellingOf(parsed.error.issues) }));
  }
  return parsed.data;
}

/** What is of the wrong kind is not also too long. */
function tellingOf(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const wrong = new Set(
    issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => path.join('.')),
  );
  return issues.filter(({ code, path }) => code === 'invalid_type' || !wrong.has(path.join('.')));
}

/** The source part of a result. */
export function reportOf(gathered: Gathered<unknown>): Pick<ToolResult, 'time' | 'sources'> {
  const times = gathered.answers.map((answer) => answer.at);
  return {
    time: new Date(times.length === 0 ? Date.now() : Math.max(...times)).toISOString(),
    sources: [
      ...gathered.answers.map(({ source, ailing = [] }) => {
        const report: SourceReport = { ...source, ...demoMark(source) };
        if (ailing.length === 0) return report;
        const down = { ...report, members_down: ailing.map(({ message }) => message) };
        return Object.defineProperty(down, 'ailing', { value: ailing });
      }),
      ...gathered.failures.map(({ source, error }) => {
        const report: SourceReport = { ...source, ...demoMark(source), error: error.message };
        // Not enumerable: JSON and equality see the text only.
        return Object.defineProperty(report, 'failure', { value: error });
      }),
    ],
  };
}

/** How many more there are than the sources were read for, as far as they tell. */
export function leftOutOf({ failures }: Pick<Gathered<unknown>, 'failures'>): number {
  return failures.reduce((sum, { error: { fault } }) => {
    return fault.kind === 'cut' ? sum + (fault.total ?? fault.read) - fault.read : sum;
  }, 0);
}

function demoMark(source: SourceInfo): { demo?: true } {
  return source.type === 'demo' ? { demo: true } : {};
}
