import { readFileSync, statSync } from 'node:fs';

const MANIFEST = new URL('../../../package.json', import.meta.url);

export interface Product {
  readonly name: string;
  readonly version: string;
  /** When this build was made: the same on every instance of one image. */
  readonly builtAt: Date;
}

/** What the protocols say of the server; read once, at the first import. */
export const PRODUCT: Product = readProduct();

function readProduct(): Product {
  const { version } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { version: string };
  return { name: 'Nightjar', version, builtAt: statSync(MANIFEST).mtime };
}
