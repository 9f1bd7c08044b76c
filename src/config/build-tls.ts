import type { TlsSettings } from './config.types.js';
import type { TlsDto } from './dto/tls.dto.js';
import type { Faults } from './faults.js';
import type { SecretReader } from './secrets.js';

/** The texts of a `tls` section; undefined where there is none. @param place of the section. */
export function buildTls(
  given: TlsDto | undefined,
  place: string,
  { secrets, faults }: { readonly secrets: SecretReader; readonly faults: Faults },
): TlsSettings | undefined {
  if (given === undefined) return undefined;
  const read = (part: 'ca' | 'cert' | 'key'): Record<string, string> => {
    const reference = given[part];
    if (reference === undefined || faults.has(`${place}.${part}`)) return {};
    return { [part]: secrets.read(reference, `${place}.${part}`) };
  };
  if ((given.cert === undefined) !== (given.key === undefined)) {
    faults.add(place, 'must have both of cert and key, or neither');
  }
  return {
    ...read('ca'),
    ...read('cert'),
    ...read('key'),
    ...(given.serverName === undefined ? {} : { serverName: given.serverName }),
  };
}
