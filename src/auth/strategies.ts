import { PassportStrategy } from '@nestjs/passport';
import passport from 'passport';
import { HeaderAPIKeyStrategy } from 'passport-headerapikey';
import { bearerSecret } from './credentials.js';
import type { Principal } from './principal.js';

/** Says whom a secret proves; rejects when that cannot be known. */
export type Verify = (secret: string) => Promise<Principal | undefined>;

type Done = (error: unknown, principal?: Principal | false) => void;

/** `Authorization: Bearer <token>` (RFC 6750). */
class BearerScheme extends passport.Strategy {
  // Passport runs a strategy through Object.create(strategy): a #private field would throw.
  constructor(private readonly ask: (secret: string, done: Done) => void) {
    super();
  }

  override authenticate(request: {
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  }): void {
    const { authorization } = request.headers;
    const secret = typeof authorization === 'string' ? bearerSecret(authorization) : undefined;
    if (secret === undefined) {
      this.fail();
      return;
    }
    this.ask(secret, (error, principal) => {
      if (error !== null && error !== undefined) this.error(error);
      else if (principal === undefined || principal === false) this.fail();
      else this.success(principal);
    });
  }
}

let registered = 0;

/**
 * Registers the two ways to present a token and returns their names for a guard. Passport's
 * registry is one for the process: names of their own keep two gateways in one process apart, where
 * otherwise the later one would answer for both.
 */
export function registerStrategies(verify: Verify, headerName: string): [string, string] {
  registered += 1;
  const names: [string, string] = [`header-${registered}`, `bearer-${registered}`];

  class HeaderStrategy extends PassportStrategy(HeaderAPIKeyStrategy, names[0]) {
    constructor() {
      // The prefix would go unescaped into a regular expression: none.
      super({ header: headerName, prefix: '' }, false);
    }

    async validate(secret: string): Promise<Principal | false> {
      return (await verify(secret)) ?? false;
    }
  }

  class BearerStrategy extends PassportStrategy(BearerScheme, names[1]) {
    async validate(secret: string): Promise<Principal | false> {
      return (await verify(secret)) ?? false;
    }
  }

  new HeaderStrategy();
  new BearerStrategy();
  return names;
}
