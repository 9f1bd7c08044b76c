import { startGateway, TOKEN } from '../lib/gateway.mjs';
import { interleave, load } from '../lib/load.mjs';
import { startPeer } from '../lib/peers.mjs';
import { startRedis } from '../lib/process.mjs';

const ROUNDS = 5;
const TOTAL = 1500;

/**
 * P8: tools/call of the 2025 era, stateless, JSON or SSE as the server likes. Nightjar keeps a task
 * in Redis for each, the peer returns a text.
 */
export async function run() {
  const redis = await startRedis();
  const contestants = {
    nightjar: await startGateway(redis.url),
    peer: await startPeer('mcp-express.mjs', {}),
  };
  const { raw, medians } = await interleave(ROUNDS, contestants, async ({ origin }) => {
    const figures = await load({
      origin,
      total: TOTAL,
      connections: 32,
      request: (id) => ({
        method: 'POST',
        path: '/mcp',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
          authorization: `Bearer ${TOKEN}`,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: { name: 'n9e_assistant', arguments: { message: 'hi' } },
        }),
      }),
      read: (text) => JSON.parse(text.startsWith('{') ? text : /^data: (.+)$/m.exec(text)[1]),
      verify: (answer, id) => {
        if (answer.id !== id) return 'the answer has another id';
        return answer.result?.content?.[0]?.text === 'hello' ? undefined : 'not the text';
      },
    });
    return figures.rate;
  });
  return [
    {
      id: 'P8',
      figure: 'MCP tools/call / MCP SDK’s stateless Express server',
      value: medians.nightjar / medians.peer,
      target: 1.5,
      better: 'more',
      raw,
    },
    { id: 'P8', figure: 'MCP tools/call, requests/s', value: medians.nightjar, better: 'more' },
  ];
}
