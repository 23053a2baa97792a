import { reachOf } from './addresses.js';

describe('addresses that a tenant may have called', () => {
  it.each([
    '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', // private
    '169.254.169.254', 'fe80::1', 'fe80::1%eth0', '168.63.129.16', '100.100.100.200', 'fd00:ec2::254', // link-local, metadata
    '0.0.0.0', '0.1.2.3', '::', '224.0.0.1', 'ff02::1', '255.255.255.255', '240.0.0.1', '100.64.0.1', '192.0.2.1', '198.18.0.1',
    'fc00::1', 'fd12::1', 'fec0::1', // unique-local, site-local
    '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:10.0.0.1', '::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::7f00:1', '2002:7f00:1::', '2001:0:1::1', '::ffff:0:7f00:1', // in disguise
    '2001:db8::1', '3fff::1', '5f00::1', '4000::1', '100::1',
    '', 'example.org', '127.1.1', '1', 'not an address',
  ])('%p is not called', (address) => {
    if (address === '127.1.1' || address === '1') expect(reachOf(address)).not.toBe('public');
    else expect(reachOf(address)).toBe('refused');
  });

  it.each(['127.0.0.1', '127.255.255.254', '::1'])('%p is this machine', (address) => expect(reachOf(address)).toBe('loopback'));
  it.each(['8.8.8.8', '93.184.216.34', '2606:4700::1111', '2a00:1450:4001::200e'])('%p is somebody’s in the world', (address) => expect(reachOf(address)).toBe('public'));
});
