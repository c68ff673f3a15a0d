import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { pathText, pointerOf } from '../../../../lib/core/defect.ts';
import { Fid, fidOf, readFid } from '../../../../lib/core/fid.ts';
import { nearest } from '../../../../lib/core/nearest.ts';
import { type Checked, checkFacts } from '../../../../lib/mero/facts/check/check.ts';
import { Facts, factsJsonSchema } from '../../../../lib/mero/facts/facts.ts';
import { readText } from '../../../../lib/mero/facts/text/text.ts';
import { fabricatedFacts } from '../../../../tools/support/facts/fabricated.ts';

type Any = { [key: string]: Any } & Any[];

/** Facts of two servers with three devices each, with something changed. */
function facts(change: (file: Any) => unknown = () => undefined): unknown {
  const file = structuredClone(fabricatedFacts({ servers: 2, devicesEach: 3 })) as Any;
  change(file);
  return file;
}
/** A service of the first server that has the devices, and the enclosure and the pool. */
const storage = (file: Any, server = 0): Any => file['id_m0_servers']![server]!['m0h_processes']!.at(-1)!;
const users = (file: Any, server = 0): Any => storage(file, server)['m0p_services']![1]!;
const enclosure = (file: Any): Any => file['id_sites']![0]!['site_racks']![0]!['rack_enclosures']![0]!;
const pool = (file: Any): Any => file['id_pools']![0]!;
const set = (part: Any, values: object): unknown => Object.assign(part, values);

const lines = (checked: Checked): string[] =>
  checked.ok
    ? []
    : checked.defects.map(
        ({ path, says }) =>
          `${pathText(path)
            .replace('id_m0_servers', 'S')
            .replace(/id_sites.*encl\w+\[0\]/, 'E')}: ${says}`,
      );
const defects = (change: (file: Any) => unknown): string[] => lines(checkFacts(facts(change)));

describe('facts', () => {
  it('may name hosts by one label, which is remarked once', () => {
    const short = JSON.parse(JSON.stringify(facts()).replaceAll('.storage.acme.org', '')) as unknown;
    expect(checkFacts(short)).toMatchObject({
      ok: true,
      expansion: { nodes: [{ fqdn: 'ssu1' }, { fqdn: 'ssu2' }] },
      remarks: [
        { path: ['id_m0_servers', 0, 'm0h_fqdn'], says: expect.stringContaining('2 hosts have names, such as ssu1, without a domain') },
      ],
    });
    expect(checkFacts(facts())).toMatchObject({ remarks: [] });
  });
  it.each(['localhost', 'muster', 'n0123456789abcdef', '10', '10.0.0.1', 'ssu_1', '-a', 'a-', 'a'.repeat(64), ''])(
    'name no host %j, which means something else or nothing',
    (name) => {
      const lines = defects((file) => {
        set(file['id_m0_servers']![0]!, { m0h_fqdn: name });
        set(enclosure(file)['enc_hosts']![0]!, { h_fqdn: name });
      });
      expect(lines).toEqual(
        ['E.enc_hosts[0].h_fqdn', 'S[0].m0h_fqdn'].map((path) => expect.stringContaining(`${path}: the name of a host`) as unknown),
      );
    },
  );
  it('without a defect expand', () => {
    expect(checkFacts(facts())).toMatchObject({ ok: true, expansion: { nodes: [{ fqdn: 'ssu1.storage.acme.org' }, {}] } });
  });

  it.each<[string, (file: Any) => unknown, string[]]>([
    [
      'a site twice',
      (file) => file['id_sites']!.push({ site_idx: 1, site_racks: [] } as unknown as Any),
      ['id_sites[1].site_idx: site 1 is there already: id_sites[0]'],
    ],
    [
      'a rack, an enclosure and its id twice',
      (file) => {
        const rack = file['id_sites']![0]!['site_racks']![0]!;
        file['id_sites']![0]!['site_racks']!.push({ rack_idx: 0, rack_enclosures: [] } as unknown as Any);
        rack['rack_enclosures']!.push({ ...structuredClone(enclosure(file)), enc_hosts: [] } as unknown as Any);
      },
      [
        'id_sites[0].site_racks[1].rack_idx: rack 0 is there already: id_sites[0].site_racks[0]',
        'id_sites[0].site_racks[0].rack_enclosures[1].enc_idx: enclosure 0 is there already: id_sites[0].site_racks[0].rack_enclosures[0]',
        'id_sites[0].site_racks[0].rack_enclosures[1].enc_id: enclosure enclosure-0-0 is there already: id_sites[0].site_racks[0].rack_enclosures[0]',
      ],
    ],
    [
      'a WWN and a serial twice, on different servers',
      (file) => set(users(file, 1)['m0s_devices']![0]!, { m0d_wwn: 'wwn-0x5000000000000000', m0d_serial: 'Z84000000000000' }),
      [
        'S[1].m0h_processes[1].m0p_services[1].m0s_devices[0].m0d_wwn: device with the WWN wwn-0x5000000000000000 is there already: id_m0_servers[0].m0h_processes[2].m0p_services[1].m0s_devices[0]',
        'S[1].m0h_processes[1].m0p_services[1].m0s_devices[0].m0d_serial: device with the serial Z84000000000000 is there already: id_m0_servers[0].m0h_processes[2].m0p_services[1].m0s_devices[0]',
        'id_pools[0].pool_device_refs[0]: more than one device has dr_wwn wwn-0x5000000000000000: id_m0_servers[0].m0h_processes[2].m0p_services[1].m0s_devices[0], id_m0_servers[1].m0h_processes[1].m0p_services[1].m0s_devices[0]',
        'id_pools[0].pool_device_refs[3]: there is no device with dr_wwn wwn-0x5000000000000003',
      ],
    ],
    [
      'a device under two services',
      (file) => set(storage(file)['m0p_services']![2]!, { m0s_devices: [users(file)['m0s_devices']![2]!] }),
      [
        'S[0].m0h_processes[2].m0p_services[2].m0s_devices[0].m0d_wwn: device wwn-0x5000000000000002 is under two services: id_m0_servers[0].m0h_processes[2].m0p_services[1] and here; a device belongs to one',
        expect.stringContaining('more than one device has dr_wwn') as unknown as string,
      ],
    ],
    [
      'devices of a process that is there twice',
      (file) => set(storage(file), { m0p_multiplicity: 2 }),
      ['S[0].m0h_processes[2].m0p_services[1].m0s_devices: there are 2 of this process, and a device belongs to one service'],
    ],
    [
      'references that lead nowhere, to several and to one again',
      (file) =>
        pool(file)['pool_device_refs']!.push(
          ...([{ dr_wwn: 'wwn-0x5000000000000000', dr_serial: 'other' }, { dr_serial: 'Z84000000000001' }, {}] as unknown as Any[]),
        ),
      [
        'id_pools[0].pool_device_refs[8]: a reference to a device needs dr_wwn, dr_serial or dr_path',
        'id_pools[0].pool_device_refs[6]: there is no device with dr_wwn wwn-0x5000000000000000, dr_serial other',
        'id_pools[0].pool_device_refs[7]: the device with dr_serial Z84000000000001 is referred to already: id_pools[0].pool_device_refs[1]',
      ],
    ],
    [
      'a pool wider than its devices, a profile with an unknown pool, and both twice',
      (file) => {
        set(pool(file)['pool_pdclust_attrs']!, { data_units: 5, parity_units: 1 });
        file['id_pools']!.push({ ...pool(file), pool_device_refs: pool(file)['pool_device_refs'] } as unknown as Any);
        file['id_profiles']!.push({ prof_id: 'all', prof_pools: ['tier9'] } as unknown as Any);
      },
      [
        'id_pools[1].pool_id: pool tier1 is there already: id_pools[0]',
        'id_profiles[1].prof_id: profile all is there already: id_profiles[0]',
        'id_pools[0].pool_pdclust_attrs: 5 data and 1 parity units need 7 devices (N + 2K), and the pool has 6',
        'id_pools[1].pool_pdclust_attrs: 5 data and 1 parity units need 7 devices (N + 2K), and the pool has 6',
        'id_profiles[1].prof_pools[0]: there is no pool tier9',
      ],
    ],
    [
      'a host in one section and not in the other',
      (file) => set(file['id_m0_servers']![1]!, { m0h_fqdn: 'other.acme.org' }),
      [
        'S[1].m0h_fqdn: other.acme.org is in no enclosure of id_sites',
        'E.enc_hosts[1].h_fqdn: ssu2.storage.acme.org is missing in id_m0_servers; a host without processes has m0h_processes: []',
      ],
    ],
    [
      'a host twice, whatever its capitals',
      (file) => enclosure(file)['enc_hosts']!.push({ h_fqdn: 'SSU1.storage.acme.org' } as unknown as Any),
      [expect.stringContaining('E.enc_hosts[2].h_fqdn: host ssu1.storage.acme.org is there already') as unknown as string],
    ],
    [
      'a name that no host has',
      (file) => {
        set(file['id_m0_servers']![0]!, { m0h_fqdn: 'ssu_1' });
        set(enclosure(file)['enc_hosts']![0]!, { h_fqdn: 'ssu_1' });
      },
      ['E.enc_hosts[0].h_fqdn', 'S[0].m0h_fqdn'].map((path) => `${path}: the name of a host: labels of letters, digits and hyphens`),
    ],
    [
      'endpoints at another host’s address and at link-local ones, and variables that the loader obeys',
      (file) => {
        set(file['id_m0_servers']![1]!, { lnid: '169.254.7.7@tcp' });
        set(storage(file, 1), { m0p_endpoint: 'fe80::1@tcp:12345:41:401' });
        set(file['id_m0_servers']![0]!['m0h_processes']![0]!, {
          m0p_environment: ['LD_PRELOAD', 'LD-AUDIT', 'OLD_PATH'].map((name) => [name, { tag: 'M0PEnvValue', contents: '/x' }]),
        });
        // Its first process is where it is itself, and one of its neighbour is there, too.
        set(file['id_m0_servers']![1]!['m0h_processes']![0]!, { m0p_endpoint: '169.254.7.7@tcp:12345:34:101' });
        set(file['id_m0_servers']![0]!['m0h_processes']![1]!, { m0p_endpoint: '169.254.7.7@tcp:12345:44:101' });
      },
      [
        'S[0].m0h_processes[0].m0p_environment[0][0]: LD_PRELOAD makes the loader run other code in every program that is started: leave it out',
        'S[0].m0h_processes[0].m0p_environment[1][0]: LD_AUDIT makes the loader run other code in every program that is started: leave it out',
        'S[0].m0h_processes[1].m0p_endpoint: 169.254.7.7@tcp is the address of ssu2.storage.acme.org: nothing listens there on this host',
        'S[0].m0h_processes[1].m0p_endpoint: 169.254.7.7@tcp is a link-local address, which no other host can reach',
        'S[1].lnid: 169.254.7.7@tcp is a link-local address, which no other host can reach',
        'S[1].m0h_processes[1].m0p_endpoint: fe80::1@tcp is a link-local address, which no other host can reach',
      ],
    ],
    [
      'sizes that are none',
      (file) => {
        set(users(file)['m0s_devices']![0]!, { m0d_size: 0, m0d_bsize: -4096 });
        set(users(file)['m0s_devices']![1]!, { m0d_size: 1.5, m0d_bsize: '4096' });
      },
      [
        ['[0]', 'm0d_bsize'],
        ['[0]', 'm0d_size'],
        ['[1]', 'm0d_bsize'],
        ['[1]', 'm0d_size'],
      ].map(([n, key]) => `S[0].m0h_processes[2].m0p_services[1].m0s_devices${n}.${key}: it must be a whole number from 1`),
    ],
    [
      'endpoints out of range or of no network',
      (file) => {
        set(storage(file), { m0p_endpoint: '10.0.0.1@tcp:12345:41:65536' });
        set(storage(file, 1), { m0p_endpoint: '10.0.0.1@udp:12345:41:401' });
      },
      ['S[0].m0h_processes[2]', 'S[1].m0h_processes[1]'].map(
        (path) => expect.stringMatching(`^${path.replaceAll(/[[\]]/g, '\\$&')}.m0p_endpoint: not an endpoint`) as unknown as string,
      ),
    ],
    [
      'a service that answers elsewhere',
      (file) => set(storage(file)['m0p_services']![0]!, { m0s_endpoints: ['10.0.0.9@tcp:12345:41:401'] }),
      ['S[0].m0h_processes[2].m0p_services[0].m0s_endpoints[0]: a service answers at the endpoint of its process; leave this out'],
    ],
    [
      'host facts, keys of before, and keys that are misspelt',
      (file) => {
        set(enclosure(file)['enc_hosts']![0]!, { h_memsize: 4096 });
        set(enclosure(file)['enc_hosts']![0]!['h_halon']!, { address: '10.0.0.1:9070' });
        set(file['id_m0_servers']![0]!, { m0h_roles: [], zzz: 1 });
        set(pool(file)['pool_device_refs']![0]!, { dr_wnn: 'x' });
      },
      [
        'E.enc_hosts[0].h_halon.address: address is a fact of the host, which reports it with node-up: leave it out',
        'E.enc_hosts[0].h_memsize: h_memsize is a fact of the host, which reports it with node-up: leave it out',
        'S[0].m0h_roles: m0h_roles belongs to an older format: convert the file with `facts convert`',
        'S[0].zzz: there is no key zzz in id_m0_servers',
        'id_pools[0].pool_device_refs[0].dr_wnn: there is no key dr_wnn in pool_device_refs; did you mean dr_wwn?',
      ],
    ],
    [
      'variables of the same name, and those that Muster sets',
      (file) =>
        set(storage(file), {
          m0p_environment: [
            ['A-B', { tag: 'M0PEnvValue', contents: 'x' }],
            ['A_B', { tag: 'M0PEnvRange', contents: [1, 2] }],
            ['MERO_HA_EP', { tag: 'M0PEnvValue', contents: '' }],
          ],
        }),
      [
        'S[0].m0h_processes[2].m0p_environment[1][0]: the variable A_B is there already',
        'S[0].m0h_processes[2].m0p_environment[2][0]: MERO_HA_EP is set by Muster',
      ],
    ],
    [
      'what is missing',
      (file) => {
        delete (file as Partial<Any>)['id_profiles'];
        delete (storage(file) as Partial<Any>)['m0p_type'];
      },
      ['S[0].m0h_processes[2].m0p_type: this is missing', 'id_profiles: this is missing'],
    ],
    [
      'a range that is used up, and endpoints that are',
      (file) => {
        set(storage(file), {
          m0p_multiplicity: 3,
          m0p_environment: [['PORT', { tag: 'M0PEnvRange', contents: [8081, 8082] }]],
          m0p_services: [{ m0s_type: { tag: 'CST_RMS' } }],
        });
        set(storage(file, 1), {
          m0p_multiplicity: 3,
          m0p_endpoint: '10.0.0.1@tcp:12345:41:65534',
          m0p_services: [{ m0s_type: { tag: 'CST_RMS' } }],
        });
        set(file, { id_pools: [], id_profiles: [] });
      },
      [
        'S[0].m0h_processes[2].m0p_environment[0]: the range 8081 to 8082 of PORT is used up on ssu1.storage.acme.org',
        'S[1].m0h_processes[1].m0p_endpoint: no endpoint is free from 10.0.0.1@tcp:12345:41:65534 up to 65535',
      ],
    ],
  ])('with %s › are refused, each defect at its path', (_, change, expected) => {
    expect(defects(change)).toEqual(expected);
  });

  it('are told everything at once, whatever else is wrong', () => {
    const said = defects((file) => {
      set(file, { id_m0_globals: 7, id_pool: [] });
      set(users(file, 1)['m0s_devices']![0]!, { m0d_wwn: 'wwn-0x5000000000000000', m0d_size: -1 });
      set(file['id_profiles']![0]!, { prof_pools: ['none'] });
    });
    expect(said).toHaveLength(7);
  });

  it.each([null, 7, 'facts', [], {}, { id_sites: 3, id_m0_servers: [null, 7] }])('that are %j are refused', (value) => {
    expect(checkFacts(value)).toMatchObject({ ok: false });
  });

  test('of any shape are looked at without an end or an error', () => {
    const leaves = fc.oneof(
      fc.integer(),
      fc.string(),
      fc.constant(null),
      fc.boolean(),
      fc.constant([]),
      fc.constant({}),
      fc.constant(Number.NaN),
    );
    const steps = fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(fc.array(fc.tuple(steps, leaves), { minLength: 1, maxLength: 6 }), (changes) => {
        const file = facts() as Any;
        for (const [way, value] of changes) {
          let at: Any = file;
          for (const [n, step] of way.entries()) {
            const keys = Object.keys(at);
            const key = keys[step % Math.max(1, keys.length)] ?? 'new';
            if (n === way.length - 1 || typeof at[key] !== 'object' || at[key] === null) {
              Object.assign(at, { [key]: value });
              break;
            }
            at = at[key]!;
          }
        }
        const checked = checkFacts(file);
        expect(checked.ok || checked.defects.length > 0).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('never show a password in a defect', () => {
    const said = defects((file) => {
      const [bmc] = enclosure(file)['enc_bmc'] as unknown as [Any];
      set(bmc, { bmc_pass: 'hunter2\n', bmc_pas: 'hunter2' });
      enclosure(file)['enc_bmc']!.push({ ...bmc, bmc_pass: { secret: 'hunter2 ' } } as unknown as Any);
    });
    expect(said.length).toBeGreaterThan(1);
    expect(said.join()).not.toContain('hunter2');
  });
});

describe('the page about facts files', () => {
  it('shows a file without a defect', async () => {
    const page = readFileSync(new URL('../../../../docs/facts.md', import.meta.url), 'utf8');
    const read = await readText(/```yaml\n(.*?)```/s.exec(page)![1]!);
    expect(lines(checkFacts(read.ok ? read.value : read))).toEqual([]);
  });
});

describe('the JSON Schema', () => {
  it('knows every key of a facts file', () => {
    const schema = JSON.stringify(factsJsonSchema());
    for (const key of Object.keys(Facts.shape)) expect(schema).toContain(`"${key}"`);
    expect(schema).toContain('"m0p_multiplicity"');
  });
});

describe('a path', () => {
  it('is shown as people write it, and as a JSON pointer', () => {
    const path = ['a', 3, 'b/c~d', 0];
    expect([pathText(path), pointerOf(path), pathText([])]).toEqual(['a[3].b/c~d[0]', '/a/3/b~1c~0d/0', '']);
  });
});

describe('the nearest word', () => {
  it.each([
    ['dr_wnn', 'dr_wwn'],
    ['m0p_typ', 'm0p_type'],
    ['m0d_bszie', 'm0d_bsize'],
    ['something', undefined],
  ])('of %s is %s', (word, near) => expect(nearest(word, ['dr_wwn', 'm0p_type', 'm0d_bsize', 'm0d_size'])).toBe(near));
});

describe('a fid', () => {
  it('has its kind in the first byte, and a number', () => {
    expect([fidOf('process', 0x2d), fidOf('root', 0)]).toEqual(['0x7200000000000001:0x2d', '0x7400000000000001:0x0']);
    expect(readFid('0x6e00000000000001:0x9')).toEqual({ type: 'node', key: 9 });
  });
  it.each(['0x7200000000000001:2d', '0x7a00000000000001:0x1', '0x7200000000000002:0x1', '0x7200000000000001:0x01', '', '0x72:0x1'])(
    '%j is none',
    (text) => {
      expect(Fid.safeParse(text).success).toBe(false);
    },
  );
});
