import { beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '../../../../lib/api/problem.ts';
import { Fqdn } from '../../../../lib/core/ids.ts';
import { writeText } from '../../../../lib/mero/facts/text/write.ts';
import { fabricatedFacts } from '../../../../tools/support/facts/fabricated.ts';
import { against } from './against.ts';
import { type Answers, FakeDeployment, type Received } from './fake-deployment.ts';
import { sample, underWay } from './mero-status.ts';
import { aNode, secondsAgo } from './views.ts';

const text = writeText(fabricatedFacts({ servers: 2, devicesEach: 3 }));
/** The same without roles that want anything beside processes. */
const plain = text.replaceAll('name: station', 'name: ssu');
const files: Readonly<Record<string, string>> = { facts: plain, stations: text, bad: text.replace('m0d_bsize: 4096', 'm0d_bzise: 4096') };
const role = (name: string, station = false, services: { type: string; configuration: object }[] = []) => ({
  origin: 'muster',
  role: { name, station, services },
});

/** A service of the first host as the API shows it. */
const aService = (given: object) => ({
  type: 'statistics',
  name: 'statistics',
  node: 'n0123456789abcdef',
  host: 'ssu1.storage.acme.org',
  zone: 'storage',
  instance: 'x.1',
  state: 'online',
  since: secondsAgo(1),
  registered: secondsAgo(2),
  configuration: {},
  resources: [],
  asks: [],
  results: [],
  ...given,
});
const aToken = {
  id: '4q1zk0w8r2tn',
  status: 'valid',
  nodes: 'ssu2.storage.acme.org',
  kind: 'storage',
  zone: 'storage',
  uses: 1,
  createdAt: secondsAgo(0),
  expiresAt: secondsAgo(-600),
  admitted: [],
};

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

/**
 * A deployment to which both hosts have called in, and that has the facts and starts at once, unless told otherwise.
 */
const answers = (given: Partial<Answers> = {}): Answers => ({
  listHalonRoles: () => ({ items: [role('ssu'), role('station', true)] }),
  admitHosts: ({ body }) => ({
    results: (body as { hosts: string[] }).hosts.map((host) => ({ host, done: false, because: 'no host of this name waits' })),
  }),
  listNodePool: () => ({ items: [] }),
  listNodes: () => nodes('ssu1', 'ssu2'),
  beginMeroLoad: () => ({ state: 'loaded', load: 'l1', pages: [], servers: [] }),
  startMero: () => ({ done: true, because: 'an operator set the cluster to ONLINE' }),
  meroStatus: () => sample(),
  ...given,
});
const bootstrap = (line: string, given?: Partial<Answers>) => against(answers(given), `mero bootstrap --zone storage ${line}`, terminal);

describe('mero bootstrap', () => {
  it('looks at the facts, waits for their hosts, loads and starts; again it finds all done', async () => {
    const { out, err, code, routes } = await bootstrap('-f facts');
    expect([out, code]).toEqual(['Cluster started successfully.\n', 0]);
    expect(err).toBe('Initial data file parsed successfully.\nInitial data is already loaded.\n');
    expect(routes).toEqual(['listHalonRoles', 'listNodes', 'listNodePool', 'beginMeroLoad', 'startMero', 'meroStatus']);
  });

  const roles = (...services: { type: string; configuration: object }[]) => ({
    listHalonRoles: () => ({ items: [role('station', true, services), role('ssu')] }),
  });
  const stationsView = (because: string) => ({
    zone: 'storage',
    stations: [],
    quorum: { heard: 0, needed: 1, quorate: false },
    epoch: 0,
    done: true,
    because,
  });
  const startedService = ({ params, body }: Received, answer = 'started') => {
    const { type } = params as { type: string };
    const service = {
      type,
      node: 'n0123456789abcdef',
      host: 'ssu1.storage.acme.org',
      instance: 'x.1',
      state: 'starting',
    };
    return { answer, because: `its ${answer}`, service, configuration: (body as { configuration: object }).configuration };
  };

  it('names stations, starts services with their configuration and waits for them, before it loads', async () => {
    let looks = 0;
    const configuration = { everyMs: 1000, deep: { b: 1, a: [2] } };
    const { out, err, code, routes } = await bootstrap('-f stations', {
      ...roles({ type: 'statistics', configuration }),
      putStations: ({ body }) => stationsView(`joined: ${(body as { hosts: string[] }).hosts.join()}`),
      startService: (received) => startedService(received),
      listServices: () => ({ items: [aService({ state: ++looks > 2 ? 'online' : 'starting' })] }),
    });
    expect([out, code]).toEqual(['Cluster started successfully.\n', 0]);
    expect(err).toContain('joined: ssu1.storage.acme.org\nstatistics on ssu1.storage.acme.org: its started\n');
    expect(routes.filter((one, n) => one !== routes[n - 1])).toEqual([
      ...[
        'listHalonRoles',
        'putStations',
        'listNodes',
        'listNodePool',
        'startService',
        'listServices',
        'beginMeroLoad',
        'startMero',
        'meroStatus',
      ],
    ]);
  });

  it('tells what it leaves undone, does all else, and does not say that all is well', async () => {
    const wrong = (problem: ConstructorParameters<typeof Refusal>[0], says: string) => () => {
      throw new Refusal(problem, says);
    };
    const { out, err, code } = await bootstrap('-f stations --wait 3s', {
      ...roles({ type: 'statistics', configuration: {} }, { type: 'Greeter', configuration: {} }),
      putStations: wrong('stations-differ', 'ts9.acme.org is in the set and not in the list'),
      startService: wrong('name-taken', 'greeter has the name'),
      listServices: () => ({ items: [] }),
    });
    expect(out).toBe('Cluster started successfully.\n');
    expect(code).toBe(1);
    expect(err).toContain('Left undone: stations are not named: ts9.acme.org is in the set and not in the list\n');
    expect(err).toContain('Left undone: statistics on ssu1.storage.acme.org: greeter has the name\n');
    expect(err).toContain('Left undone: Greeter on ssu1.storage.acme.org: the zone has no such type of service\n');
    expect(err).toContain('3 steps left undone');
  });

  it('says which services are not online in time, and which run with something else', async () => {
    const both = roles({ type: 'statistics', configuration: { a: 1, b: 2 } }, { type: 'greeter', configuration: { a: 1 } });
    const { err, code } = await bootstrap('-f stations --wait 3s', {
      ...both,
      putStations: () => stationsView('there already'),
      startService: (received) => {
        const { type } = received.params as { type: string };
        const running = startedService(received, 'already running');
        return { ...running, configuration: type === 'greeter' ? { a: 2 } : { b: 2, a: 1 } };
      },
      listServices: () => ({ items: [aService({ state: 'failed' })] }),
    });
    expect(err).toContain('Left undone: greeter on ssu1.storage.acme.org: it runs with another configuration');
    expect(err).toContain('Left undone: statistics on ssu1.storage.acme.org is failed\n');
    expect(err).toContain('2 steps left undone');
    expect(code).toBe(1);
  });

  it('starts the agents of hosts that are not there, where it is told how', async () => {
    const ran: string[] = [];
    const there = new Set(['ssu1']);
    const { code } = await against(
      answers({
        listNodes: () => nodes(...there),
        admitHosts: () => ({ results: [{ host: 'ssu2.storage.acme.org', done: false, because: 'no host of this name waits' }] }),
        createNodeToken: () => ({ secret: 'mjt_1', token: aToken }),
      }),
      'mero bootstrap --zone storage -f facts --ssh=start:{host}',
      {
        ...terminal,
        run: async ([program], { input }) => {
          ran.push(`${program} ${input.trim()}`);
          there.add('ssu2');
          return { ok: true, output: '' };
        },
      },
    );
    expect([code, ran]).toEqual([0, ['start:ssu2.storage.acme.org mjt_1']]);
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
    const { out, code, routes } = await bootstrap('-f stations -n', {
      listNodes: () => nodes('ssu1'),
      listHalonRoles: () => ({ items: [role('ssu'), role('station', true, [{ type: 'statistics', configuration: { say: "it's" } }])] }),
    });
    expect(code).toBe(0);
    expect(routes).toEqual(['listHalonRoles', 'listNodes']);
    await expect(out).toMatchFileSnapshot('golden/mero-bootstrap-dry-run.out');
  });

  it('calls nothing for facts with a defect', async () => {
    expect(await bootstrap('-f bad')).toMatchObject({ code: 1, routes: [], out: '' });
  });

  it('does not wait when it is told so, and fails when the start takes too long or is refused', async () => {
    expect(await bootstrap('-f facts --async')).toMatchObject({ out: 'an operator set the cluster to ONLINE\n', code: 0 });
    const late = await bootstrap('-f facts --timeout 3s', { meroStatus: () => underWay('ONLINE', 1, 2) });
    expect(late).toMatchObject({ out: expect.stringContaining('Cluster failed to start on time.'), code: 1 });
    const refuse = () => {
      throw new Refusal('refused', 'Initial data not loaded.');
    };
    expect((await bootstrap('-f facts', { startMero: refuse })).code).toBe(1);
  });

  it('says all of it to programs as one value', async () => {
    const refuse = () => {
      throw new Refusal('no-quorum', 'no majority is heard');
    };
    const { out } = await bootstrap('-f stations --json', { putStations: refuse });
    expect(JSON.parse(out)).toEqual({
      zone: 'storage',
      load: 'l1',
      wasThere: true,
      started: true,
      because: 'ONLINE, level 3 of 3: everything runs',
      undone: ['stations are not named: no majority is heard'],
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
