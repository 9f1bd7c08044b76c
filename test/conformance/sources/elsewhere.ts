/** A test that shows a row, by its file and its title. */
export type OtherTest = readonly [file: string, title: string];

const LAUNCHER = 'test/integration/launcher.int-spec.ts';
const MCP = 'test/e2e/mcp.e2e-spec.ts';
const WRITES = 'test/e2e/writes.e2e-spec.ts';
const CORE = 'test/integration/core.int-spec.ts';

/**
 * Rows that a caller cannot see over HTTP alone, or only with a process killed, a clock turned or a
 * configuration of its own: which test shows them instead.
 */
export const ELSEWHERE: Readonly<Record<string, OtherTest>> = {
  N7: ['test/integration/health-gateway.int-spec.ts', 'no token exists'],
  N28: ['src/assistant/module/module-backend.spec.ts', 'describe('],
  N29: ['test/repo/zones.spec.ts', 'describe('],
  N48: ['test/integration/lua/create-task.int-spec.ts', 'describe('],
  N49: ['test/integration/lua/append-events.int-spec.ts', 'describe('],
  N50: ['test/integration/lua/mark-cancel.int-spec.ts', 'describe('],
  N54: ['test/integration/housekeeping.int-spec.ts', 'once they have expired'],
  N59: [MCP, 'should name the tools that this tenant was given'],
  S6: [MCP, 'should offer what the gateway offers'],
  S27: [MCP, 'should inspect, list and invoke'],
  S28: [MCP, 'should inspect, list and invoke'],
  S29: [MCP, 'should inspect, list and invoke'],
  S31: [MCP, 'should ask, get, list and cancel tasks'],
  S32: [MCP, 'should ask, get, list and cancel tasks'],
  S33: [MCP, 'should ask, get, list and cancel tasks'],
  S44: [MCP, 'should inspect, list and invoke'],
  S93: [MCP, 'should refuse what is no tool'],
  N64: ['test/e2e/readme.e2e-spec.ts', 'describe('],
  N65: ['test/integration/a2a-cli.int-spec.ts', 'describe('],
  N68: ['test/e2e/docs.e2e-spec.ts', 'docs'],
  N69: ['src/config/load-config.spec.ts', 'should need nothing but a Redis'],
  N70: ['test/e2e/across-instances.e2e-spec.ts', 'describe('],
  N72: ['test/integration/n9e-auth.int-spec.ts', 'with the busi groups of that user'],
  S8: ['src/config/load-config.spec.ts', 'should need nothing but a Redis'],
  S12: ['src/config/load-config.spec.ts', 'should come from the environment or a file'],
  S13: [LAUNCHER, 'give a token and a call that work'],
  S14: ['src/config/load-config.spec.ts', 'should be kept as hashes only'],
  S15: [LAUNCHER, 'should make, list and revoke tokens while it runs'],
  S16: [LAUNCHER, '0o600'],
  S17: ['test/integration/llm-secrets.int-spec.ts', 'neither the model, nor a frame, nor a log'],
  S39: ['src/execution/bridge.spec.ts', 'failed_tools'],
  S42: ['test/integration/llm-breakage.int-spec.ts', 'describe('],
  S45: ['src/execution/bridge.spec.ts', 'evidence'],
  S46: ['src/execution/bridge.spec.ts', 'evidence'],
  S69: ['src/assistant/tools/tools.spec.ts', 'describe('],
  S70: ['test/integration/lua/open-approval.int-spec.ts', 'describe('],
  S71: ['src/assistant/writes/writes.spec.ts', 'phrase'],
  S72: [WRITES, 'should not be made by a no'],
  S73: ['test/integration/llm-writes.int-spec.ts', 'within the scope of auto'],
  S74: ['test/integration/llm-writes.int-spec.ts', 'within the scope of auto'],
  S96: ['test/integration/lua/open-approval.int-spec.ts', 'describe('],
  S83: ['test/e2e/zombie.e2e-spec.ts', 'end its streams kindly and hand its runs over'],
  S84: [LAUNCHER, '0o700'],
  S87: ['test/integration/llm-secrets.int-spec.ts', 'neither the model, nor a frame, nor a log'],
  S88: ['test/e2e/takeover.e2e-spec.ts', 'should fail an unmarked run'],
  S89: ['test/integration/llm-tool-loop.int-spec.ts', 'broken ones too'],
  V20: ['test/integration/a2a-cli-examples.int-spec.ts', 'describe('],
  V28: ['test/integration/lua/close-context.int-spec.ts', 'should forget an idle context'],
  V30: [CORE, 'gives the next turn the history'],
  V33: ['test/integration/lua/create-task.int-spec.ts', 'describe('],
  V34: ['test/repo/config-docs.spec.ts', 'should show files that load'],
  V38: ['test/integration/a2a-rest.int-spec.ts', 'when maxBlockingSeconds have passed'],
  P65: ['test/e2e/subscriptions.e2e-spec.ts', 'describe('],
  P72: ['test/integration/cost.int-spec.ts', 'describe('],
  P74: ['test/integration/cost.int-spec.ts', 'should be four, whatever runs and streams there are'],
};

const RUN_BY_TASK = 'a run is keyed by its task, so no metadata can contradict it';
const NO_OAUTH = 'there is no OAuth here: tokens are opaque and checked by the gateway itself';

/** Rows that have nothing to show in this product, and why. */
export const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  N23: 'only language models are told of the page, and no answer shows what one was told',
  N35: RUN_BY_TASK,
  N36: RUN_BY_TASK,
  N39: 'a cancel that gets no answer is forced, so there is no other error of it',
  S82: 'a statement about what was written outside; said in the README',
  S85: 'instances share Redis and no folder, so any number may use one configuration',
  S97: 'a bound of the store that the limits of text and files keep out of reach',
  S98: 'retention beyond 24 h does not exist; what is kept is bounded by its lifetime',
  V18: 'answers are artifacts, as the connect guide says',
  V56: 'endpoints in the manner of model providers are out of scope',
  P80: NO_OAUTH,
  P81: NO_OAUTH,
};

const REMOTE = 'agents as tools and backends';

/** Rows of what is not offered yet; none of it is promised by the README. */
export const NOT_OFFERED: Readonly<Record<string, string>> = {
  N71: REMOTE,
  S9: 'a TLS listener',
  S30: 'charts',
  S36: 'charts',
  S99: 'charts',
  V1: REMOTE,
  V49: REMOTE,
  V50: REMOTE,
  V51: REMOTE,
  V52: REMOTE,
  V53: REMOTE,
  V54: REMOTE,
  V55: REMOTE,
  P48: REMOTE,
};
