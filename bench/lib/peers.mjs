import { join } from 'node:path';
import { freePort, start } from './process.mjs';

const SERVERS = join(import.meta.dirname, '../servers');

export async function startPeer(file, env) {
  const port = await freePort();
  const child = await start(process.execPath, [join(SERVERS, file)], {
    env: { PORT: String(port), ...env },
    ready: 'peer is ready',
  });
  return { child, origin: `http://127.0.0.1:${port}` };
}
