import { Injectable } from '@nestjs/common';
import { registry } from '../metrics/metrics.js';
import { Readiness } from './readiness.js';

export interface ManagementAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** The answers of the management paths, whichever listener they are asked on. */
@Injectable()
export class ManagementService {
  constructor(private readonly readiness: Readiness) {}

  /** 200 as long as the process answers at all: a restart would help only if it did not. */
  livez(): ManagementAnswer {
    return json(200, { status: 'live' });
  }

  /** 200 when new work may come, else 503; the reason is not for the public. */
  async readyz(options: { readonly withReason: boolean }): Promise<ManagementAnswer> {
    const { ready, status, reason } = await this.readiness.report();
    return json(ready ? 200 : 503, {
      status,
      ...(options.withReason && reason !== undefined ? { reason } : {}),
    });
  }

  /** Prometheus' text format. */
  async metrics(): Promise<ManagementAnswer> {
    return { status: 200, contentType: registry.contentType, body: await registry.metrics() };
  }
}

export function json(status: number, content: unknown): ManagementAnswer {
  return { status, contentType: 'application/json; charset=utf-8', body: JSON.stringify(content) };
}
