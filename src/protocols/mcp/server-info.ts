import { readFileSync } from 'node:fs';

/** Equally deep below package.json in src and in dist. */
const manifest: unknown = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
);

function version(): string {
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) {
    return String(manifest.version);
  }
  throw new Error('bug: package.json has no version');
}

/** How the gateway names itself to MCP clients. */
export const SERVER_INFO = { name: 'nightjar', title: 'Nightjar', version: version() };
