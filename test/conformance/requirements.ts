import { ADMIN } from './manifest/admin.js';
import { CARD } from './manifest/card.js';
import { FILE } from './manifest/file.js';
import { HTTP } from './manifest/http.js';
import { MCP_REQUIREMENTS } from './manifest/mcp.js';
import { PUSH } from './manifest/push.js';
import type { Requirement } from './manifest/requirement.js';
import { SEND } from './manifest/send.js';
import { STREAM } from './manifest/stream.js';
import { TASK } from './manifest/task.js';

/** Requirements that belong together, under a title for the table. */
export interface Area {
  readonly title: string;
  readonly requirements: readonly Requirement[];
}

export const AREAS: readonly Area[] = [
  { title: 'Agent card', requirements: CARD },
  { title: 'Sending', requirements: SEND },
  { title: 'Tasks and contexts', requirements: TASK },
  { title: 'Streams', requirements: STREAM },
  { title: 'Files', requirements: FILE },
  { title: 'Webhooks', requirements: PUSH },
  { title: 'MCP', requirements: MCP_REQUIREMENTS },
  { title: 'HTTP, JSON-RPC, versions and errors', requirements: HTTP },
  { title: 'Administration', requirements: ADMIN },
];

/**
 * Everything that a gateway must show to whoever calls it. Each is proved in ./proofs, over each of
 * its cells, and a build with an unproved one fails.
 */
export const REQUIREMENTS: readonly Requirement[] = AREAS.flatMap(
  ({ requirements }) => requirements,
);
