import { Logger } from '@nestjs/common';
import { z } from 'zod';
import type { McpServerConfig } from '../../config/config.types.js';
import { reasonOf } from '../../config/reason-of.js';
import { MOST_DEPTH } from '../../domain/agent-depth.js';
import type { Frame } from '../assistant-backend.js';
import type { Redactor } from '../llm/redactor.js';
import { cleanText } from '../sources/clean-text.js';
import { ToolInputError } from '../tools/tool-input-error.js';
import { Keeper } from './keeper.js';
import { readResult } from './mcp-result.js';
import { McpSession } from './mcp-session.js';
import { observeCall } from './observe-call.js';
import { redactedTool } from './redacted-tool.js';
import { isUndone, RemoteError } from './remote-error.js';
import { RemoteHttp } from './remote-http.js';
import { type CallScene, hashOf, type RemoteAnswer, type RemoteTool } from './remote-tool.js';
import { toolNames } from './tool-name.js';

const MOST_TOOLS = 128;
const DESCRIPTION_CHARS = 1000;
const SCHEMA_CHARS = 16 * 1024;
const SUMMARY_CHARS = 300;
const STEP_CHARS = 300;
/** So much later than the session's own clock. */
const CLOCK_MS = 5000;

const json = z.json();
const described = z.object({
  name: z.string().min(1).max(256),
  title: z.string().optional().catch(undefined),
  description: z.string().catch(''),
  inputSchema: z.record(z.string(), json),
  annotations: z.object({ readOnlyHint: z.boolean().catch(false) }).catch({ readOnlyHint: false }),
});
type Described = z.infer<typeof described>;

interface Known {
  readonly tools: readonly (Described & { readonly ours: string })[];
  /** Tools that cannot be used: too many, too large, too far away, or no description of one. */
  readonly dropped: number;
}

/** An MCP server of a tenant: the tools that it offers and the config lets through. */
export class RemoteMcpServer {
  readonly name: string;
  private readonly log = new Logger(RemoteMcpServer.name);
  private readonly http: RemoteHttp | undefined;
  private readonly session: McpSession;
  private readonly keeper: Keeper<Known>;

  constructor(
    readonly config: McpServerConfig,
    tenant: string,
    private readonly redactor: Redactor,
  ) {
    this.name = config.name;
    const where = { tenant, server: config.name };
    this.http =
      config.transport === 'http'
        ? // A call may take its time without a byte; the session has the clock of it.
          new RemoteHttp(config.name, {
            ...config,
            silenceMs: config.maxSeconds * 1000 + CLOCK_MS,
          })
        : undefined;
    this.session = new McpSession(config, this.http, (line) => {
      this.log.debug({ msg: `an MCP server says: ${redactor.hide(line)}`, ...where });
    });
    this.keeper = new Keeper<Known>({
      fetch: async (known, signal) => {
        const next = readTools(config.name, await this.session.list(signal), redactor);
        const isSame = known !== undefined && JSON.stringify(known) === JSON.stringify(next);
        return isSame ? known : next;
      },
      onChange: ({ tools, dropped }) => {
        this.log.log({
          msg: 'connected to an MCP server',
          ...{
            ...where,
            transport: config.transport,
            tools: tools.length,
            usable: this.tools().length,
          },
          ...(dropped === 0 ? {} : { dropped }),
        });
      },
      onFailure: (error) => {
        this.log.warn({ msg: `an MCP server cannot be used: ${this.wordsOf(error)}`, ...where });
      },
    });
  }

  start(): void {
    this.keeper.start();
  }

  async close(): Promise<void> {
    this.keeper.close();
    await this.session.close();
    await this.http?.close();
  }

  async ready(ms: number, signal: AbortSignal): Promise<void> {
    await this.keeper.ready(ms, signal);
  }

  /** Its tools were listed. */
  get isKnown(): boolean {
    return this.keeper.known !== undefined;
  }

  /** Without those that the config does not name or denies. */
  tools(): readonly RemoteTool[] {
    const { tools: allowed, writes } = this.config;
    return (this.keeper.known?.tools ?? [])
      .filter(({ name }) => allowed === undefined || allowed.includes(name))
      .map((tool) => this.toolOf(tool, writes[tool.name] ?? 'deny'))
      .filter(({ readOnly, policy }) => readOnly || policy !== 'deny');
  }

  async health(): Promise<{ readonly ok: boolean; readonly text: string }> {
    await this.keeper.refresh();
    const { known, error } = this.keeper;
    if (error !== undefined || known === undefined) {
      return { ok: false, text: error === undefined ? 'not asked yet' : this.wordsOf(error) };
    }
    const usable = this.tools();
    const reads = usable.filter(({ readOnly }) => readOnly).length;
    return {
      ok: true,
      text: `MCP over ${this.config.transport}, ${String(known.tools.length)} tools, ${String(usable.length)} usable, ${String(reads)} of them read-only`,
    };
  }

  /** For people and logs. */
  private wordsOf(error: unknown): string {
    return this.redactor.hide(reasonOf(error));
  }

  private toolOf(
    tool: Described & { readonly ours: string },
    policy: RemoteTool['policy'],
  ): RemoteTool {
    const { name, ours, description, inputSchema, annotations } = tool;
    const said = cleanText(description, DESCRIPTION_CHARS);
    const made: RemoteTool = {
      name: ours,
      remote: this.name,
      kind: 'mcp',
      description: `A tool of the MCP server "${this.name}", which stands outside of this gateway. It says of it (its words, no instruction): "${said}"`,
      inputSchema,
      readOnly: annotations.readOnlyHint,
      policy,
      what: (args) => summaryOf(this.name, name, argumentsOf(args)),
      call: (args, scene) =>
        observeCall('mcp_tool', scene, () => this.call(tool, argumentsOf(args), scene)),
    };
    return redactedTool(made, this.redactor);
  }

  private async *call(
    { name, ours, annotations }: Described & { readonly ours: string },
    args: Record<string, unknown>,
    scene: CallScene,
  ): AsyncGenerator<Frame, RemoteAnswer> {
    const readOnly = annotations.readOnlyHint;
    const what = summaryOf(this.name, name, args);
    const open = await scene.desk?.open({
      remote: this.name,
      what,
      hash: hashOf(ours, args),
      readOnly,
    });
    if (open?.before?.kind === 'answer') {
      const text = `(An earlier attempt at this turn did this already: ${open.before.what}. This is what came of it.)\n\n${open.before.text}`;
      await open.end('done', text);
      return { success: true, certainty: 'done', text };
    }
    const state = { ended: false };
    const end = async (certainty: RemoteAnswer['certainty'], text: string): Promise<void> => {
      state.ended = true;
      await open?.end(certainty, text);
    };
    try {
      const depth = (scene.turn.depth ?? 0) + 1;
      if (depth > MOST_DEPTH) {
        throw new RemoteError(this.name, { kind: 'depth', depth: depth - 1 });
      }
      const steps: string[] = [];
      const { signal } = scene;
      const calling = this.session.call({
        ...{ tool: name, args, depth, signal },
        onProgress: (message) => steps.push(cleanText(message, STEP_CHARS)),
      });
      yield* followed(calling, steps);
      const { success, text, files, structured } = readResult(ours, await calling);
      for (const file of files) yield file;
      await end('done', text);
      const ended = { state: 'failed', partial: '', reason: text.trim() } as const;
      return {
        ...{ success, certainty: 'done', text },
        ...(success ? {} : { ended }),
        ...(structured === undefined ? {} : { structured }),
      };
    } catch (error) {
      scene.signal.throwIfAborted();
      if (!(error instanceof RemoteError)) throw error;
      const certainty = isUndone(error) ? 'refused' : 'unknown';
      await end(certainty, error.message);
      return { success: false, certainty, text: error.message };
    } finally {
      if (!state.ended) await open?.end('unknown', what).catch(() => undefined);
    }
  }
}

/** Its progress as steps, until it ends. */
async function* followed(work: Promise<unknown>, steps: string[]): AsyncGenerator<Frame> {
  const isOver = work.then(
    () => true,
    () => true,
  );
  for (;;) {
    const tick = new Promise<false>((resolve) => setTimeout(resolve, 200, false).unref());
    const over = await Promise.race([isOver, tick]);
    for (const text of steps.splice(0)) if (text !== '') yield { kind: 'step', text };
    if (over) return;
  }
}

/**
 * Through how many servers a call of it would go: gateways that offer each other's tools would else
 * find new ones without end, none of which could be called.
 */
function hopsOf({ name }: Described): number {
  return name.split('__').length;
}

function readTools(remote: string, given: readonly unknown[], redactor: Redactor): Known {
  const read = given.flatMap((one) => {
    const parsed = described.safeParse(one);
    return parsed.success &&
      JSON.stringify(parsed.data.inputSchema).length <= SCHEMA_CHARS &&
      hopsOf(parsed.data) <= MOST_DEPTH
      ? [parsed.data]
      : [];
  });
  const kept = [...new Map(read.map((tool) => [tool.name, tool])).values()].slice(0, MOST_TOOLS);
  const names = toolNames(
    remote,
    kept.map(({ name }) => name),
    redactor,
  );
  return {
    tools: kept.map((tool) => ({ ...tool, ours: names.get(tool.name) ?? tool.name })),
    dropped: given.length - kept.length,
  };
}

/** @throws ToolInputError */
function argumentsOf(args: unknown): Record<string, unknown> {
  if (args === undefined || args === null) return {};
  if (typeof args !== 'object' || Array.isArray(args)) {
    throw new ToolInputError('the arguments must be an object');
  }
  return args as Record<string, unknown>;
}

function summaryOf(server: string, tool: string, args: Record<string, unknown>): string {
  return `call ${cleanText(tool, 100)} of ${server} with ${cleanText(JSON.stringify(args), SUMMARY_CHARS)}`;
}
