import { describe, expect, it } from 'vitest';
import { originAllowed } from './origin.js';

const local = { publicUrl: undefined, listenHost: '127.0.0.1' };
const open = { publicUrl: undefined, listenHost: '0.0.0.0' };
const named = { publicUrl: 'https://ops.example.com/n9e', listenHost: '0.0.0.0' };

describe('originAllowed', () => {
  it.each([
    ['no origin', undefined, 'evil.example', local, true],
    ['the host that was called', 'http://localhost:17000', 'localhost:17000', local, true],
    ['another port', 'http://localhost:17001', 'localhost:17000', local, false],
    ['another host', 'http://evil.example', 'gw.example:17000', open, false],
    ['the host that was called, not loopback', 'http://gw.example', 'gw.example', open, true],
    ['the default port left out', 'https://gw.example', 'gw.example:443', open, true],
    ['the public host', 'https://ops.example.com', '10.0.0.7:17000', named, true],
    ['the public host on another port', 'https://ops.example.com:8443', 'x', named, false],
    ['DNS rebinding on loopback', 'http://evil.example:17000', 'evil.example:17000', local, false],
    ['null', 'null', 'localhost:17000', local, false],
    ['a suffix trick', 'http://localhost:17000.evil.example', 'localhost:17000', local, false],
    ['a bad bracket', 'http://[::1].evil.example', '[::1]:17000', local, false],
    ['two joined headers', 'http://localhost, http://evil.example', 'localhost', local, false],
    ['another scheme', 'file://localhost', 'localhost', local, false],
    ['no host', 'http://localhost', undefined, local, false],
  ])('%s', (_name, origin, host, rules, expected) => {
    expect(originAllowed(origin, host, rules)).toBe(expected);
  });
});
