// make interop: other people's clients against a gateway, each in its own way of connecting.
import { setTimeout as sleep } from 'node:timers/promises';
import { a2aSdk03 } from './clients/a2a-sdk-03.mjs';
import { a2aSdk1 } from './clients/a2a-sdk-1.mjs';
import { adk } from './clients/adk.mjs';
import { mcp } from './clients/mcp.mjs';
import { startGateway } from './gateway.mjs';

const CHECKS = {
  '@a2a-js/sdk 1.3.0 over REST': a2aSdk1('rest'),
  '@a2a-js/sdk 1.3.0 over JSON-RPC': a2aSdk1('jsonrpc'),
  '@a2a-js/sdk 0.3.14': a2aSdk03,
  '@google/adk 2.0.0 RemoteA2AAgent, demo alerts': adk('demo'),
  '@google/adk 2.0.0 RemoteA2AAgent, a question': adk('scripted'),
  '@modelcontextprotocol/sdk 1.32.2 (2025-11-25)': mcp('2025-11-25'),
  '@modelcontextprotocol/client 2.4.0 (2026-07-28)': mcp('2026-07-28'),
};

const gateway = await startGateway();
let failed = 0;
for (const [name, check] of Object.entries(CHECKS)) {
  try {
    const late = sleep(60_000, undefined, { ref: false }).then(() => {
      throw new Error('no end within 60 s');
    });
    console.log(`ok     ${name}: ${await Promise.race([check(gateway), late])}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}: ${error.stack ?? error}`);
  }
}
gateway.stop();
console.log(`\n${Object.keys(CHECKS).length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
