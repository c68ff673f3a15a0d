/** Facts of an invented host: its address is one for documentation (RFC 5737). */
export const someFacts = (fqdn: string) => ({
  fqdn,
  address: '192.0.2.1',
  memoryMib: 4096,
  cpus: 2,
  interfaces: [{ name: 'eth0', address: '192.0.2.1', mac: '00:00:5e:00:53:01' }],
});
/** Load of a host that does nothing. */
export const someLoad = { load1: 0.1, load5: 0.1, load15: 0.1, memoryUsedMib: 100, memoryMib: 4096, systems: 0 };
