import { SetMetadata } from '@nestjs/common';
import type { TokenScope } from './principal.js';

export const REQUIRED_SCOPE = 'nightjar:scope';

/** A token without this scope is refused on the route or controller (403). */
export const RequireScope = (scope: TokenScope): MethodDecorator & ClassDecorator =>
  SetMetadata(REQUIRED_SCOPE, scope);
