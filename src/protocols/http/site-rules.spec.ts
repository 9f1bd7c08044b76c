import { describe, expect, it } from 'vitest';
import { type SiteConfig, SiteRules } from './site-rules.js';

function rules(over: Partial<SiteConfig> & { host?: string } = {}): SiteRules {
  const { host = '127.0.0.1', ...config } = over;
  return new SiteRules({ listen: { host, port: 17_000 }, ...config });
}

const local = rules();
const local6 = rules({ host: '::1' });
const open = rules({ host: '0.0.0.0' });
const named = rules({ host: '0.0.0.0', publicUrl: 'https://ops.example.com/n9e' });
const proxied = rules({ publicUrl: 'https://ops.example.com' });
const listed = rules({
  host: '0.0.0.0',
  allowedHosts: ['Gw.internal', 'edge.internal:8080', '[fd00::1]'],
  allowedOrigins: ['https://console.example.com'],
});

describe('hostAllowed', () => {
  it.each([
    ['loopback: by name, any port', local, 'localhost:8080', true],
    ['loopback: by address', local, '127.9.8.7', true],
    ['loopback: by IPv6', local6, '[::1]:17000', true],
    ['loopback: capitals', local, 'LOCALHOST', true],
    ['loopback: another name (DNS rebinding)', local, 'evil.example:17000', false],
    ['loopback: another address', local, '10.0.0.5', false],
    ['loopback: a name that begins like one', local, '127.0.0.1.evil.example', false],
    ['loopback: none', local, undefined, false],
    ['loopback: no host at all', local, 'localhost/../x', false],
    ['loopback: a user before it', local, 'localhost@evil.example', false],
    ['loopback with a public name: that name', proxied, 'ops.example.com', true],
    ['loopback with a public name: its own port written', proxied, 'ops.example.com:443', true],
    ['loopback with a public name: loopback', proxied, '127.0.0.1:17000', true],
    ['loopback with a public name: another', proxied, 'evil.example', false],
    ['reachable without a name: anything', open, 'whatever', true],
    ['reachable with a public name: that name', named, 'ops.example.com', true],
    ['reachable with a public name: another port', named, 'ops.example.com:8443', false],
    ['reachable with a public name: loopback', named, 'localhost', false],
    ['listed', listed, 'gw.internal', true],
    ['listed without a port: any', listed, 'GW.internal:9', true],
    ['listed with a port', listed, 'edge.internal:8080', true],
    ['listed with another port', listed, 'edge.internal:8081', false],
    ['listed IPv6', listed, '[fd00::1]:17000', true],
    ['not listed', listed, 'evil.example', false],
  ])('%s', (_name, site, host, expected) => {
    expect(site.hostAllowed(host)).toBe(expected);
  });
});

describe('originAllowed', () => {
  it.each([
    ['the host that was called', local, 'http://localhost:17000', 'localhost:17000', true],
    ['another port', local, 'http://localhost:17001', 'localhost:17000', false],
    ['another host', open, 'http://evil.example', 'gw.example:17000', false],
    ['the host that was called, not loopback', open, 'http://gw.example', 'gw.example', true],
    ['behind a TLS terminator', open, 'https://gw.example', 'gw.example', true],
    ['the default port left out', open, 'https://gw.example', 'gw.example:443', true],
    ['the public origin', named, 'https://ops.example.com', '10.0.0.7:17000', true],
    ['the public host over http', named, 'http://ops.example.com', 'ops.example.com', false],
    ['the public host on another port', named, 'https://ops.example.com:8443', 'x', false],
    ['DNS rebinding', local, 'http://evil.example:17000', 'evil.example:17000', false],
    ['listed', listed, 'https://console.example.com', 'gw.internal', true],
    ['listed, another scheme', listed, 'http://console.example.com', 'gw.internal', false],
    ['listed, another port', listed, 'https://console.example.com:8443', 'gw.internal', false],
    ['null', local, 'null', 'localhost:17000', false],
    ['empty', local, '', 'localhost:17000', false],
    ['a suffix trick', local, 'http://localhost:17000.evil.example', 'localhost:17000', false],
    ['a bad bracket', local, 'http://[::1].evil.example', '[::1]:17000', false],
    ['two joined headers', local, 'http://localhost, http://evil.example', 'localhost', false],
    ['another scheme', local, 'file://localhost', 'localhost', false],
    ['a path behind', local, 'http://localhost:17000/x', 'localhost:17000', false],
    ['no host', local, 'http://localhost', undefined, false],
  ])('%s', (_name, site, origin, host, expected) => {
    expect(site.originAllowed(origin, host)).toBe(expected);
  });
});
