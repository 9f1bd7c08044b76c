import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Public } from '../auth/public.decorator.js';
import { type ManagementAnswer, ManagementService } from './management.service.js';

function send(reply: FastifyReply, answer: ManagementAnswer): void {
  void reply.status(answer.status).type(answer.contentType).send(answer.body);
}

/** `/livez` and `/readyz` on the main port, for the embedded default and a merged listener. */
@Public()
@Controller()
export class ProbesController {
  constructor(private readonly management: ManagementService) {}

  @Get('livez')
  livez(@Res() reply: FastifyReply): void {
    send(reply, this.management.livez());
  }

  @Get('readyz')
  async readyz(@Res() reply: FastifyReply): Promise<void> {
    send(reply, await this.management.readyz({ withReason: false }));
  }
}

/** `/metrics` on the main port: only where the operator has merged management into it. */
@Public()
@Controller()
export class MetricsController {
  constructor(private readonly management: ManagementService) {}

  @Get('metrics')
  async metrics(@Res() reply: FastifyReply): Promise<void> {
    send(reply, await this.management.metrics());
  }
}
