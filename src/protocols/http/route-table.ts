/**
 * Remembers which methods each path is routed for, to tell a wrong method (405 with Allow) from an
 * unknown path (404). Asked only once routing has failed.
 */
export class RouteTable {
  private readonly routes = new Map<string, { pattern: RegExp; methods: Set<string> }>();

  /** @param url the route's path in the router's syntax (`/tasks/:ref`, `::` for a colon, `*`). */
  add(url: string, method: string | readonly string[]): void {
    const route = this.routes.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    [method].flat().forEach((one) => route.methods.add(one));
    this.routes.set(url, route);
  }

  /** Empty for a path that no route has. */
  allowedMethods(path: string): readonly string[] {
    const methods = new Set<string>();
    for (const route of this.routes.values()) {
      if (route.pattern.test(path)) route.methods.forEach((method) => methods.add(method));
    }
    return [...methods].sort();
  }
}

function patternOf(url: string): RegExp {
  const source = url.split('/').map((segment) => {
    if (segment.startsWith('*')) return '.*';
    if (/^:(?!:)/.test(segment)) return '[^/]+';
    return segment.replaceAll('::', ':').replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${source.join('/')}/?$`);
}
