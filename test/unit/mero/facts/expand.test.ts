import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { endpointOf, endpointParts } from '../../../../lib/core/endpoint.ts';
import { fidOf } from '../../../../lib/core/fid.ts';
import { checkFacts } from '../../../../lib/mero/facts/check/check.ts';
import { configurationFile, configurationOf, configurationText, variableName } from '../../../../lib/mero/facts/configuration.ts';
import { expand } from '../../../../lib/mero/facts/expand/expand.ts';
import { Taken } from '../../../../lib/mero/facts/expand/taken.ts';
import { Facts } from '../../../../lib/mero/facts/facts.ts';
import { defaultHalonRoles, HalonRole } from '../../../../lib/mero/facts/roles/halon-role.ts';
import { defaultMeroRoles } from '../../../../lib/mero/facts/roles/mero-defaults.ts';
import { MeroRole, processesOf, readOverride } from '../../../../lib/mero/facts/roles/mero-role.ts';
import { readText } from '../../../../lib/mero/facts/text/text.ts';
import { writeText } from '../../../../lib/mero/facts/text/write.ts';
import { fabricatedFacts } from '../../../../tools/support/facts/fabricated.ts';

describe('an expansion', () => {
  it('gives everything a fid and an endpoint, in the order of the file', () => {
    const checked = checkFacts(fabricatedFacts({ servers: 1, devicesEach: 2 }));
    if (!checked.ok) throw new Error(JSON.stringify(checked.defects));
    expect(checked.expansion).toMatchSnapshot();
  });

  test('is the same every time, of the file and of what was written of it, and gives nothing twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 25 }), fc.nat({ max: 6 }), async (servers, devicesEach) => {
        const facts = fabricatedFacts({ servers, devicesEach });
        const read = await readText(writeText(facts));
        const [one, other] = [checkFacts(facts), checkFacts(read.ok && read.value)];
        expect(one).toEqual(other);
        const fids = [...JSON.stringify(one.ok && one.expansion).matchAll(/"fid":"([^"]+)"/g)].map(([, fid]) => fid);
        const endpoints = one.ok ? one.expansion.nodes.flatMap(({ processes }) => processes.map(({ endpoint }) => endpoint)) : [];
        expect([new Set(fids).size, new Set(endpoints).size]).toEqual([fids.length, endpoints.length]);
        expect(endpoints.length).toBeGreaterThan(0);
      }),
      { numRuns: 30 },
    );
  });

  it('of a cluster that has something already goes on after it', () => {
    const facts = Facts.parse(fabricatedFacts({ servers: 1, devicesEach: 0 }));
    const expanded = expand(facts, new Taken(0x100, ['10.0.0.0@tcp:12345:34:101', '10.0.0.0@tcp:12345:34:102']));
    expect(expanded).toMatchObject({
      ok: true,
      expansion: { sites: [{ fid: fidOf('site', 0x101) }], nodes: [{ processes: [{ endpoint: '10.0.0.0@tcp:12345:34:103' }, {}, {}] }] },
    });
  });
});

describe('what is taken', () => {
  it('is an endpoint after the other until there is none, on every address of its own', () => {
    const taken = new Taken(0, ['a@tcp:12345:41:303']);
    const next = (endpoint: string) => taken.endpoint(endpoint);
    expect([next('a@tcp:12345:41:302'), next('a@tcp:12345:41:302'), next('b@tcp:12345:41:302')]).toEqual([
      'a@tcp:12345:41:302',
      'a@tcp:12345:41:304',
      'b@tcp:12345:41:302',
    ]);
    expect([next('a@tcp:12345:41:65535'), next('a@tcp:12345:41:65535'), next('a@tcp:12345:41:65535')]).toEqual([
      'a@tcp:12345:41:65535',
      undefined,
      undefined,
    ]);
  });

  test('is always the lowest that is free', () => {
    const asked = fc.array(fc.tuple(fc.constantFrom('a@tcp', '0@lo'), fc.integer({ min: 300, max: 306 })), { maxLength: 40 });
    fc.assert(
      fc.property(asked, (all) => {
        const taken = new Taken();
        const held = new Set<string>();
        for (const [lnid, segment] of all) {
          let expected = segment;
          while (held.has(`${lnid}:12345:41:${expected}`)) expected++;
          held.add(`${lnid}:12345:41:${expected}`);
          expect(taken.endpoint(`${lnid}:12345:41:${segment}`)).toBe(`${lnid}:12345:41:${expected}`);
        }
      }),
    );
  });

  it('is a value of a variable on a node, the first that is free there', () => {
    const taken = new Taken();
    taken.hold('n1', 'PORT', '8082');
    const next = (node: string) => taken.firstFree(node, 'PORT', [8081, 8083]);
    expect([next('n1'), next('n1'), next('n1'), next('n2')]).toEqual(['8081', '8083', undefined, '8081']);
  });
});

describe('an endpoint', () => {
  it.each(['0@lo:12345:34:101', '10.0.0.1@tcp:12345:41:0', 'node-1.acme.org@o2ib1:12345:41:65535'])('%s has parts', (text) => {
    expect(endpointOf(endpointParts(text)!)).toBe(text);
  });
  it.each([
    '',
    '10.0.0.1@tcp:12345:41',
    '10.0.0.1:12345:41:1',
    '10.0.0.1@tcp:12346:41:1',
    'a b@tcp:12345:41:1',
    '@tcp:12345:41:1',
    '1@tcp:12345:41:-1',
  ])('%j is none', (text) => expect(endpointParts(text)).toBeUndefined());
});

describe('the configuration of a process', () => {
  const process = (type: Parameters<typeof configurationOf>[0]['type'], services: string[] = ['CST_RMS']) => ({
    fid: fidOf('process', 0x2d),
    type,
    endpoint: '10.0.0.1@tcp:12345:41:306',
    environment: [{ name: 'MERO_S3SERVER_PORT', value: '8081' }],
    services: services.map((one) => ({ type: one })),
  });

  it('of an application is called by its name, in letters that a shell takes', () => {
    const app = process({ tag: 'PLClovis', contents: ['clovis-app', 'Independent'] });
    expect(configurationFile(app)).toBe('/etc/sysconfig/clovis-app-0x7200000000000001:0x2d');
    expect(configurationText(configurationOf(app, { haEndpoint: '10.0.0.1@tcp:12345:34:101', profile: fidOf('profile', 7) }))).toBe(
      [
        "MERO_CLOVIS_APP_EP='10.0.0.1@tcp:12345:41:306'",
        "MERO_HA_EP='10.0.0.1@tcp:12345:34:101'",
        "MERO_PROFILE_FID='0x7000000000000001:0x7'",
        "MERO_PROCESS_FID='0x7200000000000001:0x2d'",
        "MERO_S3SERVER_PORT='8081'",
        '',
      ].join('\n'),
    );
  });

  it('of a confd says where its configuration is', () => {
    const confd = process({ tag: 'PLM0d', contents: 0 }, ['CST_CONFD', 'CST_RMS']);
    expect(configurationFile(confd)).toBe('/etc/sysconfig/m0d-0x7200000000000001:0x2d');
    expect(configurationOf(confd, {}).map(({ name }) => name)).toEqual([
      'MERO_M0D_EP',
      'MERO_HA_EP',
      'MERO_PROCESS_FID',
      'MERO_CONF_XC',
      'MERO_S3SERVER_PORT',
    ]);
  });

  it('names are such as every shell knows', () => {
    expect([variableName('A-B.c'), variableName('MERO_X')]).toEqual(['A_B_c', 'MERO_X']);
  });

  test('means to a shell what it says, whatever a value has in it', async () => {
    const { execFileSync } = await import('node:child_process');
    const value = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => !/[\p{Cc}\p{Cs}]/u.test(text));
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 20 }), (values) => {
        const text = configurationText(values.map((one, n) => ({ name: `V${n}`, value: one })));
        const shown = execFileSync('sh', ['-c', `${text}printf '%s\\n' ${values.map((_, n) => `"$V${n}"`).join(' ')}`], {
          encoding: 'utf8',
        });
        expect(shown).toBe(values.map((one) => `${one}\n`).join(''));
      }),
      { numRuns: 20 },
    );
  });
});

describe('a Mero role', () => {
  const node = { lnid: '10.0.0.1@tcp', host_mem_as: 5, host_cores: [1, 1] };
  const role = (name: string): MeroRole => defaultMeroRoles().find((one) => one.name === name)!;

  it.each(defaultMeroRoles())('$name › is one that a catalogue takes, and fills in on a node', (one) => {
    expect(MeroRole.parse(one)).toEqual(one);
    expect(processesOf(one, node)).toMatchObject({ ok: true, processes: [{ m0p_mem_as: 5, m0p_cores: [1, 1] }] });
  });

  it('has its endpoint on the node, and as many processes as it says, the node, or whoever asks', () => {
    const of = (...given: object[]) => processesOf(role('s3server'), ...(given as Record<string, unknown>[]));
    expect(of({ lnid: '0@lo' })).toMatchObject({ processes: [{ m0p_endpoint: '0@lo:12345:41:303', m0p_multiplicity: 4 }] });
    expect(of(node, { multiplicity: 8 }, Object.fromEntries([readOverride('multiplicity=16')!]))).toMatchObject({
      processes: [{ m0p_multiplicity: 16 }],
    });
  });

  it('is refused whole when a variable is missing, or is not what it should be', () => {
    expect(processesOf(role('ha'), {})).toEqual({
      ok: false,
      defects: expect.arrayContaining([{ path: ['content', 0, 'm0p_endpoint'], says: 'role ha: there is no variable lnid' }]),
    });
    expect(processesOf(role('s3server'), node, { multiplicity: 'many' })).toEqual({
      ok: false,
      defects: [{ path: ['content', 0, 'm0p_multiplicity'], says: 'role s3server: it must be a whole number from 1' }],
    });
  });

  it.each([
    ['multiplicity=16', ['multiplicity', 16]],
    ['lnid=10.0.0.1@tcp', ['lnid', '10.0.0.1@tcp']],
    ['a=', ['a', '']],
    ['=1', undefined],
    ['a b=1', undefined],
    ['multiplicity', undefined],
  ])('an override %j is %j', (text, expected) => expect(readOverride(text)).toEqual(expected));
});

describe('a Halon role', () => {
  it.each(defaultHalonRoles())('$name › is one that a catalogue takes', (one) => expect(HalonRole.parse(one)).toEqual(one));
});
