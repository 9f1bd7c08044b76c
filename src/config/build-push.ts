import type { GatewayConfig, PushSettings } from './config.types.js';
import type { GatewayDto } from './dto/gateway.dto.js';
import type { Faults } from './faults.js';
import type { SecretReader } from './secrets.js';

const KEY_BYTES = 32;
const KEY_FAULT = `must be ${KEY_BYTES} bytes as base64 or hex (openssl rand -base64 ${KEY_BYTES})`;

/** Nothing unless webhooks are switched on; then a key is required, so that none is stored in clear. */
export function buildPush({
  dto,
  secrets,
  faults,
}: {
  readonly dto: Pick<GatewayDto, 'push'>;
  readonly secrets: SecretReader;
  readonly faults: Faults;
}): Pick<GatewayConfig, 'push'> {
  const { push } = dto;
  if (push?.enabled !== true) return {};
  const settings: PushSettings = {
    encryptionKey: readKey(push.encryptionKey, secrets, faults),
    allowHttp: push.allowHttp ?? false,
    allowPrivate: push.allowPrivate ?? [],
    timeoutMs: push.timeoutMs ?? 15_000,
    pollMs: push.pollMs ?? 1000,
    retryBaseMs: push.retryBaseMs ?? 1000,
    retryMaxMs: push.retryMaxMs ?? 300_000,
    giveUpSeconds: push.giveUpSeconds ?? 86_400,
    concurrency: push.concurrency ?? 64,
  };
  if (settings.retryMaxMs < settings.retryBaseMs) {
    faults.add('push.retryMaxMs', 'must not be below retryBaseMs');
  }
  return { push: settings };
}

function readKey(
  reference: NonNullable<GatewayDto['push']>['encryptionKey'],
  secrets: SecretReader,
  faults: Faults,
): string {
  const place = 'push.encryptionKey';
  if (faults.has(place)) return '';
  if (reference === undefined) {
    faults.add(place, 'is required when push is enabled: webhooks are never stored in clear');
    return '';
  }
  const text = secrets.read(reference, place);
  if (text === '') return '';
  const encoding = /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64';
  const key = Buffer.from(text, encoding);
  const whole = encoding === 'hex' || /^[A-Za-z0-9+/_-]{43}=?$/.test(text);
  if (key.length !== KEY_BYTES || !whole) faults.add(place, KEY_FAULT);
  return key.toString('hex');
}
