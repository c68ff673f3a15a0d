import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fqdn, NodeId, showFingerprint, ZoneName } from '../../../../lib/core/ids.ts';
import type { ZoneView } from '../../../../lib/zones/routes.ts';
import { ran } from './a-terminal.ts';
import { FakeDeployment } from './fake-deployment.ts';
import { aLetter, aNode, aSystem, aZone, fingerprintOf, heldFor, pooled, secondsAgo, twoMachines } from './views.ts';

const down = {
  id: NodeId.parse('nfedcba9876543210'),
  fqdn: Fqdn.parse('node8.emea.acme.org'),
  status: 'down',
  slots: 0,
  systemsAbout: 0,
  heardAt: secondsAgo(9000),
} as const;

const removed = {
  fqdn: Fqdn.parse('node9.acme.org'),
  status: 'dropped',
  because: 'an operator removes it: it stays out until it is admitted again',
  removedAt: secondsAgo(7200),
  dropped: { at: secondsAgo(7195), planned: false, readmission: 'asked' },
  vouched: true,
} as const;
const key = { fingerprint: showFingerprint(fingerprintOf(1)) };

const poison = {
  id: 'client#a=2Fb#client@17',
  queue: 'feed',
  via: 'feed',
  deaths: 2,
  first: { code: 'bus.refused', reason: 'not now', at: secondsAgo(3600) },
  last: { code: 'wrong-shape', reason: `no report is of the type "\u001b[2J${'x'.repeat(100)}"`, at: secondsAgo(60) },
  redriven: { attempt: 1, at: secondsAgo(90), by: 'call-7' },
  bytes: 300_000,
  cut: true,
} as const;

const someCounts = {
  asOf: secondsAgo(1),
  systems: { new: 14, onboarded: 480, orphan: 20, deleted: 4, held: 2, silent: 3 },
  tags: {
    values: [
      { value: 'prod', count: 300 },
      { value: 'db', count: 120 },
    ],
    more: 7,
  },
  groups: { values: [], more: 0 },
  hosts: { waiting: 1, askingBack: 1 },
};

let fake: FakeDeployment;
let deadLetters = 2;
beforeAll(async () => {
  const { load: _load, host: _host, ...unheard } = aNode(down);
  const { leaseUntil: _over, ...unleased } = unheard;
  const out = { ...unleased, ...removed };
  fake = await FakeDeployment.start({
    status: ({ query }) => ({
      ...((query as { counts?: string }).counts && { counts: someCounts }),
      refusedKnocks: 316,
      deployment: 'here',
      version: '0.1.0',
      now: secondsAgo(0),
      intervalMs: 10_000,
      sweptAt: secondsAgo(1),
      deadLetters,
      zones: [{ name: 'default', mode: 'production', version: 17, slots: 1024, nodes: { up: 5, suspect: 1, down: 0 }, systemsAbout: 500 }],
    }),
    listNodes: () => ({ items: [aNode(), unheard, out] }),
    getNode: ({ params }) =>
      (params as { id: string }).id === removed.fqdn
        ? { ...out, key }
        : aNode({
            status: 'leaving',
            leaving: { mode: 'hold', since: secondsAgo(60), until: secondsAgo(-3600) },
            capacity: 15_000,
            key: { ...key, since: secondsAgo(86_400 * 2), next: showFingerprint(fingerprintOf(2)) },
          }),
    listSystems: ({ query }) =>
      (query as { status?: string }).status === 'new'
        ? {
            items: [
              pooled(1, { unsigned: true }),
              pooled(4, { sameMachineId: heldFor(1, 2) }),
              pooled(5, { sameName: { held: true, because: 'held: localhost.localdomain names no machine', keys: [], noName: true } }),
              pooled(6, { copied: twoMachines }),
              pooled(2, { minion: { id: 'min\u001b[31mion', fingerprint: 'ab:cd' } }),
            ],
          }
        : {
            items: [
              aSystem(3),
              pooled(4),
              aSystem(6, { copied: twoMachines }),
              aSystem(5, { status: 'orphan', fqdn: Fqdn.parse('a-much-longer-name.emea.acme.org') }),
            ],
          },
    getSystem: () =>
      aSystem(3, {
        sameMachineId: { ...heldFor(1, 2), held: false },
        sameName: { ...heldFor(2), held: false, because: 'another key also reports its name' },
        copied: twoMachines,
        minion: { id: 'web3', fingerprint: '1f:2e', ofText: '3d:4c' },
        groups: ['dmz', 'prod'],
        clusterId: 1_500_000_017,
        facts: { os: 'sles-15', evil: 'a\u009b2Jb' },
      }),
    listZones: () => ({ items: [aZone()] }),
    getZone: () => aZone(),
    explain: () => ({
      subject: 'node node7.acme.org',
      state: 'suspect',
      because: 'its lease ran out',
      since: secondsAgo(50),
      by: 'tick-1',
      looksAgainAt: secondsAgo(-4),
      also: [{ subject: 'zone default', because: 'nobody is given up while we slept', at: secondsAgo(3) }],
    }),
    history: () => ({
      items: [
        {
          seq: 9,
          type: 'node.joined',
          version: 1,
          at: secondsAgo(100),
          because: 'a new boot is acknowledged',
          by: 'r1',
          data: { node: 'n1' },
        },
        { seq: 10, type: 'node.activated', version: 1, at: secondsAgo(99), because: 'it is ready', by: 'r2', data: {} },
      ],
      more: false,
    }),
    listRefusedKnocks: () => ({
      items: [
        { reason: 'onboarding-rate', source: '198.51.100.7', count: 312, firstAt: secondsAgo(900), lastAt: secondsAgo(3) },
        {
          reason: 'token-refused',
          because: 'it is expired',
          source: '2001:db8:0:7::/64',
          token: '4q7xk2m9w0ab',
          zone: 'emea',
          count: 4,
          firstAt: secondsAgo(60),
          lastAt: secondsAgo(50),
        },
      ],
    }),
    getSettings: () => ({ beatMinMs: 10_000, intervalMs: 12_500, admittedNodes: 625 }),
    listDeadLetters: () => ({ items: [aLetter(), aLetter(poison)] }),
    getDeadLetter: ({ params }) => ({
      ...aLetter((params as { id: string }).id === poison.id ? poison : {}),
      message: (params as { id: string }).id === poison.id ? 'no \u001b[2JSON\n\u202eand more' : '{"type":"node.up","data":{"é":[1]}}',
    }),
    redriveDeadLetters: ({ body }) => ({
      results: (body as { ids: string[] }).ids.map((id) => ({ id, done: true, because: 'given back to the queue reports, attempt 1' })),
    }),
    listTokenKeys: () => ({
      items: [
        { id: 2, use: 'signs', since: secondsAgo(3 * 86_400) },
        { id: 1, use: 'verifies' },
      ],
    }),
    rotateTokenKeys: () => ({
      current: 3,
      retired: 1,
      because: 'key 3 signs; tokens of key 2 are valid until they are renewed, tokens of key 1 are no longer valid',
    }),
    // The third one says the machine id of another.
    accept: ({ body }) => {
      const { systems, duplicates } = body as { systems: string[]; duplicates?: true };
      const results = systems.map((fp) => {
        const duplicate = fp === fingerprintOf(3) && { duplicate: true as const };
        if (!duplicate || duplicates) return { fp, done: true, ...duplicate, because: 'accepted into zone default' };
        return { fp, done: false, ...duplicate, because: 'held: another key reported its machine id first' };
      });
      return { results };
    },
  });
});
afterAll(() => fake.stop());

const shown = (line: string, given: Parameters<typeof ran>[1] = {}) => ran(line, { env: { MUSTER_ENDPOINT: fake.url }, ...given });

describe('what a person sees', () => {
  it.each([
    'status',
    'status --counts',
    'node list',
    'node list --wide',
    'node show node7.acme.org',
    'node show node9.acme.org',
    'system list',
    `system show ${fingerprintOf(3)}`,
    'onboarding list',
    'onboarding list --wide',
    'onboarding refused',
    'zone list',
    'zone show',
    'explain node node7.acme.org',
    'history node node7.acme.org',
    'settings show',
    `system accept ${fingerprintOf(1)}`,
    'dlq list',
    'dlq list --wide',
    'dlq show m1',
    'dlq show client#a=2Fb#client@17',
    'dlq redrive m1 m2',
    'keys list',
    'keys rotate --yes',
  ])('%s › looks as recorded', async (line) => {
    const { out, code } = await shown(line);
    expect(code).toBe(0);
    const name = line
      .replace(/ [0-9a-f]{64}/, '')
      .replace(/ node7.acme.org/, '')
      .replace(' client#a=2Fb#client@17', ' cut')
      .replaceAll(' ', '-');
    await expect(out).toMatchFileSnapshot(`golden/${name}.out`);
  });

  it('of a key that says the machine id of another › is accepted when it is named alone, and left out with others', async () => {
    const [one, other] = [fingerprintOf(1), fingerprintOf(3)];
    const alone = await shown(`system accept ${other}`);
    expect([alone.code, alone.err]).toEqual([
      0,
      `1 accepted\n${other.slice(0, 16)} was held for the machine id or the name of another key, see: system show ${other.slice(0, 16)}. If the machine was reinstalled, ban its old key; system replace would have put this one in its place\n`,
    ]);
    const among = await shown(`system accept ${one} ${other}`);
    expect([among.code, among.err]).toEqual([1, expect.stringContaining('1 of 2 not accepted. See which keys are held')]);
    expect((await shown(`system accept ${one} ${other} --duplicates`)).code).toBe(0);
  });

  it.each(['', 'node', 'node leave', 'system accept', 'settings set', 'dlq', 'dlq redrive', 'keys rotate'])(
    'help of `%s` › looks as recorded',
    async (command) => {
      const { out, err, code } = await ran(`${command} --help`);
      expect({ err, code }).toEqual({ err: '', code: 0 });
      await expect(out).toMatchFileSnapshot(`golden/help-${command.replaceAll(' ', '-') || 'muster'}.out`);
    },
  );

  it('says how full a zone is by what its nodes declare, and what waits for room', async () => {
    const { map, ...zone } = aZone();
    const nodes = map.nodes.map((node, n) => ({ ...node, capacity: [520, 800][n]! }));
    const crowded = { since: secondsAgo(90), slots: 82, systemsAbout: 40 };
    const full = { ...zone, map: { ...map, nodes }, capacity: { declared: 520, clientsMax: 504, filled: 504 }, crowded };
    const deployment = await FakeDeployment.start({ getZone: () => full });
    const { out, code } = await ran('zone show', { env: { MUSTER_ENDPOINT: deployment.url } });
    await deployment.stop();
    expect(code).toBe(0);
    await expect(out).toMatchFileSnapshot('golden/zone-show-full.out');
  });

  it('has a dead letter once, as it is, when it was given back while the list was read', async () => {
    const given = { status: 'redriven', redriven: { attempt: 1, at: secondsAgo(1), by: 'call-7' } } as const;
    const moving = await FakeDeployment.start({
      listDeadLetters: ({ query }) =>
        (query as { cursor?: string }).cursor ? { items: [aLetter(given)] } : { items: [aLetter()], next: 'x' },
    });
    const { out } = await ran('dlq list --json', { env: { MUSTER_ENDPOINT: moving.url } });
    await moving.stop();
    expect(JSON.parse(out)).toEqual([aLetter(given)]);
  });

  it('has the number of knocks that were refused below those that wait', async () => {
    expect((await shown('onboarding list')).err).toContain('316 knocks refused within the last hour, see muster onboarding refused\n');
  });

  it('says when there are more dead letters than were counted', async () => {
    deadLetters = 1_000;
    const { out } = await shown('status');
    deadLetters = 2;
    expect(out).toContain(' · 1000 or more dead letters, see muster dlq list\n');
  });

  it('shows twenty zones at a glance, those where something is wrong and the busiest, and all when asked', async () => {
    const zones = Array.from({ length: 2_000 }, (_, n) => ({
      name: `z${n}`,
      mode: 'production',
      version: 1,
      slots: 1024,
      nodes: { up: 1 },
      systemsAbout: n,
      ...(n === 7 && { frozen: 'moves' }),
    }));
    const many = await FakeDeployment.start({
      status: () => ({ deployment: 'here', version: '0.1.0', now: secondsAgo(0), intervalMs: 10_000, sweptAt: secondsAgo(1), zones }),
    });
    const [glance, all, json] = await Promise.all(
      ['', ' --all', ' --json'].map(async (how) => (await ran(`status${how}`, { env: { MUSTER_ENDPOINT: many.url } })).out),
    );
    await many.stop();
    const named = (out: string) => [...out.matchAll(/^z\d+/gm)].map(([name]) => name);
    expect(named(glance!)).toEqual(['z7', ...zones.slice(-19).map(({ name }) => name)]);
    expect(glance).toMatch(/\nand 1980 more zones, see muster status --all\n$/);
    expect([named(all!), all!.includes(' more zone')]).toEqual([zones.map(({ name }) => name), false]);
    expect(JSON.parse(json!).zones).toHaveLength(2_000);
  });

  it('has colours only where the terminal has them, and the same words', async () => {
    const plain = await shown('node list');
    const coloured = await shown('node list', { colours: { out: true, err: true } });
    expect(plain.out).not.toContain('\u001b');
    expect(coloured.out).toContain('\u001b[32mup     \u001b[39m');
    expect(stripVTControlCharacters(coloured.out).replaceAll(/ +$/gm, '')).toBe(plain.out);
  });

  it('names the program it was called as', async () => {
    const { err } = await ran('nod', { name: 'hctl' });
    const { out } = await ran('node leave --help', { name: 'hctl' });
    expect({ err: err.split('\n')[0], usage: out.split('\n')[0], example: /hctl node leave node7/.test(out) }).toEqual({
      err: "hctl: unknown command 'nod'",
      usage: 'Usage: hctl node leave [options] <node>',
      example: true,
    });
  });

  it('names other zones that have nodes, where the list is of the zone default alone', async () => {
    const named = (name: string, more: Partial<ZoneView> = {}) => aZone({ name: ZoneName.parse(name), ...more });
    const zones = [aZone(), named('lab'), named('empty', { map: { ...aZone().map, nodes: [] } })];
    const many = await FakeDeployment.start({ listNodes: () => ({ items: [] }), listZones: () => ({ items: zones }) });
    const { err } = await ran(`node list --endpoint ${many.url}`);
    const given = await ran(`node list --zone default --endpoint ${many.url}`);
    const forPrograms = await ran(`node list --json --endpoint ${many.url}`);
    await many.stop();
    expect(err).toBe(
      `no nodes\nonly nodes of the zone default are listed; --zone lists those of other zones: lab (${aZone().map.nodes.length})\n`,
    );
    expect([given.err, forPrograms.err]).toEqual(['no nodes\n', 'no nodes\n']);
  });

  it('says on standard error when a list is empty, and prints no data', async () => {
    const empty = await FakeDeployment.start({ listNodes: () => ({ items: [] }), listZones: () => ({ items: [] }) });
    const text = await ran(`node list --endpoint ${empty.url}`);
    const json = await ran(`node list --json --endpoint ${empty.url}`);
    await empty.stop();
    expect([text, json]).toEqual([
      { out: '', err: 'no nodes\n', code: 0 },
      { out: '[]\n', err: 'no nodes\n', code: 0 },
    ]);
  });
});

describe('--json', () => {
  it("is the API's own answer", async () => {
    const { out } = await shown('node list --json');
    expect(JSON.parse(out)[0]).toEqual(aNode());
  });

  it('carries no character that a terminal would obey', async () => {
    const { out } = await shown(`system show ${fingerprintOf(3)} --json`);
    expect(out).not.toMatch(/[^\P{Cc}\n]/u);
    expect(JSON.parse(out).facts.evil).toBe('a\u009b2Jb');
  });
});
