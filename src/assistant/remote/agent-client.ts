import {
  type Client,
  ClientFactory,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import type { RemoteCard } from './agent-card.js';

/** Where the SDK wants to be given a whole card, it gets what we have checked and nothing else. */
export function clientOf(
  { url, binding, version, tenant }: RemoteCard,
  fetchImpl: typeof fetch,
): Promise<Client> {
  const factory = new ClientFactory({
    transports: [
      new RestTransportFactory({ fetchImpl }),
      new JsonRpcTransportFactory({ fetchImpl, legacyCompat: { enabled: true } }),
    ],
  });
  return factory.createFromAgentCard({
    name: 'remote',
    description: '',
    version: '1',
    provider: undefined,
    supportedInterfaces: [{ url, protocolBinding: binding, protocolVersion: version, tenant }],
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extensions: [],
      extendedAgentCard: false,
    },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
    signatures: [],
  });
}
