import ipaddr from 'ipaddr.js';

/** Where the world's own addresses of IPv6 are; whatever else is in none of the named ranges (as `::127.0.0.1`) is not called. */
const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');
const GLOBAL_UNICAST_BITS = 3;
/** A cloud's metadata server at an address that no range tells from others. */
const METADATA = new Set(['168.63.129.16']);

export type Reach = 'public' | 'loopback' | 'refused';

/**
 * What kind of address it is. `refused`: private, link-local, unique-local, multicast, unspecified, reserved, documentation,
 * another address in disguise (IPv4-mapped, NAT64, 6to4, Teredo), a metadata server, or no address at all. An IPv4-mapped
 * loopback address is refused too: nobody needs it.
 */
export function reachOf(address: string): Reach {
  if (!ipaddr.isValid(address)) return 'refused';
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range === 'loopback') return 'loopback';
  if (range !== 'unicast' || METADATA.has(parsed.toString())) return 'refused';
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(GLOBAL_UNICAST, GLOBAL_UNICAST_BITS) ? 'public' : 'refused';
}
