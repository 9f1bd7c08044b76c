import type {
  CallToolResult,
  StandardSchemaWithJSON,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import type { ToolCall } from './tool-call.js';
import type { ToolHost } from './tool-host.js';

/** What clients are told of a tool. */
interface ToolFace<Schema> {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly input: Schema;
  /** What `structuredContent` of a result without `isError` looks like. */
  readonly output?: StandardSchemaWithJSON;
  readonly annotations: ToolAnnotations;
}

/** A tool: made once, for all requests and both ways of answering them (ADR 0007). */
export interface Tool extends ToolFace<StandardSchemaWithJSON> {
  /** @param args what `input` made of the arguments. Never rejects. */
  readonly run: (host: ToolHost, args: unknown, call: ToolCall) => Promise<CallToolResult>;
}

interface ToolDefinition<Schema extends StandardSchemaWithJSON> extends ToolFace<Schema> {
  readonly run: (
    host: ToolHost,
    args: StandardSchemaWithJSON.InferOutput<Schema>,
    call: ToolCall,
  ) => Promise<CallToolResult>;
}

/** A tool whose schemas are turned into JSON Schema once, and not for each request that lists it. */
export function defineTool<Schema extends StandardSchemaWithJSON>(
  tool: ToolDefinition<Schema>,
): Tool {
  return {
    ...tool,
    input: convertedOnce(tool.input),
    ...(tool.output === undefined ? {} : { output: convertedOnce(tool.output) }),
    run: (host, args, call) => tool.run(host, args, call),
  };
}

function convertedOnce(schema: StandardSchemaWithJSON): StandardSchemaWithJSON {
  const { version, vendor, validate, jsonSchema } = schema['~standard'];
  type Convert = typeof jsonSchema.input;
  const once = (convert: Convert): Convert => {
    const made = new Map<string, Record<string, unknown>>();
    return (options) => {
      const known = made.get(options.target);
      if (known !== undefined) return known;
      const json = convert(options);
      made.set(options.target, json);
      return json;
    };
  };
  const standard = {
    ...{ version, vendor, validate },
    jsonSchema: { input: once(jsonSchema.input), output: once(jsonSchema.output) },
  };
  return { '~standard': standard };
}
