import { type DynamicModule, Module, type Type } from '@nestjs/common';
import type { GatewayConfig } from '../config/config.types.js';
import { A2aEndpointController } from './a2a-v03/a2a-endpoint.controller.js';
import { LegacyDispatcher } from './a2a-v03/legacy-dispatcher.js';
import { RestRefusalController } from './a2a-v03/rest-refusal.controller.js';
import { AgentCardController } from './a2a-v1/agent-card.controller.js';
import { A2AOperations } from './a2a-v1/a2a.operations.js';
import { CardSigner } from './a2a-v1/card-signer.js';
import { FileView } from './a2a-v1/file-view.js';
import { HintController } from './a2a-v1/hint.controller.js';
import { PushOperations } from './a2a-v1/push.operations.js';
import { RecordsController } from './a2a-v1/records.controller.js';
import { RestController } from './a2a-v1/rest.controller.js';
import { RpcController } from './a2a-v1/rpc.controller.js';
import { RpcDispatcher } from './a2a-v1/rpc-dispatcher.js';
import { ResourceMetadataController } from './http/resource-metadata.controller.js';
import { OpenApiController } from './http/openapi.controller.js';
import { SseModule } from './sse/sse.module.js';

const CONTROLLERS: readonly Type[] = [
  AgentCardController,
  ResourceMetadataController,
  OpenApiController,
  HintController,
  A2aEndpointController,
  RpcController,
  RestRefusalController,
  RestController,
  RecordsController,
];

/**
 * A2A in both versions and all bindings. Needs TaskService, TenantDirectory and GATEWAY_CONFIG from
 * global modules, or from `imports`.
 */
@Module({})
export class A2aModule {
  /** With `a2a.enabled: false` there are no routes at all, the agent card's included. */
  static of(config: GatewayConfig, imports: DynamicModule['imports'] = []): DynamicModule {
    return {
      module: A2aModule,
      imports: [SseModule, ...imports],
      controllers: config.a2a.enabled ? [...CONTROLLERS] : [],
      providers: [
        A2AOperations,
        PushOperations,
        CardSigner,
        FileView,
        RpcDispatcher,
        LegacyDispatcher,
      ],
    };
  }
}
