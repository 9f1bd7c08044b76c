import { describe, expect, it } from 'vitest';
import { canonicalJson, canonicalOfPython03 } from './card-canonical.js';

const CARD = {
  name: 'Nightjar',
  description: '',
  version: '1.2.3',
  protocolVersion: '0.3.0',
  url: 'https://x.example/a2a',
  preferredTransport: 'JSONRPC',
  additionalInterfaces: [{ url: 'https://x.example/a2a', transport: 'JSONRPC' }],
  supportedInterfaces: [
    { url: 'https://x.example/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  ],
  capabilities: {
    streaming: true,
    pushNotifications: false,
    stateTransitionHistory: false,
    extensions: [{ uri: 'urn:x', description: 'limits', params: { textBytes: 32768, none: [] } }],
  },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [
    {
      id: 's',
      name: 'Ops “assistant”',
      description: '监控 🌍\n',
      tags: ['告警'],
      examples: ['当前有哪些告警？'],
    },
  ],
  supportsAuthenticatedExtendedCard: true,
  securitySchemes: {
    'x-user-token': { type: 'apiKey', in: 'header', name: 'X-User-Token' },
    bearer: { type: 'http', scheme: 'bearer' },
  },
  security: [{ 'x-user-token': [] }, { bearer: [] }],
  signatures: [{ protected: 'a', signature: 'b' }],
};

/** `canonicalize_agent_card(AgentCard.model_validate(CARD))` of a2a-sdk 0.3.26 for Python. */
const PYTHON = String.raw`{"additionalInterfaces":[{"transport":"JSONRPC","url":"https://x.example/a2a"}],"capabilities":{"extensions":[{"description":"limits","params":{"textBytes":32768},"uri":"urn:x"}],"pushNotifications":false,"stateTransitionHistory":false,"streaming":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"name":"Nightjar","securitySchemes":{"bearer":{"scheme":"bearer"},"x-user-token":{"in":"header","name":"X-User-Token"}},"skills":[{"description":"\u76d1\u63a7 \ud83c\udf0d\n","examples":["\u5f53\u524d\u6709\u54ea\u4e9b\u544a\u8b66\uff1f"],"id":"s","name":"Ops \u201cassistant\u201d","tags":["\u544a\u8b66"]}],"supportsAuthenticatedExtendedCard":true,"url":"https://x.example/a2a","version":"1.2.3"}`;

describe('canonicalOfPython03', () => {
  it('should be what the SDK for Python signs and verifies', () => {
    expect(canonicalOfPython03(CARD)).toBe(PYTHON);
    const turned = Object.fromEntries(Object.entries(CARD).reverse());
    expect(canonicalOfPython03(turned)).toBe(PYTHON);
  });

  it('should keep what differs from its defaults', () => {
    const other = { ...CARD, preferredTransport: 'GRPC', protocolVersion: '0.3.1' };
    expect(canonicalOfPython03(other)).toContain('"preferredTransport":"GRPC"');
    expect(canonicalOfPython03(other)).toContain('"protocolVersion":"0.3.1"');
  });
});

describe('canonicalJson', () => {
  it('should sort members all the way down, and nothing else', () => {
    expect(canonicalJson({ b: [{ d: null, c: '好' }, true], a: 1 })).toBe(
      '{"a":1,"b":[{"c":"好","d":null},true]}',
    );
  });
});
