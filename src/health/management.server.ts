import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { localAuthorityOf } from '../config/authority.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config/config.types.js';
import { ApiDescription, OPENAPI_PATHS } from './api-description.js';
import { refuseClient } from './refuse-client.js';
import { json, type ManagementAnswer, ManagementService } from './management.service.js';

const REQUEST_TIMEOUT_MS = 10_000;
/** How often slow requests are looked for; Node's own default would let them be for 30 s more. */
const LOOK_MS = 5000;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * The management listener: `/livez`, `/readyz` and `/metrics` on a bind of its own, loopback unless
 * configured, and what is mounted on it (the admin API). A plain server, so that it answers while the
 * application is still starting and until it has stopped, and so that no protocol path can ever be
 * reached on it.
 */
@Injectable()
export class ManagementServer implements OnApplicationShutdown {
  private readonly logger = new Logger(ManagementServer.name);
  private server: Server | undefined;
  private readonly description: ApiDescription;
  /** Answers everything below a path, once the application is up. */
  private mounted: { readonly root: string; readonly handle: Handler } | undefined;

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly management: ManagementService,
  ) {
    const { headerName } = config.auth;
    this.description = new ApiDescription({ headerName, inside: true });
  }

  /**
   * Does nothing when management is merged into the main listener (port 0).
   * @throws Error with a `code` such as EADDRINUSE.
   */
  async start(): Promise<void> {
    const { host, port } = this.config.management;
    if (port === 0) return;
    const server = createServer({ connectionsCheckingInterval: LOOK_MS }, (request, response) => {
      void this.handle(request, response);
    });
    server.on('clientError', refuseClient);
    server.requestTimeout = REQUEST_TIMEOUT_MS;
    server.headersTimeout = REQUEST_TIMEOUT_MS;
    server.listen(port, host);
    await once(server, 'listening');
    this.server = server;
    this.logger.log({ msg: 'management is listening', host, port });
  }

  async onApplicationShutdown(): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    this.server = undefined;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }

  /** Hands every request for `root` and below it to `handle`, unread. */
  mount(root: string, handle: Handler): void {
    this.mounted = { root, handle };
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?')[0] ?? '';
    const { mounted } = this;
    if (mounted !== undefined && (path === mounted.root || path.startsWith(`${mounted.root}/`))) {
      mounted.handle(request, response);
      return;
    }
    let answer: ManagementAnswer;
    try {
      answer = await this.answer(request);
    } catch (error) {
      this.logger.error({ msg: 'a management request failed', err: error });
      answer = json(500, { error: 'internal' });
    }
    response.writeHead(answer.status, {
      'content-type': answer.contentType,
      'content-length': Buffer.byteLength(answer.body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(answer.status === 405 ? { allow: 'GET, HEAD' } : {}),
    });
    response.end(request.method === 'HEAD' ? undefined : answer.body);
  }

  private async answer({ method, url = '/' }: IncomingMessage): Promise<ManagementAnswer> {
    const answers: Readonly<Record<string, () => ManagementAnswer | Promise<ManagementAnswer>>> = {
      '/livez': () => this.management.livez(),
      '/readyz': () => this.management.readyz({ withReason: true }),
      '/metrics': () => this.management.metrics(),
      ...Object.fromEntries(OPENAPI_PATHS.map((of) => [of, () => this.describe(of)])),
    };
    const path = url.split('?')[0] ?? '';
    const found = Object.hasOwn(answers, path) ? answers[path] : undefined;
    if (found === undefined) {
      return json(404, { error: 'not found', paths: Object.keys(answers) });
    }
    if (method !== 'GET' && method !== 'HEAD') return json(405, { error: 'only GET' });
    return found();
  }

  private describe(path: (typeof OPENAPI_PATHS)[number]): ManagementAnswer {
    const { publicUrl, listen } = this.config;
    const scheme = listen.tls === undefined ? 'http' : 'https';
    const baseUrl = publicUrl ?? `${scheme}://${localAuthorityOf(listen)}`;
    return {
      status: 200,
      contentType: ApiDescription.contentType(path),
      body: this.description.text(path, baseUrl),
    };
  }
}
