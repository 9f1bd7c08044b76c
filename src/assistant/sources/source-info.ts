/** Where facts come from, as the rest of the assistant sees it. */
export interface SourceInfo {
  /** The name from the tenant's config; unique within the tenant. */
  readonly name: string;
  readonly type: 'alertmanager' | 'prometheus' | 'n9e' | 'demo';
}
