import * as fc from 'fast-check';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { pathText } from '../../../../lib/core/defect.ts';
import { checkFacts } from '../../../../lib/mero/facts/check/check.ts';
import { type Converted, convertFacts } from '../../../../lib/mero/facts/convert/convert.ts';
import { type RoleMap, readRoleMap } from '../../../../lib/mero/facts/convert/role-map.ts';
import { noteText } from '../../../../lib/mero/facts/convert/talk.ts';
import { defaultMeroRoles, roleMapOf } from '../../../../lib/mero/facts/roles/mero-defaults.ts';
import { readText } from '../../../../lib/mero/facts/text/text.ts';
import { writeText } from '../../../../lib/mero/facts/text/write.ts';
import { generatedFacts, generatedServers } from '../../../support/facts/generated.ts';
import { type OldServer, oldFacts, oldRoleMap } from '../../../support/facts/old.ts';

async function mapOf(text: string): Promise<RoleMap> {
  const map = await readRoleMap(text);
  if ('says' in map) throw new Error(map.says);
  return map;
}
let map: RoleMap;
beforeAll(async () => {
  map = await mapOf(oldRoleMap);
});

const server = (change: Partial<OldServer> = {}): OldServer => ({ fqdn: 'n1.acme.org', lnid: '10.0.0.1@tcp', roles: [], ...change });
const roles = (...names: string[]) => names.map((name) => ({ name }));

/** What is said against a conversion. */
function said(converted: Converted): string[] {
  if (converted.ok) return [];
  const { defects, roleDefects } = converted;
  return [
    ...roleDefects.map(({ says, place }) => `${place ? `${place.line}: ` : ''}${says}`),
    ...defects.map(({ path, says }) => `${pathText(path)}: ${says}`),
  ];
}

/** A process that was loaded, as far as both ways of loading say it. */
type Loaded = { fqdn: string; type: unknown; endpoint: string; services: string[]; devices: string[]; environment: string[][] };

async function loaded(file: unknown): Promise<Loaded[]> {
  const read = await readText(writeText(file));
  const checked = checkFacts(read.ok && read.value);
  if (!checked.ok) throw new Error(JSON.stringify(checked.defects));
  return checked.expansion.nodes.flatMap(({ fqdn, processes }) =>
    processes.map(({ type, endpoint, services, environment }) => ({
      fqdn,
      type,
      endpoint,
      services: services.map((service) => service.type),
      devices: services.flatMap(({ devices }) => devices.map(({ wwn }) => wwn)),
      environment: environment.map(({ name, value }) => [name, value]),
    })),
  );
}

/** Of each role of the map what the old way of loading looks at, told apart from the map itself. */
const known: Readonly<
  Record<string, { at: [number, number]; type: unknown; services: string[]; many?: number; ports?: [number, number] }>
> = {
  ha: { at: [34, 101], type: { tag: 'PLHalon', contents: [] }, services: ['CST_HA', 'CST_RMS'] },
  confd: { at: [44, 101], type: { tag: 'PLM0d', contents: 0 }, services: ['CST_CONFD', 'CST_RMS'] },
  storage: { at: [41, 401], type: { tag: 'PLM0d', contents: 1 }, services: ['CST_RMS', 'CST_IOS'] },
  m0t1fs: { at: [41, 301], type: { tag: 'PLM0t1fs', contents: [] }, services: ['CST_RMS'] },
  'clovis-app': { at: [41, 302], type: { tag: 'PLClovis', contents: ['clovis-app', 'Independent'] }, services: ['CST_RMS'], many: 4 },
  s3server: {
    at: [41, 303],
    type: { tag: 'PLClovis', contents: ['s3server', 'Managed'] },
    services: ['CST_RMS'],
    many: 4,
    ports: [8081, 8099],
  },
};

/** The first number from this one that is free. */
const free = (from: number, isTaken: (n: number) => boolean): number => (isTaken(from) ? free(from + 1, isTaken) : from);

/**
 * How the original loaded facts with their role map: role by role, the endpoint counted up until no process of the
 * cluster has it.
 */
function oldLoad(servers: readonly OldServer[]): Loaded[] {
  const processes: Loaded[] = [];
  for (const server of servers)
    for (const { name, overrides } of server.roles) {
      const many = name === 'm0t1fs' ? Number(overrides?.['multiplicity'] ?? 1) : (known[name]!.many ?? 1);
      for (let n = 0; n < many; n++) processes.push(oldProcess(server, name, processes));
    }
  return processes;
}

function oldProcess({ fqdn, lnid, devices = 0 }: OldServer, role: string, before: readonly Loaded[]): Loaded {
  const { at, type, services, ports } = known[role]!;
  const endpoint = (segment: number) => `${lnid}:12345:${at[0]}:${segment}`;
  const ofNode = before.filter((process) => process.fqdn === fqdn).flatMap(({ environment }) => environment.map(([, value]) => value));
  return {
    fqdn,
    type,
    endpoint: endpoint(free(at[1], (segment) => before.some((process) => process.endpoint === endpoint(segment)))),
    services,
    devices: role === 'storage' ? Array.from({ length: devices }, (_, d) => `wwn-${fqdn}-${d}`) : [],
    environment: ports ? [['MERO_S3SERVER_PORT', `${free(ports[0], (port) => ofNode.includes(`${port}`))}`]] : [],
  };
}

describe('converted facts', () => {
  it('of one node with all client roles have the endpoints 302 to 309 and the ports 8081 to 8084', async () => {
    const converted = await convertFacts(oldFacts([server({ roles: roles('ha', 'clovis-app', 's3server', 'm0t1fs') })]), map);
    const processes = await loaded(converted.ok && converted.file);
    expect(processes.map(({ endpoint, environment }) => [endpoint.replace('10.0.0.1@tcp:12345:', ''), environment[0]?.[1]])).toEqual([
      ['34:101', undefined],
      ['41:302', undefined],
      ['41:303', undefined],
      ['41:304', undefined],
      ['41:305', undefined],
      ['41:306', '8081'],
      ['41:307', '8082'],
      ['41:308', '8083'],
      ['41:309', '8084'],
      ['41:301', undefined],
    ]);
  });

  test('load as the old pair did', async () => {
    const spec = fc.oneof(
      fc.constantFrom('ha', 'confd', 'clovis-app', 's3server').map((name) => ({ name })),
      fc.integer({ min: 1, max: 5 }).map((multiplicity) => ({ name: 'm0t1fs', overrides: { multiplicity } })),
    );
    const servers = fc.array(
      fc.record({ specs: fc.array(spec, { maxLength: 4 }), devices: fc.nat({ max: 3 }), shared: fc.boolean(), stores: fc.boolean() }),
      { minLength: 1, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(servers, async (drawn) => {
        const all = drawn.map(({ specs, devices, shared, stores }, n) =>
          server({
            fqdn: `n${n}.acme.org`,
            lnid: shared ? '0@lo' : `10.0.0.${n}@tcp`,
            roles: stores ? [...specs, { name: 'storage' }] : specs,
            devices,
          }),
        );
        const converted = await convertFacts(oldFacts(all), map);
        expect(said(converted)).toEqual([]);
        expect(await loaded(converted.ok && converted.file)).toEqual(oldLoad(all));
      }),
      { numRuns: 60 },
    );
  });

  it('of ten generated servers with names of one label load as the old pair did, with a remark', async () => {
    const converted = await convertFacts(generatedFacts(), map);
    expect(said(converted)).toEqual([]);
    const processes = await loaded(converted.ok && converted.file);
    expect(processes).toEqual(oldLoad(generatedServers));
    expect(processes.flatMap(({ devices }) => devices)).toHaveLength(410);
    expect(converted.ok && converted.notes.map(noteText).at(-1)).toContain('10 hosts have names, such as s1-cmu-11, without a domain');
  });

  it('have the devices of each service, by its filter', async () => {
    const filtered = oldRoleMap
      .replace('tag: CST_IOS, contents: [] }', 'tag: CST_IOS, contents: [] }\n          m0s_pathfilter: "/odd/"')
      .replace(
        '- name: "m0t1fs"',
        '- name: "second"\n  content:\n    - m0p_endpoint: "{{ lnid }}:12345:41:501"\n      m0p_boot_level: { tag: PLM0d, contents: 1 }\n      m0p_services:\n        - m0s_type: { tag: CST_IOS, contents: [] }\n          m0s_pathfilter: ^/dev/disk/even/[02]$\n- name: "m0t1fs"',
      );
    const converted = await convertFacts(oldFacts([server({ roles: roles('storage', 'second'), devices: 5 })]), await mapOf(filtered));
    expect(said(converted)).toEqual([]);
    expect((await loaded(converted.ok && converted.file)).map(({ devices }) => devices.map((wwn) => wwn.at(-1)))).toEqual([
      ['1', '3'],
      ['0', '2'],
    ]);
    expect(converted.ok && converted.notes.map(noteText).at(-1)).toBe(
      'devices that no m0s_pathfilter matches are left out (id_m0_servers[0].m0h_devices[4])',
    );
  });

  it('say what was left out and renamed, how often, and refer to passwords by names', async () => {
    const two = [server({ roles: roles('ha') }), server({ fqdn: 'n2.acme.org', lnid: '10.0.0.2@tcp', roles: roles('ha') })];
    const converted = await convertFacts(oldFacts(two), map);
    if (!converted.ok) throw new Error(said(converted).join());
    const host = 'id_sites[0].site_racks[0].rack_enclosures[0].enc_hosts[0]';
    expect(converted.notes.map(noteText)).toEqual([
      'bmc_pass becomes the name of a secret (id_sites[0].site_racks[0].rack_enclosures[0].enc_bmc[0].bmc_pass)',
      ...['h_memsize', 'h_cpucount', 'h_interfaces', 'h_halon.address'].map(
        (key) => `${key} is left out: the host reports it with node-up (2 times, first at ${host})`,
      ),
    ]);
    expect(converted.secrets).toEqual([{ name: 'bmc/enclosure1/0', value: 'hunter2' }]);
    expect(JSON.stringify([converted.file, converted.notes])).not.toContain('hunter2');
  });

  it('by the roles that come with Muster are the same, where a file needs no others', async () => {
    const facts = oldFacts([server({ roles: roles('ha', 'confd', 'm0t1fs', 'clovis-app', 's3server') })]);
    const [by, without] = [await convertFacts(facts, map), await convertFacts(facts, roleMapOf(defaultMeroRoles()))];
    expect(await loaded(without.ok && without.file)).toEqual(await loaded(by.ok && by.file));
  });
});

describe('facts of', () => {
  const device = { m0d_wwn: 'w1', m0d_path: '/dev/loop1', m0d_bsize: 4096, m0d_size: 1_000_000 };
  const racks = [{ rack_idx: 1, rack_enclosures: [{ enc_idx: 1, enc_id: 'e', enc_hosts: [{ h_fqdn: 'n1.acme.org', h_memsize: 4096 }] }] }];
  const service = (tag: string, params: object = { tag: 'SPUnused', contents: [] }) => ({
    m0s_type: { tag, contents: [] },
    m0s_params: params,
    m0s_endpoints: ['10.0.0.1@tcp:12345:44:101'],
  });

  it('the oldest form, with processes in them, come to have types, serials, sites and a pool', async () => {
    const process = (segment: number, ...services: object[]) => ({
      m0p_endpoint: `10.0.0.1@tcp:12345:44:${segment}`,
      m0p_services: services,
    });
    const old = {
      id_racks: racks,
      id_m0_servers: [
        {
          m0h_fqdn: 'n1.acme.org',
          m0h_processes: [
            process(101, service('CST_MGS', { tag: 'SPConfDBPath', contents: '/var/mero/confd' })),
            process(101, service('CST_HA')),
            { ...process(201, service('CST_IOS')), m0p_boot_level: 1 },
          ],
          m0h_devices: [device],
        },
      ],
      id_m0_globals: {
        m0_data_units: 1,
        m0_parity_units: 0,
        m0_md_redundancy: 1,
        m0_failure_set_gen: { tag: 'Preloaded', contents: [0, 1, 0] },
      },
    };
    const converted = await convertFacts(old, map);
    if (!converted.ok) throw new Error(said(converted).join());
    await expect(writeText(converted.file)).toMatchFileSnapshot('golden/oldest.yaml.out');
    await expect(`${converted.notes.map(noteText).join('\n')}\n`).toMatchFileSnapshot('golden/oldest.notes.out');
  });

  it('the middle form, with integer boot levels in the roles, come to have types and a profile', async () => {
    const old = {
      id_racks: racks,
      id_m0_servers: [{ m0h_fqdn: 'n1.acme.org', lnid: '10.0.0.1@tcp', m0h_roles: [{ name: 'all' }], m0h_devices: [device] }],
      id_m0_globals: { m0_data_units: 1, m0_parity_units: 0, m0_md_redundancy: 1 },
    };
    const process = (level: number, tag: string) =>
      `    - { m0p_endpoint: "{{ lnid }}:12345:41:401", m0p_boot_level: ${level}, m0p_services: [{ m0s_type: { tag: ${tag} } }] }\n`;
    const content = [process(-1, 'CST_HA'), process(0, 'CST_MGS'), process(1, 'CST_IOS'), process(2, 'CST_RMS')].join('');
    const converted = await convertFacts(old, await mapOf(`- name: all\n  content:\n${content}`));
    expect(said(converted)).toEqual([]);
    expect(await loaded(converted.ok && converted.file)).toMatchObject([
      { type: { tag: 'PLHalon' }, endpoint: '10.0.0.1@tcp:12345:41:401' },
      { type: { tag: 'PLM0d', contents: 0 }, endpoint: '10.0.0.1@tcp:12345:41:402', services: ['CST_CONFD'] },
      { type: { tag: 'PLM0d', contents: 1 }, endpoint: '10.0.0.1@tcp:12345:41:403', devices: ['w1'] },
      { type: { tag: 'PLM0t1fs' }, endpoint: '10.0.0.1@tcp:12345:41:404' },
    ]);
    expect(converted.ok && converted.file).toMatchObject({ id_pools: [{ pool_id: 'pool-1' }], id_profiles: [{ prof_pools: ['pool-1'] }] });
  });
});

describe('a conversion is refused with', () => {
  const devices = { roles: roles('storage'), devices: 2 };
  it.each<[string, OldServer, (map: string) => string, (string | RegExp)[]]>([
    [
      'two services that use devices and no filter',
      server({ ...devices, roles: roles('storage', 'storage') }),
      (map) => map,
      [0, 1].map(
        () =>
          'id_m0_servers[0].m0h_roles[N].m0p_services[1]: 2 services of this server use devices: give each an m0s_pathfilter that says which',
      ),
    ],
    [
      'a filter that finds what another finds',
      server({ ...devices, roles: roles('storage', 'storage') }),
      (map) => map.replace('tag: CST_IOS, contents: [] }', 'tag: CST_IOS, contents: [] }\n          m0s_pathfilter: /disk/'),
      [0, 1].map((n) => `id_m0_servers[0].m0h_devices[${n}]: 2 services use this device by their m0s_pathfilter; a device belongs to one`),
    ],
    [
      'a filter that could take for ever',
      server(devices),
      (map) => map.replace('tag: CST_IOS, contents: [] }', 'tag: CST_IOS, contents: [] }\n          m0s_pathfilter: "(a+)+$"'),
      [/m0s_pathfilter: it must be a regular expression of up to 200 characters/],
    ],
    [
      'a role that is not in the map',
      server({ roles: roles('ha', 'mgs') }),
      (map) => map,
      ['id_m0_servers[0].m0h_roles[1].name: there is no role mgs in the role map: ha, confd, storage, m0t1fs, clovis-app, s3server'],
    ],
    [
      'a variable that the server does not have',
      server({ roles: roles('ha') }),
      (map) => map.replace('"confd"', '"{{ confd_name }}"'),
      [/^\d+: role ha: undefined variable: confd_name, for the server n1.acme.org$/],
    ],
    [
      'a role that renders to no YAML',
      server({ roles: roles('ha') }),
      (map) => map.replace('{{ host_mem_as }}', '[{{ host_mem_as }}'),
      [/^in the rendered text: line \d+: .*, for the server n1.acme.org$/],
    ],
    [
      'a role that renders to what is no process',
      server({ roles: roles('ha') }),
      (map) => map.replace('{ tag: PLHalon, contents: [] }', '7'),
      ['id_m0_servers[0].m0h_roles[N].m0p_type: a type has a tag: PLHalon, PLM0d, PLM0t1fs or PLClovis (in the role ha of the role map)'],
    ],
  ])('%s', async (_, one, change, expected) => {
    const converted = await convertFacts(oldFacts([one]), await mapOf(change(oldRoleMap)));
    expect(said(converted).map((line) => line.replace(/(m0h_roles)\[\d\](\.m0p)/, '$1[N]$2'))).toEqual(
      expected.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line))),
    );
  });

  it.each([
    [
      'a tag that is not closed',
      '- name: ha\n  content:\n{% for core in host_cores %}\n',
      { line: 3, column: 1 },
      /^role ha: tag {% for core in host_cores %} not closed/,
    ],
    [
      'a filter that there is not',
      '- name: ha\n  content: {{ a | shell }}\n',
      { line: 2, column: 12 },
      /^role ha: undefined filter: shell/,
    ],
    [
      'a file that it would read',
      '- name: ha\n  content: {% include "/etc/passwd" %}\n',
      { line: 2, column: 12 },
      /^role ha: tag "include" not found/,
    ],
    ['roles that are no list', 'name: ha\n', { line: 1, column: 1 }, /a role map is a list of roles/],
    ['a role without a content', '- name: ha\n', { line: 1, column: 3 }, /the role ha needs a content/],
    ['a role twice', '- {name: ha, content: []}\n- {name: ha, content: []}\n', { line: 2, column: 4 }, /the role ha is there already/],
  ])('a role map with %s', async (_, text, place, says) => {
    expect(await readRoleMap(text)).toEqual({ says: expect.stringMatching(says), place });
  });

  it('a role map that would never end, or fill the memory', async () => {
    for (const text of [
      '{% for a in (1..1000000000) %}x{% endfor %}',
      '{% assign a = "xxxxxxxx" %}{% for i in (1..60) %}{% assign a = a | append: a %}{% endfor %}',
    ]) {
      const rendered = await (await mapOf(text)).rolesWith({});
      expect(rendered).toMatchObject({ says: expect.stringContaining('limit exceeded') });
    }
  });

  it('lists that are none, so that nothing is lost without a word', async () => {
    const facts = { ...oldFacts([]), id_m0_servers: [{ m0h_fqdn: 'n1.acme.org', m0h_devices: { m0d_wwn: 'x' } }, 7] };
    expect(said(await convertFacts(facts, map))).toEqual([
      'id_m0_servers[1]: it must be a mapping',
      'id_m0_servers[0].m0h_devices: it must be a list',
    ]);
  });

  it.each([null, 7, [], {}, { id_racks: 7 }])('what is no facts file at all: %j', async (old) => {
    expect(said(await convertFacts(old, map)).length).toBeGreaterThan(0);
  });
});
