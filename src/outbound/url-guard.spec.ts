import { describe, expect, it } from 'vitest';
import { type Resolve, UrlGuard, UrlRefused } from './url-guard.js';

const strict = new UrlGuard({ allowHttp: false, allowPrivate: [] });
const http = new UrlGuard({ allowHttp: true, allowPrivate: [] });

function resolving(...addresses: string[]): Resolve {
  return () =>
    Promise.resolve(
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
}

describe('UrlGuard', () => {
  it.each([
    'https://hooks.example.com/a?b=c',
    'https://hooks.example.com:8443/',
    'https://HOOKS.example.com./x',
    'https://93.184.216.34/x',
    'https://[2606:2800:220:1:248:1893:25c8:1946]/x',
    'https://xn--bcher-kva.example/x',
    'https://1.2.3.4.example.com/',
    'https://localhost.example.com/',
    'https://not-local.example/',
  ])('should let %s pass', (url) => {
    expect(strict.parse(url).href).toBe(new URL(url).href);
  });

  const INSIDE = [
    // loopback, in every way of writing it
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '127.255.255.254',
    '2130706433',
    '0x7f000001',
    '0x7f.0x0.0x0.0x1',
    '0x7F.1',
    '0177.0.0.1',
    '0177.0.0.01',
    '017700000001',
    '127.0.0.1.',
    '%31%32%37.0.0.1',
    '１２７.０.０.１',
    '127。0。0。1',
    '①②⑦.⓪.⓪.①',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '[::127.0.0.1]',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'localhost..',
    'a.localhost',
    'localhost.localdomain',
    // this network
    '0.0.0.0',
    '0',
    '0x0',
    '0.1.2.3',
    // private
    '10.0.0.1',
    '10.255.255.255',
    '167772161',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '192.168.1',
    '[::ffff:10.0.0.1]',
    '[::ffff:c0a8:1]',
    '[fc00::1]',
    '[fd12:3456:789a::1]',
    '[fec0::1]',
    // link-local and metadata
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '169.254.1.1',
    '[::ffff:169.254.169.254]',
    '[fe80::1]',
    '[febf::1]',
    '[fd00:ec2::254]',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    'metadata.google.internal',
    'metadata',
    // carrier-grade NAT
    '100.64.0.1',
    '100.127.255.255',
    // translation: an IPv4 address of the caller's choice inside
    '[64:ff9b::7f00:1]',
    '[64:ff9b::10.0.0.1]',
    '[64:ff9b:1::a00:1]',
    '[2002:7f00:1::]',
    '[2002:a00:1::1]',
    '[2001:0:7f00:1::]',
    '[::ffff:0:127.0.0.1]',
    // documentation, benchmarks, multicast, reserved
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '198.18.0.1',
    '198.19.255.255',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '192.88.99.1',
    '[2001:db8::1]',
    '[3fff::1]',
    '[ff02::1]',
    '[100::1]',
    '[4000::1]',
    // names of a local network
    'redis',
    'nightjar-redis',
    'printer.local',
    'vault.internal',
    'db.intranet',
    'router.lan',
    'host.home.arpa',
    'x.onion',
  ];
  it.each(INSIDE)('should refuse the host %s', (host) => {
    for (const url of [`http://${host}/x`, `http://${host}:8080/x`]) {
      expect(() => http.parse(url)).toThrow(UrlRefused);
    }
    expect(() => strict.parse(`https://${host}/x`)).toThrow(UrlRefused);
  });

  it.each([
    '',
    'not a url',
    '/relative',
    '//hooks.example.com/x',
    'ftp://hooks.example.com/x',
    'file:///etc/passwd',
    'gopher://hooks.example.com:70/_x',
    'data:text/plain,x',
    'javascript:alert(1)',
    'ws://hooks.example.com/',
    'redis://hooks.example.com/',
    'https:hooks.example.com',
    'https:/hooks.example.com',
    'https:///hooks.example.com',
    'https://',
    'https://user@hooks.example.com/',
    'https://user:pw@hooks.example.com/',
    'https://:pw@hooks.example.com/',
    'https://@hooks.example.com/',
    'https://hooks.example.com@127.0.0.1/',
    'https://127.0.0.1#@hooks.example.com/',
    'https://127.0.0.1\\@hooks.example.com/',
    'https://hooks.example.com\\.evil/',
    'https://hooks.example.com/x#fragment',
    'https://hooks.example.com/#',
    ' https://hooks.example.com/',
    'https://hooks.example.com/\n',
    'https://hooks.example.com/\r\nX-Evil: 1',
    'ht\ntps://hooks.example.com/',
    'https://hooks\t.example.com/',
    'https://hooks.example.com/\u0000',
    'https://hooks.example.com/ü',
    'https://hooks.example.com:99999/',
    'https://exa mple.com/',
    'https://[::1/',
    `https://hooks.example.com/${'a'.repeat(2048)}`,
    // Public, but not in the plain form.
    'https://134744072/',
    'https://0x08080808/',
    'https://8.8.2056/',
    'https://010.8.8.8/',
  ])('should refuse %j', (url) => {
    for (const guard of [strict, http]) expect(() => guard.parse(url)).toThrow(UrlRefused);
  });

  it('should take http only where it is allowed', () => {
    expect(() => strict.parse('http://hooks.example.com/')).toThrow('must be https');
    expect(http.parse('http://hooks.example.com/').protocol).toBe('http:');
  });

  it.each([
    ['127.0.0.1'],
    ['10.1.2.3'],
    ['::1'],
    ['::ffff:10.0.0.1'],
    ['fd00::1'],
    ['169.254.169.254'],
    ['93.184.216.34', '10.0.0.1'],
    ['2606:2800:220:1:248:1893:25c8:1946', '::1'],
  ])('should refuse a name that leads to %s', async (...addresses) => {
    const guard = new UrlGuard({ allowHttp: false, allowPrivate: [] }, resolving(...addresses));
    await expect(guard.check('https://rebind.example.com/')).rejects.toThrow(UrlRefused);
    await expect(guard.resolve('rebind.example.com')).rejects.toThrow(UrlRefused);
  });

  it('should judge a name anew at each look', async () => {
    const answers = ['93.184.216.34', '10.0.0.1'];
    const guard = new UrlGuard({ allowHttp: false, allowPrivate: [] }, (host) =>
      resolving(answers.shift() ?? '')(host),
    );
    await guard.check('https://rebind.example.com/');
    await expect(guard.resolve('rebind.example.com')).rejects.toThrow(UrlRefused);
  });

  it('should register a name that does not resolve, and not connect to it', async () => {
    const gone = new UrlGuard({ allowHttp: false, allowPrivate: [] }, () =>
      Promise.reject(new Error('ENOTFOUND')),
    );
    await expect(gone.check('https://later.example.com/')).resolves.toBeInstanceOf(URL);
    await expect(gone.resolve('later.example.com')).rejects.toThrow('ENOTFOUND');
    const empty = new UrlGuard({ allowHttp: false, allowPrivate: [] }, resolving());
    await expect(empty.resolve('empty.example.com')).rejects.toThrow('no address');
  });

  it('should judge a literal without a look-up', async () => {
    const guard = new UrlGuard({ allowHttp: true, allowPrivate: [] }, () =>
      Promise.reject(new Error('looked up')),
    );
    await expect(guard.resolve('[::1]')).rejects.toThrow(UrlRefused);
    expect(await guard.resolve('93.184.216.34')).toEqual([{ address: '93.184.216.34', family: 4 }]);
  });

  it('should let through what the operator allows, and no more', async () => {
    const allowPrivate = ['10.2.0.0/16', 'hooks.internal', 'fd00:1::/32', '127.0.0.1'];
    const guard = new UrlGuard({ allowHttp: true, allowPrivate }, resolving('10.2.3.4'));
    for (const host of ['10.2.3.4', '[fd00:1::5]', '127.0.0.1', '[::ffff:10.2.0.1]']) {
      expect(guard.parse(`http://${host}/`)).toBeInstanceOf(URL);
    }
    for (const host of ['10.3.0.1', '127.0.0.2', '[::1]', '[fd00:2::5]', 'other.internal']) {
      expect(() => guard.parse(`http://${host}/`)).toThrow(UrlRefused);
    }
    expect(() => guard.parse('http://0x7f000001/')).toThrow(UrlRefused);
    await guard.check('http://hooks.internal./');
    await guard.check('http://hooks.example.com/');
    const elsewhere = new UrlGuard({ allowHttp: true, allowPrivate }, resolving('10.9.9.9'));
    expect(await elsewhere.resolve('hooks.internal')).toHaveLength(1);
    await expect(elsewhere.resolve('hooks.example.com')).rejects.toThrow(UrlRefused);
  });

  it('should not repeat the URL in what it says', () => {
    const secret = 'https://user:secret@hooks.example.com/';
    expect(() => strict.parse(secret)).toThrow(/^(?!.*secret).*$/);
  });
});
