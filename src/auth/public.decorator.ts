import { SetMetadata } from '@nestjs/common';

export const PUBLIC_ROUTE = 'nightjar:public';

/** Opens a route or a controller to callers without a token; every other one is closed. */
export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(PUBLIC_ROUTE, true);
