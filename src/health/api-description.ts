import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';

/** Where docs/openapi.yaml is served, on both listeners. */
export const OPENAPI_PATHS = ['/openapi.yaml', '/openapi.json'] as const;

const FILE = new URL('../../docs/openapi.yaml', import.meta.url);
/** Different addresses that callers give the gateway are few; a stranger may make up many. */
const MAX_CACHED = 64;

interface Described {
  readonly servers: readonly object[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, { readonly servers?: unknown }>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

export interface DescriptionOptions {
  /** The header of the token. */
  readonly headerName: string;
  /** True on the management listener: with its own paths and the admin API. */
  readonly inside: boolean;
}

/**
 * docs/openapi.yaml as it holds for one listener: the address and the header's name are those of this
 * gateway. Nothing else of the configuration is in it. Read once, when it is asked for first.
 */
export class ApiDescription {
  private document: Described | undefined;
  private readonly texts = new Map<string, string>();

  constructor(private readonly options: DescriptionOptions) {}

  /** @param baseUrl under which the caller reaches the REST surface. */
  text(path: (typeof OPENAPI_PATHS)[number], baseUrl: string): string {
    const key = `${path} ${baseUrl}`;
    const known = this.texts.get(key);
    if (known !== undefined) return known;
    this.document ??= this.read();
    const document = { ...this.document, servers: [{ url: baseUrl }] };
    const text = path.endsWith('.json') ? JSON.stringify(document) : stringify(document);
    if (this.texts.size < MAX_CACHED) this.texts.set(key, text);
    return text;
  }

  static contentType(path: (typeof OPENAPI_PATHS)[number]): string {
    return path.endsWith('.json') ? 'application/json' : 'application/yaml';
  }

  private read(): Described {
    const { headerName, inside } = this.options;
    const whole = parse(readFileSync(FILE, 'utf8')) as Described;
    const { paths, tags } = whole;
    const schemes = whole.components['securitySchemes'];
    const userToken = { ...schemes?.['userToken'], name: headerName };
    const components = { ...whole.components, securitySchemes: { ...schemes, userToken } };
    if (inside) return { ...whole, components };
    // What is on the management listener says so by a server of its own.
    const outside = Object.entries(paths).filter(([, { servers }]) => servers === undefined);
    const isOutside = ([name]: readonly [string, object]): boolean => !name.startsWith('Admin');
    return {
      ...whole,
      tags: tags.filter(({ name }) => name !== 'Management' && name !== 'Admin'),
      paths: Object.fromEntries(outside),
      components: Object.fromEntries(
        Object.entries(components).map(([group, members]) => [
          group,
          Object.fromEntries(Object.entries(members).filter(isOutside)),
        ]),
      ),
    };
  }
}
