import { BlockList, isIP } from 'node:net';

const MOST_KNOWN = 1000;

/** A list of addresses and ranges, to ask whether a peer's is among them. */
export class AddressList {
  private readonly list = new BlockList();
  /** Every request asks several times, mostly for the same few peers. */
  private readonly known = new Map<string, boolean>();

  /**
   * @param ranges addresses and CIDRs, as validated by the configuration.
   * @throws Error for a text that is neither.
   */
  constructor(ranges: readonly string[]) {
    for (const range of ranges) {
      const [address = '', bits] = range.split('/');
      const family = familyOf(address);
      if (bits === undefined) this.list.addAddress(address, family);
      else this.list.addSubnet(address, Number(bits), family);
    }
  }

  /** @param address the peer's, as the socket shows it; IPv4 may come mapped into IPv6. */
  has(address: string | undefined): boolean {
    if (address === undefined) return false;
    const known = this.known.get(address);
    if (known !== undefined) return known;
    const plain = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
    const found = isIP(plain) !== 0 && this.list.check(plain, familyOf(plain));
    if (this.known.size >= MOST_KNOWN) this.known.clear();
    this.known.set(address, found);
    return found;
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
