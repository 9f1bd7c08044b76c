/** A test that shows a row, by its file and its whole title. */
export type OtherTest = readonly [file: string, title: string];

const LAUNCHER = 'test/integration/launcher.int-spec.ts';
const SERVE = 'should need nothing, say where it is, and give a token and a call that work';
const MCP = 'test/e2e/mcp.e2e-spec.ts';
const WRITES = 'test/e2e/writes.e2e-spec.ts';
const CORE = 'test/integration/core.int-spec.ts';
const CONFIG = 'src/config/load-config.spec.ts';
const BRIDGE = 'src/execution/bridge.spec.ts';
const RESULT =
  'should close with a result: at most 8 failed tools, 64 pieces of evidence, 4 KiB each';
const SECRETS = 'test/integration/llm-secrets.int-spec.ts';
const NO_SECRETS = 'should reach neither the model, nor a frame, nor a log';
const APPROVALS = 'test/integration/lua/open-approval.int-spec.ts';
const PENDING = 'should refuse one more than may be pending, and count only those that are';
const IN_SCOPE = 'should do it at once within the scope of auto, once a turn, and nothing beyond';
const TASK_TOOLS = 'should ask, get, list and cancel tasks, from either instance';
const DIRECT_TOOLS = 'should inspect, list and invoke';

/**
 * Rows that a caller cannot see over HTTP alone, or only with a process killed, a clock turned or a
 * configuration of its own: which test shows them instead.
 */
export const ELSEWHERE: Readonly<Record<string, OtherTest>> = {
  N7: ['test/integration/health-gateway.int-spec.ts', 'should warn when nobody can call'],
  N28: ['src/assistant/module/module-backend.spec.ts', 'should pass every kind of frame on'],
  N29: ['test/repo/zones.spec.ts', 'should refuse $what'],
  N48: [
    'test/integration/lua/create-task.int-spec.ts',
    'should write the task, its first event, the lock, both quotas and the indexes',
  ],
  N49: [
    CORE,
    'keeps a task as long as it may be kept after its last event, and then knows it no more',
  ],
  N50: [
    'test/integration/lua/append-events.int-spec.ts',
    'should refuse a stale epoch, also one that is too high',
  ],
  N54: [
    CORE,
    'keeps a task as long as it may be kept after its last event, and then knows it no more',
  ],
  N59: [MCP, 'should name the tools that this tenant was given, and no other'],
  S6: [MCP, 'should offer what the gateway offers, and answer with progress'],
  S27: [MCP, DIRECT_TOOLS],
  S28: [MCP, DIRECT_TOOLS],
  S29: [MCP, DIRECT_TOOLS],
  S31: [MCP, TASK_TOOLS],
  S32: [MCP, TASK_TOOLS],
  S33: [MCP, TASK_TOOLS],
  S44: [MCP, DIRECT_TOOLS],
  S93: [MCP, 'should refuse what is no tool and no argument in words'],
  N64: ['test/e2e/readme.e2e-spec.ts', 'should answer every curl of the README'],
  N65: [
    'test/integration/a2a-cli.int-spec.ts',
    'should stream as the seed writes it, and say how to go on',
  ],
  N68: ['test/e2e/docs.e2e-spec.ts', 'should have commands that run: %s'],
  N69: [CONFIG, 'should need nothing but a Redis'],
  N70: [
    'test/e2e/across-instances.e2e-spec.ts',
    'should be read, listed, streamed and completed as seen from B',
  ],
  N72: [
    'test/integration/n9e-auth.int-spec.ts',
    'should prove its user by the id, with the busi groups of that user',
  ],
  S8: [CONFIG, 'should need nothing but a Redis'],
  S12: [CONFIG, 'should come from the environment or a file beside the YAML file'],
  S13: [LAUNCHER, SERVE],
  S14: [CONFIG, 'should be kept as hashes only'],
  S15: [LAUNCHER, 'should make, list and revoke tokens while it runs'],
  S16: [LAUNCHER, SERVE],
  S17: [SECRETS, NO_SECRETS],
  S39: [BRIDGE, RESULT],
  S42: [
    'test/integration/llm-breakage.int-spec.ts',
    'should be the built-in assistant, with a note',
  ],
  S45: [BRIDGE, RESULT],
  S46: [BRIDGE, RESULT],
  S69: [
    'src/assistant/tools/tools.spec.ts',
    'should hold uniquely named tools with an object schema, all of them read-only',
  ],
  S70: [APPROVALS, PENDING],
  S71: ['src/assistant/writes/writes.spec.ts', 'should want the exact phrase for %j'],
  S72: [WRITES, 'should not be made by a no, by something else, or by somebody else'],
  S73: ['test/integration/llm-writes.int-spec.ts', IN_SCOPE],
  S74: ['test/integration/llm-writes.int-spec.ts', IN_SCOPE],
  S96: [APPROVALS, PENDING],
  S83: [
    'test/e2e/zombie.e2e-spec.ts',
    'should take no new work, end its streams kindly and hand its runs over',
  ],
  S84: [LAUNCHER, SERVE],
  S87: [SECRETS, NO_SECRETS],
  S88: [
    'test/e2e/takeover.e2e-spec.ts',
    'should fail an unmarked run: it may have done something, and is not run again',
  ],
  S89: [
    'test/integration/llm-tool-loop.int-spec.ts',
    'should replay earlier turns, broken ones too, oldest first',
  ],
  S98: [
    'test/integration/retention.int-spec.ts',
    'should be the newest tasks, whichever instances sweep; open questions stay',
  ],
  V20: ['test/integration/a2a-cli-examples.int-spec.ts', 'should have a 1.0 client that works'],
  V28: [
    'test/integration/lua/close-context.int-spec.ts',
    'should forget an idle context, and leave its task',
  ],
  V30: [CORE, 'gives the next turn the history and the memory'],
  V33: [CORE, 'fails a run whose time is used up, and says so'],
  V34: ['test/repo/config-docs.spec.ts', 'should name the defaults as they are'],
  V38: [
    'test/integration/a2a-rest.int-spec.ts',
    'should return the unfinished task when maxBlockingSeconds have passed',
  ],
  P65: [
    'test/e2e/zombie.e2e-spec.ts',
    'should finish what fits into its drain time, with its stream open to the end',
  ],
  P72: [
    'test/integration/cost.int-spec.ts',
    'should not grow with the task: ten times the deltas, about ten times the bytes',
  ],
  P74: ['test/integration/cost.int-spec.ts', 'should be four, whatever runs and streams there are'],
  P80: ['test/e2e/oidc.e2e-spec.ts', 'should lead to the metadata of /%s'],
};

const RUN_BY_TASK = 'a run is keyed by its task, so no metadata can contradict it';
const NO_FLOW = 'a resource server has no flow of its own, and so no state of one';

/** Rows that have nothing to show in this product, and why. */
export const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  N23: 'only language models are told of the page, and no answer shows what one was told',
  N35: RUN_BY_TASK,
  N36: RUN_BY_TASK,
  N39: 'a cancel that gets no answer is forced, so there is no other error of it',
  S82: 'a statement about what was written outside; said in the README',
  S85: 'instances share Redis and no folder, so any number may use one configuration',
  V18: 'answers are artifacts, as the connect guide says',
  V56: 'endpoints in the manner of model providers are out of scope',
  P81: NO_FLOW,
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
