import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkFacts } from '../../../../lib/mero/facts/check/check.ts';
import type { Expansion } from '../../../../lib/mero/facts/expand/expand.ts';
import type { Facts } from '../../../../lib/mero/facts/facts.ts';
import { cutFacts } from '../../../../lib/mero/facts/load/cut.ts';
import { differences } from '../../../../lib/mero/facts/load/differences.ts';
import { readText } from '../../../../lib/mero/facts/text/text.ts';
import { writeText } from '../../../../lib/mero/facts/text/write.ts';
import { aShell } from '../../../../tools/support/a-shell.ts';
import { aStorageZone, dump, goodFacts, load } from '../../../../tools/support/loading.ts';

const lnid = (n: number): string => `10.0.0.${n + 1}@tcp`;

/** A process of some kind, perhaps more than once, on a host whose network may be another's, too. */
const aProcess = fc.record({
  suffix: fc.constantFrom('34:101', '41:301', '41:302', '44:101', '41:65530'),
  network: fc.nat(2),
  type: fc.constantFrom(
    { tag: 'PLHalon' },
    { tag: 'PLM0d', contents: 0 },
    { tag: 'PLM0d', contents: 1 },
    { tag: 'PLM0t1fs' },
    { tag: 'PLClovis', contents: ['s3server', 'Managed'] },
    { tag: 'PLClovis', contents: ['clovis-app', 'Independent'] },
  ),
  many: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  memory: fc.option(fc.nat(), { nil: undefined }),
  cores: fc.array(fc.nat(3), { maxLength: 3 }),
  ports: fc.boolean(),
  value: fc.string({ maxLength: 12 }).filter((text) => !/\p{Cc}/u.test(text)),
  devices: fc.nat(3),
});

type Made = {
  readonly servers: readonly (readonly (typeof aProcess extends fc.Arbitrary<infer P> ? P : never)[])[];
  readonly pools: number;
};

/** Facts of hosts with these processes; whatever devices there are make pools. */
function factsOf({ servers, pools }: Made): object {
  let devices = 0;
  const wwns: string[] = [];
  const m0Servers = servers.map((processes, n) => ({
    m0h_fqdn: `ssu${n}.acme.org`,
    lnid: lnid(n),
    ...(n % 2 === 0 && { host_mem_as: 1_024 * n, host_cores: [n] }),
    m0h_processes: processes.map(({ suffix, network, type, many, memory, cores, ports, value, devices: own }) => {
      const mine = Array.from({ length: many === undefined || many === 1 ? own : 0 }, () => {
        devices += 1;
        wwns.push(`wwn-${devices}`);
        return { m0d_wwn: `wwn-${devices}`, m0d_serial: `s${devices}`, m0d_path: `/dev/d${devices}`, m0d_bsize: 4_096, m0d_size: devices };
      });
      return {
        m0p_endpoint: `${lnid(network)}:12345:${suffix}`,
        m0p_type: type,
        m0p_services: [{ m0s_type: { tag: 'CST_RMS' } }, { m0s_type: { tag: 'CST_IOS' }, m0s_devices: mine }],
        ...(many !== undefined && { m0p_multiplicity: many }),
        ...(memory !== undefined && { m0p_mem_as: memory }),
        m0p_cores: cores,
        m0p_environment: [
          ['A-NAME', { tag: 'M0PEnvValue', contents: value }],
          ...(ports ? [['PORT', { tag: 'M0PEnvRange', contents: [8_081, 8_200] }]] : []),
        ],
      };
    }),
  }));
  const attributes = { data_units: 1, parity_units: 0, unit_size: 4_096, seed: [1, '18446744073709551615'] };
  const ids = wwns.length === 0 ? [] : Array.from({ length: pools }, (_, n) => `pool${n}`);
  return {
    id_sites: [
      { site_idx: 1, site_racks: [] },
      {
        site_idx: 7,
        site_racks: [
          { rack_idx: 1, rack_enclosures: [] },
          {
            rack_idx: 2,
            rack_enclosures: servers.map((_one, n) => ({
              enc_idx: n,
              enc_id: `e${n}`,
              enc_bmc: [{ bmc_addr: 'b', bmc_user: 'u', bmc_pass: { secret: `bmc/e${n}/0` } }],
              enc_hosts: [{ h_fqdn: `ssu${n}.acme.org`, h_halon: { roles: [{ name: 'ssu', overrides: { b: 1, a: [2] } }] } }],
            })),
          },
        ],
      },
    ],
    id_m0_servers: m0Servers,
    id_m0_globals: { m0_md_redundancy: 2, m0_be_seg_size: 7 },
    id_pools: ids.map((pool_id, n) => ({
      pool_id,
      pool_pdclust_attrs: attributes,
      ...(n === 0 && { pool_allowed_failures: [{ site: 0, rack: 0, encl: 0, ctrl: 0, disk: 1 }] }),
      pool_device_refs: wwns.map((dr_wwn, at) => (n === 0 ? { dr_wwn } : { dr_path: `/dev/d${at + 1}`, dr_serial: `s${at + 1}` })),
    })),
    id_profiles: [{ prof_id: 'all', prof_pools: ids }],
  };
}

const someFacts = fc
  .record({ servers: fc.array(fc.array(aProcess, { maxLength: 4 }), { maxLength: 4 }), pools: fc.integer({ min: 1, max: 2 }) })
  .map(factsOf)
  .filter((facts) => checkFacts(facts).ok);

/** An expansion in which fids count from 1 in the order in which they stand: what they were is no matter. */
function unnumbered(expansion: Expansion): unknown {
  const names = new Map<string, string>();
  return JSON.parse(
    JSON.stringify(expansion, (_key, value: unknown) => {
      if (typeof value !== 'string' || !/^0x[0-9a-f]{16}:0x/.test(value)) return value;
      if (!names.has(value)) names.set(value, `${value.slice(0, 4)} ${names.size}`);
      return names.get(value);
    }),
  );
}

const read = async (facts: Facts): Promise<unknown> => {
  const text = await readText(writeText(facts));
  if (!text.ok) throw new Error(text.says);
  return text.value;
};

describe('facts that are loaded, dumped and loaded into another zone', () => {
  it('expand to the same but for their fids, and have the same identity', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(someFacts, async (value) => {
        const shell = aShell();
        const given = goodFacts(value);
        const [first, second] = [await aStorageZone(shell, 'first'), await aStorageZone(shell, 'second')];
        await load(shell, first, given.cut);
        const dumped = goodFacts(await read(await dump(shell, first)));
        expect(unnumbered(dumped.expansion)).toEqual(unnumbered(given.expansion));
        expect(dumped.cut.identity).toBe(given.cut.identity);
        expect(await load(shell, first, dumped.cut)).toMatchObject({ wasThere: true });
        await load(shell, second, dumped.cut);
        expect((await dump(shell, second)).id_m0_servers).toEqual(dumped.facts.id_m0_servers);
        expect(differences(given.expansion, dumped.expansion)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('are called otherwise when anything in them is otherwise', () => {
    fc.assert(
      fc.property(someFacts, someFacts, (a, b) => {
        const [one, other] = [goodFacts(a), goodFacts(b)];
        const same = JSON.stringify(unnumbered(one.expansion)) === JSON.stringify(unnumbered(other.expansion));
        if (!same) expect(one.cut.identity).not.toBe(other.cut.identity);
      }),
      { numRuns: 100 },
    );
  });

  it('are cut into parts of 60 KB at the most, and what fits none is told with its place', () => {
    const devices = (many: number) =>
      Array.from({ length: many }, (_, n) => ({
        m0d_wwn: `wwn-0x${n}`.padEnd(60, 'x'),
        m0d_serial: `s${n}`,
        m0d_path: `/dev/${n}`,
        m0d_bsize: 1,
        m0d_size: 1,
      }));
    const facts = (many: number) => ({
      ...factsOf({ servers: [[]], pools: 1 }),
      id_m0_servers: [
        {
          m0h_fqdn: 'ssu0.acme.org',
          m0h_processes: [
            {
              m0p_endpoint: '10.0.0.1@tcp:12345:41:401',
              m0p_type: { tag: 'PLM0d', contents: 1 },
              m0p_services: [{ m0s_type: { tag: 'CST_IOS' }, m0s_devices: devices(many) }],
            },
          ],
        },
      ],
    });
    for (const part of goodFacts(facts(300)).cut.servers) expect(JSON.stringify(part).length).toBeLessThan(64_000);
    const checked = checkFacts(facts(1_000));
    if (!checked.ok) throw new Error('it is right');
    const cut = cutFacts(checked.facts, checked.expansion);
    expect(cut).toMatchObject({
      ok: false,
      defects: [{ path: ['id_m0_servers', 0], says: expect.stringContaining('more than 60000 bytes') }],
    });
  });
});
