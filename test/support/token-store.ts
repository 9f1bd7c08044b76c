import type { Succession, TokenEnd, TokenRecord, TokenStore } from '../../src/store/token.store.js';

/** Tokens in memory; `asked` counts the look-ups, and each method may be replaced. */
export class MemoryTokenStore implements TokenStore {
  readonly records = new Map<string, TokenRecord>();
  readonly touched: { sha256: string; at: number }[] = [];
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

  end(sha256: string, how: TokenEnd, at: number, succession?: Succession): Promise<boolean> {
    const record = this.records.get(sha256);
    if (record === undefined) return Promise.resolve(false);
    if (succession !== undefined && record.successor !== succession.seen) {
      return Promise.resolve(false);
    }
    const successor = succession?.successor ?? record.successor;
    const more = successor === undefined ? {} : { successor };
    this.records.set(sha256, { ...record, ...more, [how]: at });
    return Promise.resolve(true);
  }

  touch(sha256: string, at: number): Promise<void> {
    this.touched.push({ sha256, at });
    return Promise.resolve();
  }

  async purge(tenant: string): Promise<void> {
    for (const { sha256 } of await this.list(tenant)) this.records.delete(sha256);
  }
}
