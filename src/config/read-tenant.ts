import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { relative } from 'node:path';
import { buildTenants } from './build-tenants.js';
import type { ConfigFiles } from './config-files.js';
import { ConfigError } from './config-error.js';
import type { GatewayConfig, TenantConfig } from './config.types.js';
import { deepFreeze } from './deep-freeze.js';
import { TenantDto } from './dto/tenant.dto.js';
import type { Environment } from './environment.js';
import { Faults } from './faults.js';
import type { Profile } from './profiles.js';
import { SecretReader } from './secrets.js';
import { isSound } from './structure-faults.js';
import type { Toolset } from './toolsets.js';
import { withoutNulls } from './without-nulls.js';

export interface TenantSurroundings {
  readonly environment: Environment;
  readonly files: ConfigFiles;
  readonly profile: Profile;
  readonly toolsets: readonly Toolset[];
  readonly admin: GatewayConfig['admin'];
}

/** Where buildTenants sees the only tenant. */
const PLACE = 'tenants[0]';

/**
 * A tenant that came by the admin API, checked by the same classes as those of the YAML file. It may
 * refer only to secrets that the operator has opened to it, and name no module: whoever holds an
 * admin token shall not read the gateway's environment and files with it, nor run code.
 * @throws ConfigError with every fault, each with its place in the document.
 */
export function readTenant(
  id: string,
  document: Readonly<Record<string, unknown>>,
  { environment, files, profile, toolsets, admin }: TenantSurroundings,
): TenantConfig {
  const faults = new Faults();
  if (!isSound(document, faults)) throw new ConfigError(faults.list());
  const dto = plainToInstance(TenantDto, { ...(withoutNulls(document) as object), id });
  const rules = { whitelist: true, forbidNonWhitelisted: true, stopAtFirstError: true };
  faults.addValidation(validateSync(dto, rules), PLACE);
  if (dto.assistant?.backend === 'module') {
    faults.add(
      `${PLACE}.assistant.backend`,
      'must not be module: a module is named in the YAML file',
    );
  }
  dto.mcpServers?.forEach((server, index) => {
    if ((server as { transport?: unknown } | null)?.transport !== 'stdio') return;
    faults.add(
      `${PLACE}.mcpServers[${index}].transport`,
      'must not be stdio: a command is named in the YAML file',
    );
  });
  const folder = admin.secretFolder ?? '/';
  const isOpen = (name: string): boolean =>
    admin.secretEnv.some((open) =>
      open.endsWith('*') ? name.startsWith(open.slice(0, -1)) : name === open,
    );
  const secrets = new SecretReader(
    Object.fromEntries(Object.entries(environment).filter(([name]) => isOpen(name))),
    folder,
    {
      exists: () => false,
      read: (path) => {
        if (admin.secretFolder !== undefined && isBelow(folder, path)) return files.read(path);
        throw Object.assign(new Error('not open'), { code: 'not in admin.secretFolder' });
      },
    },
    faults,
    'is not set, or not opened by admin.secretEnv',
  );
  const [built] = buildTenants([dto], { folder, files, profile, toolsets, secrets, faults });
  const found = faults.list();
  if (found.length > 0 || built === undefined) {
    throw new ConfigError(found.map((fault) => fault.replace(`${PLACE}.`, '')));
  }
  return deepFreeze(built);
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith('../') && !way.startsWith('/');
}
