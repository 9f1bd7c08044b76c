import type { WriteRule, WritesConfig } from '../../src/config/config.types.js';
import { BuiltinBackend } from '../../src/assistant/builtin/builtin-backend.js';
import { TenantSources } from '../../src/assistant/sources/tenant-sources.js';
import { showMatchers } from '../../src/assistant/tools/silence-plan.js';
import type { SilenceMatcher } from '../../src/assistant/writes/write-plan.js';
import { FakeDesk } from './fake-desk.js';
import { alertOf, contentOf, FakeSources, NOW, turnOf } from './fake-sources.js';

const ASK: WriteRule = { policy: 'ask-caller', within: { matchers: [] }, otherwise: 'deny' };
const WRITES: WritesConfig = { create_silence: ASK, expire_silence: ASK };

/** What fires where the orders are given. */
export const FIRING = [
  { alertname: 'DiskFull', severity: 'critical', host: 'db-1', team: 'data', service: 'orders' },
  { alertname: 'DiskFull', severity: 'warning', host: 'db-2', team: 'data', service: 'orders' },
  { alertname: 'HighLatency', severity: 'warning', team: 'payments', service: 'checkout' },
  { alertname: 'QueueBacklog', severity: 'info', team: 'payments', service: 'billing' },
  { alertname: 'CertExpiry', severity: 'critical', team: 'edge', env: 'prod' },
] as const;
const FACTS = new FakeSources({ alerts: FIRING.map((labels) => alertOf(labels)) });

export interface Outcome {
  /** Undefined: refused. */
  readonly plan: string | undefined;
  readonly matchers: readonly SilenceMatcher[];
  readonly minutes: number;
  readonly text: string;
  /** The question that it is approved by; '' where it was refused. */
  readonly question: string;
}

/** What one order comes to. */
export async function ordered(text: string): Promise<Outcome> {
  const sources = new TenantSources([FACTS.router, FACTS.metrics]);
  const backend = new BuiltinBackend(sources, () => NOW, WRITES);
  const frames = [];
  const { signal } = new AbortController();
  for await (const frame of backend.run(turnOf(text), signal, new FakeDesk())) frames.push(frame);
  const asked = frames.find((frame) => frame.kind === 'input_required');
  const args = asked?.plan?.['args'] as
    { readonly matchers: SilenceMatcher[]; readonly ends_at: string } | undefined;
  return {
    plan: args === undefined ? undefined : showMatchers(args.matchers),
    matchers: args?.matchers ?? [],
    minutes: args === undefined ? 0 : (Date.parse(args.ends_at) - NOW) / 60_000,
    text: contentOf(frames),
    question: asked?.question ?? '',
  };
}
