import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { GatewayConfig } from '../../config/config.types.js';
import type { Finding } from '../../redis/doctor/finding.js';

/** Whether a host name leads anywhere. @throws Error with a `code` when it does not. */
type Lookup = (host: string) => Promise<unknown>;

/** Whether webhooks can be told what the configuration promises; nothing while they are off. */
export async function examinePush(
  { push, publicUrl }: Pick<GatewayConfig, 'push' | 'publicUrl'>,
  find: Lookup = (host) => lookup(host),
): Promise<Finding[]> {
  if (push === undefined) return [];
  const finding = (check: string, level: Finding['level'], text: string): Finding => ({
    ...{ check, where: 'push', level, text },
  });
  const names = push.allowPrivate.filter((entry) => !entry.includes('/') && isIP(entry) === 0);
  const hosts = await Promise.all(
    names.map(async (name) => {
      const found = await find(name).then(
        () => true,
        () => false,
      );
      return found
        ? finding('allowPrivate', 'ok', `${name} is found`)
        : finding('allowPrivate', 'error', `${name} is no name that this machine finds`);
    }),
  );
  return [
    publicUrl === undefined
      ? finding('publicUrl', 'warning', 'not set: files in notifications are links without a host')
      : finding('publicUrl', 'ok', `files in notifications are links to ${publicUrl}`),
    ...(push.allowHttp
      ? [finding('allowHttp', 'warning', 'notifications may go over plain HTTP, tokens included')]
      : []),
    ...hosts,
  ];
}
