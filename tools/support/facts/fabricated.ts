/** How large a fabricated storage cluster is. */
export type Size = { readonly servers: number; readonly devicesEach: number };

/** How many hosts an enclosure has, and how many enclosures a rack. */
const together = { hosts: 8, enclosures: 5 };

const name = (n: number): string => `ssu${n + 1}.storage.acme.org`;
const lnid = (n: number): string => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}@tcp`;
const hex = (n: number): string => n.toString(16).padStart(12, '0');

/**
 * The facts of a cluster of identical servers, with one pool of all devices: the same every time. Every tenth server is
 * a confd.
 */
export function fabricatedFacts({ servers, devicesEach }: Size): object {
  const all = Array.from({ length: servers }, (_, n) => n);
  const wwns = all.flatMap((server) => Array.from({ length: devicesEach }, (_, n) => wwnOf(server * devicesEach + n)));
  return {
    id_sites: [{ site_idx: 1, site_racks: chunks(chunks(all, together.hosts), together.enclosures).map(rack) }],
    id_m0_servers: all.map((n) => server(n, devicesEach)),
    id_m0_globals: { m0_md_redundancy: 2 },
    id_pools: devicesEach === 0 ? [] : [pool('tier1', wwns)],
    id_profiles: [{ prof_id: 'all', prof_pools: devicesEach === 0 ? [] : ['tier1'] }],
  };
}

const wwnOf = (n: number): string => `wwn-0x5000${hex(n)}`;

const rack = (enclosures: number[][], rackIndex: number): object => ({
  rack_idx: rackIndex,
  rack_enclosures: enclosures.map((hosts, n) => ({
    enc_idx: n,
    enc_id: `enclosure-${rackIndex}-${n}`,
    enc_bmc: [{ bmc_addr: `10.255.${rackIndex}.${n}`, bmc_user: 'admin', bmc_pass: { secret: `bmc/enclosure-${rackIndex}-${n}/0` } }],
    enc_hosts: hosts.map((host) => ({ h_fqdn: name(host), h_halon: { roles: [{ name: host % 10 === 0 ? 'station' : 'ssu' }] } })),
  })),
});

function server(n: number, devicesEach: number): object {
  const at = (suffix: string): string => `${lnid(n)}:12345:${suffix}`;
  const services = (...tags: string[]): object[] => tags.map((tag) => ({ m0s_type: { tag: `CST_${tag}`, contents: [] } }));
  const devices = Array.from({ length: devicesEach }, (_, slot) => device(n * devicesEach + slot, slot));
  return {
    m0h_fqdn: name(n),
    lnid: lnid(n),
    m0h_processes: [
      { m0p_endpoint: at('34:101'), m0p_type: { tag: 'PLHalon', contents: [] }, m0p_services: services('HA', 'RMS') },
      ...(n % 10 === 0
        ? [{ m0p_endpoint: at('44:101'), m0p_type: { tag: 'PLM0d', contents: 0 }, m0p_services: services('CONFD', 'RMS') }]
        : []),
      {
        m0p_endpoint: at('41:401'),
        m0p_mem_as: 0,
        m0p_cores: [1, 1],
        m0p_type: { tag: 'PLM0d', contents: 1 },
        m0p_services: [
          ...services('RMS'),
          { m0s_type: { tag: 'CST_IOS', contents: [] }, m0s_devices: devices },
          ...services('SNS_REP', 'SNS_REB'),
        ],
      },
    ],
  };
}

const device = (n: number, slot: number): object => ({
  m0d_wwn: wwnOf(n),
  m0d_serial: `Z84${hex(n)}`,
  m0d_path: `/dev/disk/by-id/${wwnOf(n)}`,
  m0d_bsize: 4096,
  m0d_size: 8_001_563_222_016,
  m0d_slot: slot,
});

const pool = (id: string, wwns: readonly string[]): object => ({
  pool_id: id,
  pool_pdclust_attrs: {
    data_units: Math.max(1, Math.min(8, wwns.length - 4)),
    parity_units: wwns.length > 4 ? 2 : 0,
    unit_size: 1_048_576,
    seed: [1, 2],
  },
  pool_allowed_failures: [{ site: 0, rack: 0, encl: 0, ctrl: 1, disk: 2 }],
  pool_device_refs: wwns.map((dr_wwn) => ({ dr_wwn })),
});

const chunks = <T>(values: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, n) => values.slice(n * size, (n + 1) * size));
