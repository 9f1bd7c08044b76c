import { SetMetadata } from '@nestjs/common';
import type { TokenScope } from './principal.js';

export const REQUIRED_SCOPE = 'nightjar:scope';

/** A token with none of these scopes is refused on the route or controller (403). */
export const RequireScope = (...scopes: readonly TokenScope[]): MethodDecorator & ClassDecorator =>
  SetMetadata(REQUIRED_SCOPE, scopes);
