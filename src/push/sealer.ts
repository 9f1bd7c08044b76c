import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const VERSION = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts what is stored of a webhook (AES-256-GCM): its URL, token and credentials. Bound to its
 * place, so that a sealed text moved to another task or webhook opens nowhere. Every call gives
 * other bytes.
 */
export class Sealer {
  private readonly key: Buffer;
  /** Names the key without telling it: another instance may already have a new one. */
  private readonly keyId: string;

  /** @param keyHex 32 bytes as hex. */
  constructor(keyHex: string) {
    this.key = Buffer.from(keyHex, 'hex');
    this.keyId = createHash('sha256')
      .update('nightjar push key\n')
      .update(this.key)
      .digest('hex')
      .slice(0, 8);
  }

  seal(text: string, place: readonly string[]): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv).setAAD(aad(place));
    const sealed = Buffer.concat([
      iv,
      cipher.update(text, 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
    return `${VERSION}.${this.keyId}.${sealed.toString('base64url')}`;
  }

  /** Undefined when it was sealed with another key or for another place, or was altered. */
  open(sealed: string, place: readonly string[]): string | undefined {
    const [version, keyId, body] = sealed.split('.');
    if (version !== VERSION || keyId !== this.keyId || body === undefined) return undefined;
    const bytes = Buffer.from(body, 'base64url');
    if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(aad(place))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }
}

function aad(place: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(place));
}
