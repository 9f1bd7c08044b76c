import { All, Controller } from '@nestjs/common';
import { RequireScope } from '../../auth/require-scope.decorator.js';
import { DomainError } from '../../domain/errors.js';

/** The REST paths of 0.3 (`/a2a/v1/message:send` …): no deployed client uses them. */
@Controller('a2a/v1')
@RequireScope('a2a')
export class RestRefusalController {
  @All('*')
  refuse(): never {
    throw new DomainError(
      'VERSION_NOT_SUPPORTED',
      'A2A 0.3 over REST is not spoken here: use JSON-RPC on /a2a, or the 1.0 REST paths /a2a/message:send, /a2a/tasks',
      { metadata: { requested: '0.3', supported: '1.0' } },
    );
  }
}
