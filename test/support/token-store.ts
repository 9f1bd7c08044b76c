import type { TokenRecord, TokenStore } from '../../src/store/token.store.js';

/** Tokens in memory; `asked` counts the look-ups, and each method may be replaced. */
export class MemoryTokenStore implements TokenStore {
  readonly records = new Map<string, TokenRecord>();
  asked = 0;

  find(sha256: string): Promise<TokenRecord | undefined> {
    this.asked += 1;
    return Promise.resolve(this.records.get(sha256));
  }

  create(record: TokenRecord): Promise<void> {
    this.records.set(record.sha256, record);
    return Promise.resolve();
  }

  async count(tenant: string): Promise<number> {
    return (await this.list(tenant)).length;
  }

  list(tenant?: string): Promise<TokenRecord[]> {
    const all = [...this.records.values()];
    return Promise.resolve(all.filter((record) => (tenant ?? record.tenant) === record.tenant));
  }

  revoke(sha256: string, at: number): Promise<boolean> {
    const record = this.records.get(sha256);
    if (record !== undefined) this.records.set(sha256, { ...record, revoked: at });
    return Promise.resolve(record !== undefined);
  }
}
