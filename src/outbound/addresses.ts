import { isIP } from 'node:net';

/** Not reachable on the public internet, or not meant for a stranger's request (IANA registries). */
const PRIVATE_V4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT; also Alibaba's metadata, 100.100.100.200
  '127.0.0.0/8',
  '168.63.129.16/32', // Azure's host, public by its number only
  '169.254.0.0/16', // link-local; also the metadata of most clouds
  '172.16.0.0/12',
  '192.0.0.0/24', // IETF protocol assignments; also Oracle's metadata, 192.0.0.192
  '192.0.2.0/24',
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16',
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
].map(rangeOf);

/** All that is not global unicast is refused at once; these lie inside it. */
const GLOBAL_V6 = rangeOf('2000::/3');
const PRIVATE_V6 = [
  '2001::/23', // IETF protocol assignments, Teredo among them
  '2001:db8::/32',
  '2002::/16', // 6to4 holds an IPv4 address of anybody's choice
  '3fff::/20',
  '5f00::/16',
].map(rangeOf);

export interface AddressRange {
  readonly bytes: Uint8Array;
  readonly bits: number;
}

/** @throws RangeError for anything but an IP address or a CIDR range. */
export function rangeOf(text: string): AddressRange {
  const [address = '', bits] = text.split('/');
  const bytes = bytesOf(address);
  if (bytes === undefined) throw new RangeError(`no IP address or CIDR range: ${text}`);
  return { bytes, bits: bits === undefined ? bytes.length * 8 : Number(bits) };
}

/** Whether an address (as text) lies in the range; an IPv4-mapped one counts as its IPv4 address. */
export function isInRange(address: string, range: AddressRange): boolean {
  const bytes = bytesOf(address);
  return bytes !== undefined && covers(range, unmapped(bytes));
}

/** False for what is no address at all. */
export function isPublicAddress(address: string): boolean {
  const given = bytesOf(address);
  if (given === undefined) return false;
  const bytes = unmapped(given);
  if (bytes.length === 4) return !PRIVATE_V4.some((range) => covers(range, bytes));
  return covers(GLOBAL_V6, bytes) && !PRIVATE_V6.some((range) => covers(range, bytes));
}

function covers(range: AddressRange, bytes: Uint8Array): boolean {
  if (bytes.length !== range.bytes.length) return false;
  for (let bit = 0; bit < range.bits; bit += 8) {
    const mask = (0xff << Math.max(0, 8 - (range.bits - bit))) & 0xff;
    const at = bit / 8;
    if (((bytes[at] ?? 0) & mask) !== ((range.bytes[at] ?? 0) & mask)) return false;
  }
  return true;
}

/** ::ffff:a.b.c.d reaches a.b.c.d. */
function unmapped(bytes: Uint8Array): Uint8Array {
  const mapped =
    bytes.length === 16 &&
    bytes.subarray(0, 10).every((byte) => byte === 0) &&
    bytes[10] === 0xff &&
    bytes[11] === 0xff;
  return mapped ? bytes.subarray(12) : bytes;
}

function bytesOf(address: string): Uint8Array | undefined {
  // A zone names an interface of this machine: fe80::1%eth0.
  const version = address.includes('%') ? 0 : isIP(address);
  if (version === 4) return Uint8Array.from(address.split('.').map(Number));
  return version === 6 ? bytesOfV6(address) : undefined;
}

function bytesOfV6(address: string): Uint8Array {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const [, before = '', ...four] = dotted ?? [];
  const [a = 0, b = 0, c = 0, d = 0] = four.map(Number);
  const text =
    dotted === null
      ? address
      : `${before}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  const [head = '', tail] = text.split('::');
  const groups = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [left, right] = [groups(head), groups(tail ?? '')];
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0);
  const all = tail === undefined ? left : [...left, ...zeros, ...right];
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
