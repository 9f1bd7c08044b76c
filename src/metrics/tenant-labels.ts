/** Beyond so many tenants, unless configured, all others share one time series. */
const MOST_TENANTS = 50;
const OTHER = 'other';

/**
 * Keeps the label `tenant` a small set: the first tenants that are seen, up to a bound, keep their
 * name for as long as the process runs; all others are `other`.
 */
export class TenantLabels {
  private readonly shown = new Set<string>();
  private most = MOST_TENANTS;

  /** @param most 0 shows none by name. Those that have a name keep it. */
  limit(most: number): void {
    this.most = most;
  }

  of(tenant: string): string {
    if (this.shown.has(tenant)) return tenant;
    if (this.shown.size >= this.most) return OTHER;
    this.shown.add(tenant);
    return tenant;
  }
}
