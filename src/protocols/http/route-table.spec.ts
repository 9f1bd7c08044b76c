import { describe, expect, it } from 'vitest';
import { callerProtocolOf, pathOf, readPathOf } from './caller-protocol.js';
import { RouteTable } from './route-table.js';

describe('RouteTable', () => {
  const table = new RouteTable();
  table.add('/a2a', 'POST');
  table.add('/a2a', ['GET', 'HEAD']);
  table.add('/a2a/message::send', 'POST');
  table.add('/a2a/tasks/:ref', 'GET');
  table.add('/a2a/:tenant/tasks/:ref', 'POST');
  table.add('/.well-known/card.json', 'GET');
  table.add('/a2a/v1/*', 'PUT');

  it.each([
    ['/a2a', ['GET', 'HEAD', 'POST']],
    ['/a2a/message:send', ['POST']],
    ['/a2a/tasks/a:b', ['GET']],
    ['/a2a/acme/tasks/x', ['POST']],
    ['/.well-known/card.json', ['GET']],
    ['/.well-known/cardxjson', []],
    ['/a2a/v1/a/b', ['PUT']],
    ['/a2a/message::send', []],
    ['/a2a/tasks/', []],
    ['/a2a/x/y/z/w', []],
    ['/', []],
  ])('should know the methods of %s', (path, methods) => {
    expect(table.allowedMethods(path)).toEqual(methods);
  });
});

describe('callerProtocolOf', () => {
  it.each([
    ['/a2a', 'a2a-rpc'],
    ['/a2a/', 'a2a-rpc'],
    ['/a2a?A2A-Version=1.0', 'a2a-rpc'],
    ['/a2a/v1', 'a2a-rpc'],
    ['/a2a/v03/', 'a2a-rpc'],
    ['/a2a/v1/message:send', 'rest'],
    ['/a2a/tasks', 'rest'],
    ['/a2ab', 'rest'],
    ['/mcp', 'mcp'],
    ['/mcp/x?y', 'mcp'],
    ['/mcpx', 'rest'],
    ['/', 'rest'],
  ])('should take %s for %s', (url, protocol) => {
    expect(callerProtocolOf(url)).toBe(protocol);
  });

  it.each([
    ['/%612a', '/a2a'],
    ['/a2a/x%2Fy/?z=%zz', '/a2a/x%2Fy'],
    ['http://host:1/a2a#x', '/a2a'],
    ['/%zz', '/%zz'],
  ])('should read %s as the router does', (url, path) => {
    expect(readPathOf(url)).toBe(path);
  });

  it('should keep the root', () => {
    expect(pathOf('/?a=b')).toBe('/');
  });
});
