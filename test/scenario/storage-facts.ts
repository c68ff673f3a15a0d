import { fqdnOf } from './cast.ts';

const services = (...tags: string[]) => tags.map((tag) => ({ m0s_type: { tag: `CST_${tag}`, contents: [] } }));
const device = (name: string) => ({
  m0d_wwn: `wwn-${name}`,
  m0d_serial: `serial-${name}`,
  m0d_path: `/dev/disk/${name}`,
  m0d_bsize: 4_096,
  m0d_size: 1_000_000,
});

type Server = { m0h_fqdn: string; lnid: string; m0h_processes: object[] };
/** Facts of a story, which its script then changes. */
export type StoryFacts = {
  id_sites: [
    {
      site_idx: number;
      site_racks: [
        { rack_idx: number; rack_enclosures: [{ enc_idx: number; enc_id: string; enc_hosts: { h_fqdn: string; h_halon?: object }[] }] },
      ];
    },
  ];
  id_m0_servers: Server[];
  id_m0_globals: object;
  id_pools: { pool_id: string; pool_pdclust_attrs: object; pool_device_refs: object[] }[];
  id_profiles: { prof_id: string; prof_pools: string[] }[];
};

/** The network address of the n-th host. */
const lnidOf = (n: number): string => `192.0.2.${n}@tcp`;

/** A host: Halon's own process, a confd on the first three, an I/O server with two devices, and an s3server. */
function server(name: string, n: number): Server {
  const at = (suffix: string): string => `${lnidOf(n)}:12345:${suffix}`;
  const devices = [`${n}a`, `${n}b`].map(device);
  return {
    m0h_fqdn: fqdnOf(name),
    lnid: lnidOf(n),
    m0h_processes: [
      { m0p_endpoint: at('34:101'), m0p_type: { tag: 'PLHalon', contents: [] }, m0p_services: services('HA', 'RMS') },
      ...(n <= 3 ? [{ m0p_endpoint: at('44:101'), m0p_type: { tag: 'PLM0d', contents: 0 }, m0p_services: services('CONFD', 'RMS') }] : []),
      {
        m0p_endpoint: at('41:401'),
        m0p_type: { tag: 'PLM0d', contents: 1 },
        m0p_services: [...services('RMS', 'CAS'), { ...services('IOS')[0], m0s_devices: devices }],
      },
      { m0p_endpoint: at('41:321'), m0p_type: { tag: 'PLClovis', contents: ['s3server', 'Managed'] }, m0p_services: services('RMS') },
    ],
  };
}

/**
 * Facts of hosts by their names in the story: one enclosure, one pool that bears the loss of as many devices as a host
 * has where there are three, one profile.
 */
export function factsOfHosts(names: readonly string[]): StoryFacts {
  const parity_units = Math.min(2, names.length - 1);
  const data_units = names.length * 2 - 2 * parity_units;
  return {
    id_sites: [
      {
        site_idx: 0,
        site_racks: [
          { rack_idx: 0, rack_enclosures: [{ enc_idx: 0, enc_id: 'e0', enc_hosts: names.map((name) => ({ h_fqdn: fqdnOf(name) })) }] },
        ],
      },
    ],
    id_m0_servers: names.map((name, index) => server(name, index + 1)),
    id_m0_globals: { m0_md_redundancy: 1 },
    id_pools: [
      {
        pool_id: 'tier1',
        pool_pdclust_attrs: { data_units, parity_units, unit_size: 4_096, seed: [1, 2] },
        pool_device_refs: names.flatMap((_, index) => ['a', 'b'].map((one) => ({ dr_wwn: `wwn-${index + 1}${one}` }))),
      },
    ],
    id_profiles: [{ prof_id: 'default', prof_pools: ['tier1'] }],
  };
}

const anIos = (facts: StoryFacts, names: readonly string[], at: string) => ({
  m0p_endpoint: `${facts.id_m0_servers[0]!.lnid}:12345:${at}`,
  m0p_type: { tag: 'PLM0d', contents: 1 },
  m0p_services: [{ ...services('IOS')[0], m0s_devices: names.map(device) }],
});

/** What a script says is so in the facts besides, or wrong with them. */
export const twists: Readonly<Record<string, (facts: StoryFacts) => void>> = {
  'the first host has three kernel clients': ({ id_m0_servers: [first] }) => {
    const type = { m0p_type: { tag: 'PLM0t1fs', contents: [] }, m0p_services: services('RMS') };
    first!.m0h_processes.push({ m0p_endpoint: `${first!.lnid}:12345:41:301`, ...type, m0p_multiplicity: 3 });
  },
  'the first host has a second I/O server with devices of its own': (facts) =>
    void facts.id_m0_servers[0]!.m0h_processes.push(anIos(facts, ['1c', '1d'], '41:402')),
  'the first host has a second I/O server with a device of the first': (facts) =>
    void facts.id_m0_servers[0]!.m0h_processes.push(anIos(facts, ['1b', '1c'], '41:402')),
  'two devices have one WWN': ({ id_m0_servers: [first] }) => {
    const { m0p_services } = first!.m0h_processes.find((one) => JSON.stringify(one).includes('CST_IOS')) as ReturnType<typeof anIos>;
    m0p_services.at(-1)!.m0s_devices[1]!.m0d_wwn = 'wwn-1a';
  },
  'a pool has a device that nobody has': ({ id_pools: [pool] }) => void pool!.pool_device_refs.push({ dr_wwn: 'wwn-9z' }),
  'a profile names a pool that there is not': ({ id_profiles: [profile] }) => void profile!.prof_pools.push('tier2'),
  'a host has a Halon role that nobody knows': ({ id_sites: [site] }) => {
    site.site_racks[0].rack_enclosures[0].enc_hosts[0]!.h_halon = { roles: [{ name: 'statoin' }] };
  },
};
