/** One process of a role map of before. */
const process = (at: string, type: string, services: readonly string[], more = ''): string => `
    - m0p_endpoint: "{{ lnid }}:12345:${at}"
      m0p_mem_as: {{ host_mem_as }}
      m0p_cores:
{% for core in host_cores %}
        - {{ core.value }}
{% endfor %}
      m0p_boot_level: ${type}
      m0p_services:
${services.map((service) => `        - m0s_type: { tag: CST_${service}, contents: [] }\n          m0s_endpoints: ["{{ lnid }}:12345:${at}"]\n`).join('')}${more}`;

const role = (name: string, ...processes: readonly string[]): string => `- name: "${name}"\n  content:${processes.join('')}`;

/** A role map as the original's were, a template of YAML, with what each of its roles is about. */
export const oldRoleMap = [
  role('ha', process('34:101', '{ tag: PLHalon, contents: [] }', ['HA', 'RMS'])),
  role('confd', process('44:101', '{ tag: PLM0d, contents: 0 }', ['CONFD', 'RMS'])),
  role('storage', process('41:401', '{ tag: PLM0d, contents: 1 }', ['RMS', 'IOS'])),
  role('m0t1fs', process('41:301', '{ tag: PLM0t1fs, contents: [] }', ['RMS'], '      m0p_multiplicity: {{ multiplicity }}\n')),
  role('clovis-app', process('41:302', '{ tag: PLClovis, contents: [clovis-app, Independent] }', ['RMS'], '      m0p_multiplicity: 4\n')),
  role(
    's3server',
    process(
      '41:303',
      '{ tag: PLClovis, contents: [s3server, Managed] }',
      ['RMS'],
      '      m0p_environment:\n        - - "MERO_S3SERVER_PORT"\n          - tag: M0PEnvRange\n            contents: [8081, 8099]\n      m0p_multiplicity: 4\n',
    ),
  ),
].join('');

/** What of a server of before a test cares about. */
export type OldServer = {
  readonly fqdn: string;
  readonly lnid: string;
  readonly roles: readonly { readonly name: string; readonly overrides?: Readonly<Record<string, unknown>> }[];
  readonly devices?: number;
};

/** Facts as the last of the old forms had them. */
export const oldFacts = (servers: readonly OldServer[]): Record<string, unknown> => ({
  id_sites: [
    {
      site_idx: 1,
      site_racks: [
        {
          rack_idx: 1,
          rack_enclosures: [
            {
              enc_idx: 1,
              enc_id: 'enclosure1',
              enc_bmc: [{ bmc_addr: '10.1.0.1', bmc_user: 'admin', bmc_pass: 'hunter2' }],
              enc_hosts: servers.map(({ fqdn, lnid }) => ({
                h_fqdn: fqdn,
                h_memsize: 64230.46,
                h_cpucount: 8,
                h_interfaces: [],
                h_halon: { address: `${lnid.split('@')[0]}:9070`, roles: [{ name: 'ssu' }] },
              })),
            },
          ],
        },
      ],
    },
  ],
  id_m0_servers: servers.map(({ fqdn, lnid, roles, devices = 0 }) => ({
    m0h_fqdn: fqdn,
    lnid,
    host_mem_as: 1,
    host_cores: [1, 1],
    m0h_roles: roles,
    m0h_devices: Array.from({ length: devices }, (_, n) => ({
      m0d_wwn: `wwn-${fqdn}-${n}`,
      m0d_serial: `serial-${fqdn}-${n}`,
      m0d_path: `/dev/disk/${n % 2 ? 'odd' : 'even'}/${n}`,
      m0d_bsize: 4096,
      m0d_size: 596_000_000_000,
      m0d_slot: n,
    })),
  })),
  id_m0_globals: { m0_md_redundancy: 1 },
  id_pools: [],
  id_profiles: [],
});
