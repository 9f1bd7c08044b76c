// The MCP clients of both eras: the v1 line (2025-11-25) and the v2 line (2026-07-28).
import assert from 'node:assert/strict';
import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
} from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const NAME = { name: 'interop', version: '1.0.0' };

export function mcp(era) {
  return async ({ url, tokens }) => {
    const old = era === '2025-11-25';
    const client = old
      ? new Client1(NAME)
      : new Client2(NAME, { versionNegotiation: { mode: { pin: era } } });
    const options = { requestInit: { headers: { authorization: `Bearer ${tokens.demo}` } } };
    await client.connect(new (old ? Http1 : Http2)(new URL('/mcp', url), options));
    try {
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['n9e_assistant'],
      );
      const call = (args) => {
        const request = { name: 'n9e_assistant', arguments: args };
        return old ? client.callTool(request, undefined) : client.callTool(request);
      };
      const first = await call({ message: 'what is firing?' });
      assert.notEqual(first.isError, true);
      assert.match(first.structuredContent.content, /HighErrorRate/);
      const { chat_id } = first.structuredContent;
      const second = await call({ message: 'details of the first one', chat_id });
      assert.equal(second.structuredContent.chat_id, chat_id);
      assert.equal(second.structuredContent.seq_id, 2);
      return `two turns in chat ${chat_id}`;
    } finally {
      await client.close();
    }
  };
}
