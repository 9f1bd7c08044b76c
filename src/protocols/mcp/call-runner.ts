import { Inject, Injectable, Logger } from '@nestjs/common';
import { type CallToolResult, SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import type { FastifyReply } from 'fastify';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config/config.types.js';
import { logIdsOf } from '../../tracing/log-ids.js';
import { CommentClock } from '../sse/comment-clock.js';
import type { SseWriterOptions } from '../sse/sse-writer.js';
import type { AnswerForm } from './accept.js';
import { refusal } from './assistant-result.js';
import { CallAnswer } from './call-answer.js';
import type { McpExchange } from './exchange.js';
import type { PlainCall } from './plain-call.js';
import { sentence } from './refusal-text.js';
import { SERVER_INFO } from './server.js';
import type { ToolCall } from './tool-call.js';
import type { Tool } from './tool.js';
import { ToolHosts } from './tool-hosts.js';
import { ownToolOf } from './toolset.js';

const MODERN_FIELDS = { resultType: 'complete', _meta: { [SERVER_INFO_META_KEY]: SERVER_INFO } };

/**
 * Answers good calls of our own tools without the SDK, whose server, transport and web streams for
 * each request cost more than the call's task (ADR 0007). It answers what the SDK would; a test
 * sends the same calls through both.
 */
@Injectable()
export class CallRunner {
  private readonly logger = new Logger(CallRunner.name);
  private readonly timing: SseWriterOptions;

  constructor(
    private readonly hosts: ToolHosts,
    clock: CommentClock,
    @Inject(GATEWAY_CONFIG) config: GatewayConfig,
  ) {
    this.timing = { clock, stallMs: config.execution.sseStallMs };
  }

  /**
   * False when the SDK has to answer: nothing was done and nothing sent.
   * @throws whatever kept the tool from beginning and MCP clients get as an HTTP status.
   */
  async answer(
    exchange: McpExchange,
    { era, id, tool: name, args, progressToken }: PlainCall,
    form: AnswerForm,
    reply: FastifyReply,
  ): Promise<boolean> {
    const host = this.hosts.of(exchange, era);
    const tool = ownToolOf(host, name);
    const input = await tool?.input['~standard'].validate(args);
    // The SDK words what is wrong with arguments.
    if (tool === undefined || input === undefined || input.issues !== undefined) return false;

    const answer = new CallAnswer(reply, id, form, this.timing);
    void exchange.opened.then(() => {
      answer.begin();
    });
    const call: ToolCall = {
      id,
      ...(progressToken === undefined ? {} : { _meta: { progressToken } }),
      notify: (notification) => answer.notify(notification),
    };
    try {
      const result = await this.checked(exchange, tool, await tool.run(host, input.value, call));
      if (exchange.refusal !== undefined) throw exchange.refusal;
      answer.result(era === 'modern' ? { ...result, ...MODERN_FIELDS } : result);
    } catch (error) {
      answer.withdraw();
      if (!answer.streams) throw error;
      this.logger.error({ msg: 'a call broke', ...logIdsOf(exchange.options.ctx), err: error });
      answer.fail();
    }
    return true;
  }

  /** A result that is not what the tool promises is a fault of ours, and clients would choke on it. */
  private async checked(
    { options: { ctx } }: McpExchange,
    { name, output }: Tool,
    result: CallToolResult,
  ): Promise<CallToolResult> {
    if (output === undefined || result.isError === true) return result;
    const { issues } = await output['~standard'].validate(result.structuredContent);
    if (issues === undefined) return result;
    this.logger.error({
      msg: 'a result is not of its schema',
      tool: name,
      ...logIdsOf(ctx),
      issues,
    });
    return refusal(`${sentence(ctx, undefined)}.`);
  }
}
