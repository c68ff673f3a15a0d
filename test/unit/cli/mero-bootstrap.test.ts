import { beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '../../../lib/api/problem.ts';
import { writeText } from '../../../lib/facts/text/write.ts';
import { Fqdn } from '../../../lib/ids.ts';
import { fabricatedFacts } from '../../support/facts/fabricated.ts';
import { against } from './against.ts';
import { type Answers, FakeDeployment } from './fake-deployment.ts';
import { sample, underWay } from './mero-status.ts';
import { aNode } from './views.ts';

const text = writeText(fabricatedFacts({ servers: 2, devicesEach: 3 }));
/** The same without roles that want anything beside processes. */
const plain = text.replaceAll('name: station', 'name: ssu');
const files: Readonly<Record<string, string>> = { facts: plain, stations: text, bad: text.replace('m0d_bsize: 4096', 'm0d_bzise: 4096') };
const role = (name: string, station = false, services: { type: string; configuration: object }[] = []) => ({
  origin: 'muster',
  role: { name, station, services },
});

let now = 0;
beforeEach(() => {
  now = Date.parse('2026-05-01T12:00:00Z');
});
const terminal = {
  read: (path: string) => files[path],
  now: () => now,
  sleep: async (ms: number) => {
    now += ms;
  },
};
const nodes = (...hosts: string[]) => ({ items: hosts.map((host) => aNode({ fqdn: Fqdn.parse(`${host}.storage.acme.org`) })) });

/** A deployment to which both hosts have called in, and that has the facts and starts at once, unless told otherwise. */
const answers = (given: Partial<Answers> = {}): Answers => ({
  listHalonRoles: () => ({ items: [role('ssu'), role('station', true)] }),
  listNodes: () => nodes('ssu1', 'ssu2'),
  beginMeroLoad: () => ({ state: 'loaded', load: 'l1', pages: [], servers: [] }),
  startMero: () => ({ done: true, because: 'an operator: the cluster is to be ONLINE' }),
  meroStatus: () => sample(),
  ...given,
});
const bootstrap = (line: string, given?: Partial<Answers>) => against(answers(given), `mero bootstrap --zone storage ${line}`, terminal);

describe('mero bootstrap', () => {
  it('looks at the facts, waits for their hosts, loads and starts; again it finds all done', async () => {
    const { out, err, code, routes } = await bootstrap('-f facts');
    expect([out, code]).toEqual(['Cluster started successfully.\n', 0]);
    expect(err).toBe('Initial data file parsed successfully.\nInitial data is already loaded.\n');
    expect(routes).toEqual(['listHalonRoles', 'listNodes', 'beginMeroLoad', 'startMero', 'meroStatus']);
  });

  it('tells what it leaves undone, does all else, and does not say that all is well', async () => {
    const { out, err, code } = await bootstrap('-f stations', {
      listHalonRoles: () => ({ items: [role('station', true, [{ type: 'stats', configuration: {} }]), role('ssu')] }),
    });
    expect(out).toBe('Cluster started successfully.\n');
    expect(code).toBe(1);
    expect(err).toContain('Left undone: stations are named by a later version: ssu1.storage.acme.org\n');
    expect(err).toContain('Left undone: services of Halon roles are started by a later version: stats on ssu1.storage.acme.org\n');
  });

  it('does nothing for hosts with Halon roles that the zone does not have, and says where they stand', async () => {
    const { code, out, err, routes } = await bootstrap('-f stations', { listHalonRoles: () => ({ items: [role('station', true)] }) });
    expect([code, out, routes]).toEqual([1, '', ['listHalonRoles']]);
    expect(err).toMatch(
      /^stations:\d+:\d+ id_sites\[0\]\.site_racks\[0\]\.rack_enclosures\[0\]\.enc_hosts\[1\]\.h_halon\.roles\[0\]\.name: there is no Halon role ssu: there are station$/m,
    );
    expect(err).toContain('1 defect: nothing is loaded');
  });

  it('waits for hosts, names those that do not come, and goes on without them', async () => {
    let looks = 0;
    const late = await bootstrap('-f facts', { listNodes: () => nodes('ssu1', ...(++looks > 3 ? ['ssu2'] : [])) });
    expect([late.code, looks]).toEqual([0, 4]);
    const never = await bootstrap('-f facts --wait 10s', { listNodes: () => nodes('ssu2') });
    expect(never).toMatchObject({ out: 'Cluster started successfully.\n', code: 1 });
    expect(never.err).toContain('Left undone: hosts that have not called in: ssu1.storage.acme.org\n');
    const down = () => ({ items: [...nodes('ssu1').items, aNode({ fqdn: Fqdn.parse('ssu2.storage.acme.org'), status: 'down' })] });
    expect((await bootstrap('-f facts --wait 0s', { listNodes: down })).err).toContain('ssu2.storage.acme.org');
  });

  it('says what it would do, as commands, and does nothing', async () => {
    const { out, code, routes } = await bootstrap('-f stations -n', { listNodes: () => nodes('ssu1') });
    expect(code).toBe(0);
    expect(routes).toEqual(['listHalonRoles', 'listNodes']);
    await expect(out).toMatchFileSnapshot('golden/mero-bootstrap-dry-run.out');
  });

  it('calls nothing for facts with a defect', async () => {
    expect(await bootstrap('-f bad')).toMatchObject({ code: 1, routes: [], out: '' });
  });

  it('does not wait when it is told so, and fails when the start takes too long or is refused', async () => {
    expect(await bootstrap('-f facts --async')).toMatchObject({ out: 'an operator: the cluster is to be ONLINE\n', code: 0 });
    const late = await bootstrap('-f facts --timeout 3s', { meroStatus: () => underWay('ONLINE', 1, 2) });
    expect(late).toMatchObject({ out: expect.stringContaining('Cluster failed to start on time.'), code: 1 });
    const refuse = () => {
      throw new Refusal('refused', 'Initial data not loaded.');
    };
    expect((await bootstrap('-f facts', { startMero: refuse })).code).toBe(1);
  });

  it('says all of it to programs as one value', async () => {
    const { out } = await bootstrap('-f stations --json');
    expect(JSON.parse(out)).toEqual({
      ...{ zone: 'storage', load: 'l1', wasThere: true, started: true, because: 'ONLINE, level 3 of 3: everything runs' },
      undone: ['stations are named by a later version: ssu1.storage.acme.org'],
    });
  });

  it('needs a deployment that it reaches', async () => {
    const gone = await FakeDeployment.start({});
    await gone.stop();
    expect((await against({}, 'mero bootstrap --zone storage -f facts', { ...terminal, env: { MUSTER_ENDPOINT: gone.url } })).code).toBe(
      69,
    );
  });
});
