import 'reflect-metadata';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { METHOD_METADATA, MODULE_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { RequestMethod, type Type } from '@nestjs/common';
import { MetadataScanner } from '@nestjs/core';
import { AdminModule } from '../../../src/admin/admin.module.js';
import { PUBLIC_ROUTE } from '../../../src/auth/public.decorator.js';
import { A2aModule } from '../../../src/protocols/a2a.module.js';
import { V03_METHODS } from '../../../src/protocols/a2a-v03/v03-params.js';
import { V1_METHODS } from '../../../src/protocols/a2a-v1/rpc-dispatcher.js';
import { McpModule } from '../../../src/protocols/mcp/mcp.module.js';
import { gatewayConfig } from '../../support/gateway-config.js';

const SRC = join(import.meta.dirname, '../../../src');
/** JSON-RPC and MCP: one route for many operations, which are counted by their own tables. */
const ENVELOPES = ['POST /a2a', 'POST /a2a/v1', 'POST /a2a/v03', 'ALL /mcp', 'ALL /a2a/v1/*'];

export interface Operations {
  /** `GET /a2a/tasks/:ref`, and `POST /a2a/tasks/:ref:cancel` for a custom method of a route. */
  readonly routes: readonly string[];
  readonly v1: readonly string[];
  readonly v03: readonly string[];
}

/** Every operation of the product that wants a caller, as its controllers and tables declare them. */
export function operationsOfProduct(): Operations {
  const controllers = [
    ...(A2aModule.of(gatewayConfig()).controllers ?? []),
    ...controllersOf(McpModule),
    ...controllersOf(AdminModule),
  ];
  const verbs = verbsInSources();
  const routes = controllers.flatMap((controller) => routesOf(controller, verbs));
  return {
    routes: routes.filter((route) => !ENVELOPES.includes(route)).sort(),
    v1: V1_METHODS,
    v03: V03_METHODS,
  };
}

function controllersOf(module: Type): Type[] {
  return Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, module) as Type[];
}

function routesOf(controller: Type, verbs: ReadonlyMap<string, readonly string[]>): string[] {
  const prototype = controller.prototype as Readonly<Record<string, object>>;
  if (Reflect.getMetadata(PUBLIC_ROUTE, controller) === true) return [];
  const roots = [Reflect.getMetadata(PATH_METADATA, controller) as string | string[]].flat();
  return new MetadataScanner().getAllMethodNames(prototype).flatMap((name) => {
    const handler = prototype[name]!;
    const paths = Reflect.getMetadata(PATH_METADATA, handler) as string | string[] | undefined;
    if (paths === undefined || Reflect.getMetadata(PUBLIC_ROUTE, handler) === true) return [];
    const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number]!;
    const all = roots.flatMap((root) =>
      [paths].flat().map((path) => `${method} ${join('/', root, path)}`),
    );
    const routes = all.map((route) => route.replaceAll('::', ':').replace(/(?<=.)\/$/, ''));
    const own = verbs.get(`${controller.name}.${name}`) ?? [];
    const withVerbs = routes.flatMap((route) => own.map((verb) => `${route}:${verb}`));
    // A POST to a thing is always a custom method of it; the rest is there without one, too.
    return own.length > 0 && method === 'POST' ? withVerbs : [...routes, ...withVerbs];
  });
}

/** The custom methods behind a colon, by the handler that splits them off: no metadata has them. */
function verbsInSources(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const folder of ['protocols/a2a-v1', 'admin']) {
    for (const name of readdirSync(join(SRC, folder))) {
      if (!name.endsWith('.controller.ts')) continue;
      const text = readFileSync(join(SRC, folder, name), 'utf8');
      const [, controller = ''] = /export class (\w+)/.exec(text) ?? [];
      for (const { 0: call, 1: list = '', index } of text.matchAll(
        /split(?:TaskRef|Verb)\([^;]*?(\[[^\]]*\](?: as const)?|[A-Z_]+)\);/g,
      )) {
        const [, handler = ''] =
          [...text.slice(0, index).matchAll(/^ {2}(?:async )?(\w+)\(/gm)].at(-1) ?? [];
        const words = /^[A-Z_]+$/.test(list)
          ? (new RegExp(`const ${list} = (.*);`).exec(text)?.[1] ?? '')
          : list;
        const verbs = [...words.matchAll(/'(\w+)'/g)].map(([, verb]) => verb!);
        if (verbs.length === 0) throw new Error(`${name}: what are the verbs of ${call}`);
        found.set(`${controller}.${handler}`, verbs);
      }
    }
  }
  return found;
}
