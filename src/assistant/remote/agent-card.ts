import { z } from 'zod';
import { cleanText } from '../sources/clean-text.js';
import { RemoteError } from './remote-error.js';

const MOST_SKILLS = 64;
const MOST_ID_CHARS = 256;
const NAME_CHARS = 100;
const TEXT_CHARS = 1000;
const EXAMPLES = 3;
const EXAMPLE_CHARS = 120;

export type Binding = 'JSONRPC' | 'HTTP+JSON';

export interface RemoteSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly examples: readonly string[];
}

/** What is taken from an agent card: bounded, cleaned, and checked to lie at the right origin. */
export interface RemoteCard {
  readonly name: string;
  readonly version: '1.0' | '0.3';
  readonly binding: Binding;
  readonly url: string;
  /** Of the interface, for servers that route by it. */
  readonly tenant: string;
  readonly streaming: boolean;
  readonly skills: readonly RemoteSkill[];
  /** Skills that were left out, because there are too many or they have no id. */
  readonly dropped: number;
}

const text = z.string().catch('');
const offered = z.object({
  url: text,
  protocolBinding: text,
  transport: text,
  protocolVersion: text,
  tenant: text,
});
const card = z.object({
  name: text,
  url: z.string().optional().catch(undefined),
  preferredTransport: text,
  protocolVersion: text,
  supportedInterfaces: z.array(offered).max(50).catch([]),
  additionalInterfaces: z.array(offered).max(50).catch([]),
  capabilities: z.object({ streaming: z.boolean().catch(false) }).catch({ streaming: false }),
  skills: z.array(z.unknown()).catch([]),
});
const skill = z.object({
  id: z.string().min(1).max(MOST_ID_CHARS),
  name: text,
  description: text,
  examples: z.array(text).catch([]),
});

interface Offer {
  readonly url: string;
  readonly binding: Binding;
  readonly version: '1.0' | '0.3';
  readonly tenant: string;
}

/**
 * Reads a card of either generation, whoever wrote it: 1.0 is preferred, JSON-RPC before REST, and
 * 0.3 is the fallback (over JSON-RPC only: no deployed server speaks its REST).
 * @param origin where every interface must lie.
 * @throws RemoteError
 */
export function readCard(remote: string, document: unknown, origin: string): RemoteCard {
  const parsed = card.safeParse(document);
  if (!parsed.success) throw bad(remote, 'it is no object');
  const { name, capabilities, skills: given } = parsed.data;
  const offers = offersOf(parsed.data);
  if (offers.length === 0) throw bad(remote, 'it offers no interface of A2A 1.0 or 0.3 over HTTP');
  const [offer] = offers
    .filter(({ url }) => URL.canParse(url) && new URL(url).origin === origin)
    .sort((a, b) => rankOf(a) - rankOf(b));
  if (offer === undefined) throw new RemoteError(remote, { kind: 'origin' });
  const skills = given.flatMap((one) => readSkill(one) ?? []);
  const kept = [...new Map(skills.map((one) => [one.id, one])).values()].slice(0, MOST_SKILLS);
  return {
    name: cleanText(name, NAME_CHARS),
    ...offer,
    streaming: capabilities.streaming,
    skills: kept,
    dropped: given.length - kept.length,
  };
}

function offersOf(of: z.infer<typeof card>): readonly Offer[] {
  const { url, preferredTransport, protocolVersion } = of;
  const legacy =
    url === undefined
      ? []
      : [
          { url, transport: preferredTransport || 'JSONRPC' },
          ...of.additionalInterfaces.map((one) => ({ url: one.url, transport: one.transport })),
        ].map((one) => ({
          ...one,
          protocolBinding: one.transport,
          protocolVersion: protocolVersion.startsWith('0.') ? protocolVersion : '0.3',
          tenant: '',
        }));
  return [...of.supportedInterfaces, ...legacy].flatMap((one): Offer[] => {
    const binding = one.protocolBinding.toUpperCase();
    const version = /^(1\.0|0\.3)(?:\.|$)/.exec(one.protocolVersion)?.[1];
    if (binding !== 'JSONRPC' && binding !== 'HTTP+JSON') return [];
    if (version !== '1.0' && !(version === '0.3' && binding === 'JSONRPC')) return [];
    return [{ url: one.url, binding, version, tenant: one.tenant }];
  });
}

function rankOf({ version, binding }: Offer): number {
  return (version === '1.0' ? 0 : 2) + (binding === 'JSONRPC' ? 0 : 1);
}

function readSkill(value: unknown): RemoteSkill | undefined {
  const parsed = skill.safeParse(value);
  if (!parsed.success) return undefined;
  const { id, name, description, examples } = parsed.data;
  return {
    id,
    name: cleanText(name === '' ? id : name, NAME_CHARS),
    description: cleanText(description, TEXT_CHARS),
    examples: examples
      .slice(0, EXAMPLES)
      .map((one) => cleanText(one, EXAMPLE_CHARS))
      .filter((one) => one !== ''),
  };
}

function bad(remote: string, what: string): RemoteError {
  return new RemoteError(remote, { kind: 'bad_card', what });
}
