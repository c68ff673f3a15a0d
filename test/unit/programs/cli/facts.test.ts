import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeText } from '../../../../lib/mero/facts/text/write.ts';
import { fabricatedFacts } from '../../../../tools/support/facts/fabricated.ts';
import { oldFacts, oldRoleMap } from '../../../support/facts/old.ts';
import { ran } from './a-terminal.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-facts-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

const good = writeText(fabricatedFacts({ servers: 2, devicesEach: 3 }));
const roles = ['ha', 'storage', 'clovis-app', 's3server'].map((name) => ({ name }));
const old = writeText(oldFacts([{ fqdn: 'n1.acme.org', lnid: '10.0.0.1@tcp', roles, devices: 2 }]));
const texts: Readonly<Record<string, string>> = {
  good,
  '-': good,
  json: JSON.stringify(fabricatedFacts({ servers: 1, devicesEach: 0 })),
  bad: good.replace('m0d_bsize: 4096', 'm0d_bzise: 4096').replace('ssu2.storage.acme.org', 'ssu_2'),
  broken: `${good}a: [1\n`,
  laughs: `a: &a [${'1, '.repeat(9)}1]\nb: &b [${'*a, '.repeat(99)}*a]\nc: &c [${'*b, '.repeat(99)}*b]\nd: [${'*c, '.repeat(99)}*c]\n`,
  old,
  strange: good.replace('name: ssu', 'name: ssv'),
  halon:
    '- {name: ssv, h_bootstrap_station: False, h_services: ["sspl start -p hunter2"]}\n- {name: station, h_bootstrap_station: True, h_services: []}\n',
  catalogue: '- {name: ssv, station: false, services: []}\n',
  roles: oldRoleMap,
  unknown: oldRoleMap.replace('"s3server"', '"s3"').replace('{{ host_mem_as }}', '{{ host_memory }}'),
  escape: good.replace('all', '"\\u001b[2Jall"').replace('prof_pools:', 'prof_\u202e:'),
};
const run = (line: string, given: Parameters<typeof ran>[1] = {}) =>
  ran(line, { read: (path) => texts[path] ?? (existsSync(path) ? readFileSync(path, 'utf8') : undefined), ...given });

describe('facts', () => {
  it.each([
    'validate good',
    'validate bad',
    'validate broken',
    'validate strange',
    'validate strange --halon-roles halon',
    'validate strange --halon-roles catalogue',
    'convert halon',
    'convert roles',
    'validate laughs',
    'expand good',
    'expand bad',
    'convert old --roles roles',
    'convert old --roles unknown',
  ])('%s › looks as recorded', async (line) => {
    const { out, err, code } = await run(`facts ${line}`);
    await expect(`${out}--- talk, and exit code ${code}\n${err}`).toMatchFileSnapshot(`golden/facts-${line.replaceAll(/[ -]+/g, '-')}.out`);
  });

  it.each(['', 'validate', 'convert', 'expand', 'schema'])('help of `facts %s` › looks as recorded', async (verb) => {
    const { out, code } = await run(`facts ${verb} --help`);
    expect(code).toBe(0);
    await expect(out).toMatchFileSnapshot(`golden/help-facts${verb && '-'}${verb}.out`);
  });

  it('are read from standard input, as YAML or JSON, and told to programs as JSON', async () => {
    expect(await run('facts validate -')).toEqual({
      out: 'valid: 2 nodes, 5 processes, 14 services, 6 devices, 1 pool, 1 profile\n',
      err: '',
      code: 0,
    });
    expect(JSON.parse((await run('facts validate --json json')).out)).toMatchObject({ valid: true, nodes: 1, devices: 0, defects: [] });
    const { out, code } = await run('facts validate --json bad');
    expect(code).toBe(1);
    expect(JSON.parse(out).defects[0]).toEqual({
      pointer: '/id_sites/0/site_racks/0/rack_enclosures/0/enc_hosts/1/h_fqdn',
      line: 18,
      column: 17,
      detail: 'the name of a host: labels of letters, digits and hyphens',
    });
  });

  it('expand for programs with every fid, the same every time', async () => {
    const [one, other] = [await run('facts expand good --json'), await run('facts expand - --json')];
    expect(one).toEqual(other);
    expect(JSON.parse(one.out)).toMatchObject({ root: '0x7400000000000001:0x0', nodes: [{ fqdn: 'ssu1.storage.acme.org' }, {}] });
  });

  it('are converted into new files, passwords into one that only their owner reads', async () => {
    const words = `facts convert old --roles roles -o ${at('new.yaml')} --secrets ${at('secrets.json')}`;
    const converted = await run(words);
    expect(converted).toMatchObject({ out: '', err: expect.stringContaining('1 secret written to'), code: 0 });
    expect(JSON.parse(readFileSync(at('secrets.json'), 'utf8'))).toEqual({ 'bmc/enclosure1/0': 'hunter2' });
    expect(statSync(at('secrets.json')).mode & 0o777).toBe(0o600);
    expect(`${readFileSync(at('new.yaml'), 'utf8')}${converted.err}`).not.toContain('hunter2');
    expect(await run(`facts validate ${at('new.yaml')}`)).toMatchObject({
      out: expect.stringMatching(/^valid: 1 node, 10 processes/),
      code: 0,
    });
    expect(await run(words)).toMatchObject({ err: expect.stringContaining('exists already'), code: 2 });
  });

  it('are converted by the roles that come with Muster, and refused without a trace', async () => {
    expect(await run('facts convert old --json')).toMatchObject({ code: 0 });
    expect(await run(`facts convert old --roles unknown -o ${at('none.yaml')} --secrets ${at('none.json')}`)).toMatchObject({
      out: '',
      code: 1,
    });
    expect([existsSync(at('none.yaml')), existsSync(at('none.json'))]).toEqual([false, false]);
  });

  it('are refused with the place of what was written: not of what it would become', async () => {
    const wrong = [
      ['rack_idx: 1', 'rack_idx: one', 'id_racks[0].rack_idx'],
      ['m0d_bsize: 4096', 'm0d_bsize: tiny', 'id_m0_servers[0].m0h_devices[0].m0d_bsize'],
      ['lnid: "10.0.0.1@tcp"', 'lnid: nowhere', 'id_m0_servers[0].m0h_roles[1].m0p_endpoint'],
    ] as const;
    const { id_sites, ...rest } = oldFacts([{ fqdn: 'n1.acme.org', lnid: '10.0.0.1@tcp', roles, devices: 2 }]);
    const [{ site_racks }] = id_sites as [{ site_racks: object[] }];
    const sound = writeText({ id_racks: site_racks, ...rest });
    const text = wrong.reduce((all, [right, odd]) => {
      expect(all).toContain(right);
      return all.replace(right, odd);
    }, sound);
    const { err, code } = await run('facts convert odd', { read: (path) => (path === 'odd' ? text : undefined) });
    expect(code).toBe(1);
    for (const [, odd, path] of [...wrong.slice(0, 2), ['', 'name: storage', wrong[2][2]]] as const) {
      const before = text.slice(0, text.indexOf(odd)).split('\n');
      expect(err).toContain(`odd:${before.length}:${before.at(-1)!.length + 1} ${path}: `);
    }
    expect(err).toMatch(/^odd:\d+:\d+ id_m0_servers\[0\]\.m0h_roles\[1\]\S* .* \(in the role storage of the role map\)$/m);
    expect(err).not.toContain('what it becomes');
  });

  it.each([
    'validate none',
    'expand none',
    'convert none',
    'convert old --roles none',
    'convert - --roles -',
    'validate',
    'convert old -o /nowhere/new.yaml',
  ])('%s › makes no sense, and is told so', async (line) =>
    expect(await run(`facts ${line}`)).toMatchObject({ out: '', err: expect.stringMatching(/./), code: 2 }),
  );

  it('that cannot be read at all are told so', async () => {
    const read = () => {
      throw Object.assign(new Error('no'), { code: 'EISDIR' });
    };
    expect(await run('facts validate /tmp', { read })).toMatchObject({ err: 'muster: /tmp cannot be read (EISDIR)\n', code: 2 });
  });

  it('show nothing of a file that a terminal would obey', async () => {
    const { out, err } = await run('facts validate escape');
    expect(out.length).toBeGreaterThan(0);
    expect(['\u001b', '\u202e'].filter((char) => `${out}${err}`.includes(char))).toEqual([]);
  });

  it('of many servers are converted with a line that tells how far it is, on a terminal alone', async () => {
    const many = oldFacts(
      Array.from({ length: 200 }, (_, n) => ({ fqdn: `n${n}.acme.org`, lnid: `10.0.0.${n}@tcp`, roles: [{ name: 'ha' }] })),
    );
    const read = (path: string) => (path === 'many' ? writeText(many) : texts[path]);
    expect((await run('facts convert many', { read, rewrites: true })).err).toContain('\r\u001b[2K100 of 200 servers\r\u001b[2K');
    expect((await run('facts convert many', { read })).err).not.toContain('of 200');
  });

  it('have a schema for editors', async () => {
    const { out, code } = await run('facts schema');
    expect({ code, title: JSON.parse(out).title }).toEqual({ code: 0, title: 'Facts of a Muster storage cluster' });
  });
});
