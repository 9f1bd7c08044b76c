import type { ConfigFiles } from './config-files.js';
import type { GatewayDto } from './dto/gateway.dto.js';
import type { Environment } from './environment.js';
import type { Faults } from './faults.js';
import type { Profile } from './profiles.js';
import type { SecretReader } from './secrets.js';
import type { Toolset } from './toolsets.js';

/** What the configuration is built from. */
export interface BuildInput {
  readonly dto: GatewayDto;
  readonly folder: string;
  readonly files: ConfigFiles;
  readonly secrets: SecretReader;
  readonly environment: Environment;
  readonly faults: Faults;
  /** True for a value that came from the environment, which may hold a secret. */
  readonly fromEnvironment: (place: string) => boolean;
  /** Used when neither file nor environment names a Redis. */
  readonly redisUrl: string | undefined;
  readonly demoSha256: string | undefined;
  readonly adminSha256: string | undefined;
}

/** What each tenant of it is built from. */
export interface BuildContext {
  /** What a relative path in the YAML file starts from. */
  readonly folder: string;
  readonly files: ConfigFiles;
  readonly profile: Profile;
  readonly secrets: SecretReader;
  readonly faults: Faults;
  /** What a tenant's users get where the tenant names none. */
  readonly toolsets: readonly Toolset[];
}
