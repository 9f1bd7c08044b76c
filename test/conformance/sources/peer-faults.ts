/** A fault that was reported of another A2A or MCP server or gateway, and where. */
export interface PeerFault {
  readonly title: string;
  readonly threads: readonly string[];
}

export const PEER_FAULTS: Readonly<Record<string, PeerFault>> = {
  P1: {
    title: 'Subscribe to a finished task',
    threads: ['a2aproject/a2a-java#784', 'a2aproject/a2a-js#542'],
  },
  P2: {
    title: 'Subscribe over GET vs POST',
    threads: ['a2aproject/a2a-js#569', 'a2aproject/a2a-go#381', 'a2aproject/a2a-python#843'],
  },
  P3: {
    title: 'Cancel a finished task',
    threads: ['a2aproject/a2a-python#1055', 'a2aproject/a2a-go#161', 'prebid/salesagent#1961'],
  },
  P4: {
    title: 'Cancel an already canceled task',
    threads: ['a2aproject/a2a-js#539', 'a2aproject/a2a-dotnet#103'],
  },
  P6: {
    title: 'Cancel on another instance does nothing',
    threads: ['a2aproject/a2a-go#245', 'mezmo/aura#393'],
  },
  P7: {
    title: 'Message to a terminal task',
    threads: ['a2aproject/a2a-java#741', 'a2aproject/a2a-rs#268'],
  },
  P8: {
    title: 'Unknown taskId creates a task',
    threads: ['a2aproject/a2a-java#788', 'a2aproject/a2a-dotnet#112', 'a2aproject/a2a-rs#248'],
  },
  P10: {
    title: 'Follow-up to input-required makes a new task id',
    threads: ['tomtom215/a2a-rust#66', 'a2aproject/a2a-js#160'],
  },
  P11: {
    title: 'Blocking send returns too early or never',
    threads: ['a2aproject/a2a-java#431', 'a2aproject/a2a-python#614', 'a2aproject/a2a-dotnet#365'],
  },
  P12: {
    title: 'Non-blocking flag ignored',
    threads: ['a2aproject/a2a-dotnet#329', 'a2aproject/a2a-go#156', 'BerriAI/litellm#28577'],
  },
  P13: {
    title: 'Blocking/stream call cut by 3-minute client timeout / 60 s LB idle',
    threads: ['BerriAI/litellm#31865', 'agentgateway/agentgateway#248'],
  },
  P14: {
    title: 'Client disconnect cancels the agent / loses the terminal state',
    threads: ['a2aproject/a2a-python#296', 'kagent-dev/kagent#2447', 'a2aproject/a2a-dotnet#344'],
  },
  P15: {
    title: 'Task stuck in WORKING after crash / handler throw',
    threads: ['a2aproject/a2a-dotnet#350', 'kagent-dev/kagent#2447'],
  },
  P17: {
    title: 'AUTH_REQUIRED closes the stream / INPUT_REQUIRED keeps it',
    threads: ['a2aproject/a2a-js#523', 'a2aproject/a2a-java#756', 'a2aproject/a2a-python#167'],
  },
  P18: {
    title: 'Non-terminal agent exit leaks the registry',
    threads: ['a2aproject/a2a-python#1079', 'a2aproject/a2a-js#526'],
  },
  P19: {
    title: 'historyLength',
    threads: [
      'a2aproject/a2a-python#573',
      'a2aproject/a2a-js#432',
      'a2aproject/a2a-java#715',
      'a2aproject/a2a-go#242',
    ],
  },
  P21: { title: 'ListTasks on 0.3', threads: ['a2aproject/a2a-python#1043'] },
  P22: {
    title: 'JSON-RPC id',
    threads: [
      'a2aproject/a2a-js#152',
      'a2aproject/a2a-dotnet#118',
      'a2aproject/a2a-go#161',
      'modelcontextprotocol/typescript-sdk#2654',
    ],
  },
  P23: {
    title: 'Parse error vs invalid request',
    threads: ['a2aproject/a2a-dotnet#330', 'a2aproject/a2a-js#147', 'a2aproject/a2a-python#806'],
  },
  P25: {
    title: 'Method / params checks',
    threads: ['a2aproject/a2a-go#160', 'a2aproject/a2a-js#155', 'a2aproject/a2a-java#569'],
  },
  P26: {
    title: 'Falsy values lost',
    threads: ['a2aproject/a2a-python#713', 'a2aproject/a2a-js#578'],
  },
  P28: {
    title: 'Content-Type',
    threads: ['a2aproject/a2a-go#264', 'a2aproject/a2a-java#759', 'a2aproject/a2a-js#568'],
  },
  P29: {
    title: 'Error shape',
    threads: ['a2aproject/a2a-python#1058', 'a2aproject/a2a-java#790', 'a2aproject/a2a-dotnet#393'],
  },
  P30: {
    title: 'A2A-Version',
    threads: [
      'a2aproject/a2a-python#856',
      'a2aproject/a2a-java#1066',
      'a2aproject/a2a-js#552',
      'a2aproject/a2a-dotnet#331',
    ],
  },
  P31: {
    title: 'v0.3 REST shape',
    threads: ['a2aproject/a2a-go#371', 'a2aproject/a2a-python#820', 'a2aproject/a2a-js#604'],
  },
  P33: {
    title: 'Big payload',
    threads: ['a2aproject/a2a-python#518', 'a2aproject/a2a-go#149', 'a2aproject/a2a-js#582'],
  },
  P34: { title: 'Same messageId twice', threads: ['a2aproject/A2A#928'] },
  P35: {
    title: 'Subscriber on another pod gets no live events',
    threads: [
      'a2aproject/a2a-dotnet#463',
      'a2aproject/a2a-python#446',
      'trpc-group/trpc-a2a-go#126',
      'mezmo/aura#393',
      'a2aproject/a2a-js#343',
    ],
  },
  P37: {
    title: 'Snapshot mutated after save',
    threads: ['a2aproject/a2a-go#266', 'a2aproject/a2a-dotnet#434', 'a2aproject/a2a-js#662'],
  },
  P38: {
    title: 'History overwritten',
    threads: ['a2aproject/a2a-js#524', 'a2aproject/a2a-java#425'],
  },
  P40: { title: 'SSE wire form', threads: ['a2aproject/a2a-python#636', 'a2aproject/a2a-go#162'] },
  P41: {
    title: 'UTF-8 cut at a chunk border',
    threads: [
      'api7/aisix#111',
      'musistudio/claude-code-router#1672',
      'mastra-ai/mastra#20224',
      'agentclientprotocol/python-sdk#135',
    ],
  },
  P42: {
    title: 'Push: order, retries, SSRF, headers',
    threads: [
      'a2aproject/a2a-js#141',
      'a2aproject/a2a-python#218',
      'a2aproject/a2a-python#1016',
      'a2aproject/a2a-java#814',
      'a2aproject/a2a-java#1053',
      'a2aproject/a2a-go#373',
      'a2aproject/a2a-js#584',
      'a2aproject/a2a-python#786',
      'a2aproject/a2a-java#1096',
    ],
  },
  P44: {
    title: 'Tenant hole (IDOR)',
    threads: [
      'a2aproject/a2a-go#351',
      'a2aproject/a2a-dotnet#450',
      'a2aproject/a2a-java#1038',
      'bacnh85/pi-extensions#10',
    ],
  },
  P45: {
    title: 'Agent card',
    threads: ['a2aproject/a2a-js#606', 'a2aproject/a2a-go#372', 'a2aproject/a2a-go#183'],
  },
  P46: {
    title: 'Extended card',
    threads: ['a2aproject/a2a-java#736', 'a2aproject/a2a-python#769'],
  },
  P48: { title: 'Gateway proxies only send/stream', threads: ['BerriAI/litellm#26411'] },
  P49: {
    title: 'Session lives in one pod',
    threads: [
      'modelcontextprotocol/python-sdk#880',
      'modelcontextprotocol/java-sdk#499',
      'punkpeye/fastmcp#99',
      'agentic-community/mcp-gateway-registry#960',
      'mcp-hangar/mcp-hangar#877',
      'agentgateway/agentgateway#754',
    ],
  },
  P50: {
    title: 'Unknown / expired session',
    threads: ['modelcontextprotocol/typescript-sdk#1770', 'danny-avila/LibreChat#11869'],
  },
  P51: {
    title: 'Session used by another user',
    threads: [
      'chandshy/mailpouch#264',
      'agentic-community/mcp-gateway-registry#1357',
      'Repliers-io/mcp-server#14',
      'modelcontextprotocol/typescript-sdk#1486',
      'stacklok/toolhive#5306',
    ],
  },
  P52: {
    title: 'GET /mcp on a server with no stream',
    threads: [
      'punkpeye/mcp-proxy#62',
      'PrefectHQ/fastmcp#3195',
      'modelcontextprotocol/python-sdk#2262',
      'modelcontextprotocol/rust-sdk#331',
      'malloydata/malloyyo#133',
      'akutishevsky/nutrition-mcp#31',
    ],
  },
  P54: {
    title: 'Accept header',
    threads: [
      'modelcontextprotocol/python-sdk#1641',
      'modelcontextprotocol/go-sdk#290',
      'honojs/middleware#1799',
      'XS-MLVP/UCAgent#127',
      'anomalyco/opencode#37019',
    ],
  },
  P56: {
    title: 'MCP-Protocol-Version',
    threads: [
      'modelcontextprotocol/php-sdk#306',
      'Effect-TS/effect#6754',
      'Graylog2/graylog2-server#24701',
      'MikkoParkkola/mcp-gateway#540',
      'drshade/haskell-mcp-server#2',
    ],
  },
  P57: { title: '2026-07-28 clients', threads: ['LIghtJUNction/OniMods#121'] },
  P59: { title: 'Disconnect = cancel?', threads: [] },
  P61: { title: 'Origin / Host', threads: [] },
  P62: { title: '401 without discovery', threads: [] },
  P64: { title: 'Progress / long tool call', threads: [] },
  P65: { title: 'In-flight handlers on close', threads: [] },
  P68: {
    title: 'Stream cut after WORKING',
    threads: ['google/adk-python#6680', 'a2aproject/A2A#551'],
  },
  P69: { title: 'Empty status message', threads: ['google/adk-python#3769'] },
  P71: {
    title: 'Tool answer too big for the client',
    threads: [
      'pab1it0/prometheus-mcp-server#38',
      'PagerDuty/pagerduty-mcp-server#62',
      'incident-io/incidentio-mcp-golang#7',
      'rootlyhq/rootly-mcp-server#67',
    ],
  },
  P72: { title: 'Redis fan-out multiplies work', threads: ['IBM/mcp-context-forge#4557'] },
  P74: {
    title: 'Blocking XREAD on the shared connection',
    threads: [
      'lobehub/lobehub#17876',
      'redis/node-redis#2021',
      'redis/go-redis#1147',
      'dapr/components-contrib#1980',
    ],
  },
  P75: {
    title: 'One Redis connection per SSE client',
    threads: ['kortix-ai/suna#2733', 'dust-tt/dust#20089', 'mastodon/flodgatt#10'],
  },
  P76: { title: 'Stream keys never expire / KEYS scan', threads: [] },
  P77: { title: 'Pub/sub gap', threads: ['a2aproject/a2a-python#832'] },
  P80: { title: "PRM `resource` is the upstream's", threads: ['BerriAI/litellm#36803'] },
  P81: {
    title: 'Admin/OAuth flow state in one worker',
    threads: ['BerriAI/litellm#36844', 'TracecatHQ/tracecat#2808'],
  },
  P82: { title: 'Resubscribe without a distributed manager', threads: [] },
};
