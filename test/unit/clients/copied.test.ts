import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SystemView } from '../../../lib/clients/admin-routes.ts';
import type { Client } from '../../../lib/clients/client.ts';
import { decide } from '../../../lib/clients/decide.ts';
import { aloneForMs, type Boots, bootNews, type Copied } from '../../../lib/clients/rows/boots.ts';
import { dayMs, type EpochMs, hourMs, minuteMs, plusMs, secondMs } from '../../../lib/core/time.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { nameOf } from '../../../lib/ports/table/table.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';

/* Two machines run with one identity.json: their daemons have one key, and each has boots of its own. */

let world: World;
let web: Daemon;
let node: Agent;
beforeEach(async () => {
  world = await stepped();
  node = new Agent(world, 'node1.acme.org');
  await node.start();
  await world.step(10 * secondMs);
  web = new Daemon(world, 'web1.acme.org');
});

const [one, other] = ['boot-of-one', 'boot-of-another'];
const clientOf = ({ fp }: Daemon) => world.table.rows.get(nameOf(keyOf({ noun: 'client', id: fp })))!;
const bodyOf = (daemon: Daemon) => clientOf(daemon).body as Client;
const api = async <T>(method: string, path: string, body?: object) => (await world.call(method, `/api/v1/${path}`, body)).body as T;
const view = ({ fp }: Daemon) => api<SystemView>('GET', `systems/${fp}`);
const order = (what: string, { fp }: Daemon, more: object = {}) =>
  api<{ results: { done: boolean; because: string }[] }>('POST', `systems/${what}`, { systems: [fp], ...more });

/** It is on its node, with this boot. */
async function onboarded(daemon = web, names: { readonly boot?: string } = { boot: one }): Promise<void> {
  await daemon.knock(names);
  await order('accept', daemon);
  await daemon.knock(names);
  await daemon.knock({ ...names, confirmed: (await daemon.orphan()).body });
}

const without = (client: Client, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(client).filter(([name]) => !names.includes(name)));

async function speaks(boot: string, spanMs = minuteMs): Promise<void> {
  await world.step(spanMs);
  await web.knock({ boot });
}

/** The two speak in turns, so often. */
async function taken(turns: number, spanMs = minuteMs): Promise<void> {
  for (let n = 0; n < turns; n++) await speaks(n % 2 === 0 ? other : one, spanMs);
}

describe('two machines with one key', () => {
  it('are found out when the first has spoken twice after the second, and no sooner', async () => {
    await onboarded();
    await taken(3);
    expect(bodyOf(web).copied).toBeUndefined();

    await speaks(one);

    expect(bodyOf(web)).toMatchObject({ standing: 'accepted', copied: { since: world.now(), boots: [other, one] } });
    expect(clientOf(web).because).toBe(`boots ${other} and ${one} take turns: two machines run with its key`);
    const data = { system: web.fp, fqdn: 'web1.acme.org', zone: 'default', boots: [other, one] };
    expect(clientOf(web).events).toMatchObject([{ type: 'client.copied', version: 1, data }]);
  });

  it('stay on the node that they have, and work', async () => {
    await onboarded();
    const before = bodyOf(web);
    await taken(4);

    expect(bodyOf(web)).toMatchObject({ told: before.standing === 'accepted' && before.told, pin: { index: 0, hard: false } });
    expect(await web.knock({ boot: other })).toMatchObject({ status: 200, body: '1' });
    expect(await web.status()).toMatchObject({ body: '1' });
  });

  it('are given no other node once theirs is gone, and the same one when it is back', async () => {
    await onboarded();
    await taken(4);
    await web.knock({ boot: one });
    await new Agent(world, 'node2.acme.org').start();
    await world.step(minuteMs);
    node.fallSilent();
    await world.step(30 * minuteMs);

    await web.knock({ boot: one, lost: true });
    expect((await web.orphan()).status).toBe(204);

    await node.start();
    node.beats();
    await world.step(10 * minuteMs);
    await web.knock({ boot: one, lost: true });
    expect(await web.orphan()).toMatchObject({ status: 200, body: 'node1.acme.org' });
  });

  it('are shown, explained and found', async () => {
    await onboarded();
    await taken(4);

    const because = `boots ${other} and ${one} take turns: two machines run with its key`;
    const at = new Date(world.now()).toISOString();
    expect((await view(web)).copied).toEqual({ since: at, lastAt: at, because });
    const { also } = await api<{ also: { subject: string; because: string }[] }>('GET', `explain/system/${web.fp}`);
    expect(also.find(({ subject }) => subject === 'its key')?.because).toContain(because);
    expect(await api('GET', 'systems/find?q=copied%3Ayes')).toMatchObject({ total: 1, items: [{ fp: web.fp }] });
  });

  it('lose the tokens that they have, so that both knock', async () => {
    await onboarded();
    await taken(3);
    const { token } = web;
    await speaks(one);
    await world.step(10 * secondMs);

    expect((await web.status({ token: token! })).headers['muster-knock']).toBe('1');
  });

  it('of which one only asks for its status are told to knock, once that is read from the row', async () => {
    await onboarded();
    await world.step(minuteMs);
    await web.knock({ boot: other });
    await world.step(2 * hourMs);

    const asked = await world.call('GET', `/system/status?fp=${web.fp}`, undefined, { 'muster-token': web.token!, 'muster-boot': one });
    expect(asked).toMatchObject({ body: '1', headers: { 'muster-knock': '1' } });
    expect(bodyOf(web).boots?.again).toBeUndefined();
    const own = await world.call('GET', `/system/status?fp=${web.fp}`, undefined, { 'muster-token': web.token!, 'muster-boot': other });
    expect(own.headers['muster-knock']).toBeUndefined();
  });

  it('that wait to be accepted are held: no token and no bulk accepts them, and a word does', async () => {
    await web.knock({ boot: one });
    await taken(4);
    const { secret } = await api<{ secret: string }>('POST', 'onboarding-tokens', { uses: 5 });

    expect((await web.knock({ boot: one, token: secret })).body).toBe('0');
    expect((await order('accept', web)).results).toMatchObject([{ done: false, because: expect.stringContaining('take turns') }]);
    expect((await order('accept', web, { duplicates: true })).results).toMatchObject([{ done: true }]);
    await web.knock({ boot: one });
    expect((await web.orphan()).status).toBe(204);
  });
});

describe('a machine that is none of two', () => {
  it('may restart as often as it likes', async () => {
    await onboarded();
    for (let n = 0; n < 20; n++) {
      await world.step(minuteMs);
      await web.knock({ boot: `its-boot-${n}` });
      await web.knock({ boot: `its-boot-${n}` });
    }
    expect(bodyOf(web).copied).toBeUndefined();
    expect(bodyOf(web).boots?.last).toHaveLength(4);
  });

  it('may be overtaken by the boot that follows it, once', async () => {
    await onboarded();
    await world.step(minuteMs);
    await web.knock({ boot: other });
    await world.step(4 * secondMs);
    await web.knock({ boot: one });
    await world.step(minuteMs);
    await web.knock({ boot: other });
    expect([bodyOf(web).copied, bodyOf(web).boots?.again]).toEqual([undefined, undefined]);
  });

  it('may be overtaken for longer, by one call that stalled: the boot that runs stays the present one', async () => {
    await onboarded();
    await speaks(other);
    await speaks(one, 11 * secondMs);
    expect(bodyOf(web).boots).toMatchObject({ last: [{ id: other }, { id: one }], again: true });
    for (let n = 0; n < 5; n++) await speaks(other);
    expect(bodyOf(web).copied).toBeUndefined();
  });

  it('whose knock was refused, recorded, and made again after a restart, is none: that boot is no news', async () => {
    await onboarded();
    await world.step(minuteMs);
    const neverHeard = [web.knocking({ boot: 'boot-never-heard' }), web.knocking({ boot: 'boot-never-heard', confirmed: 'x' })];
    await world.step(minuteMs);
    await web.knock({ boot: other });
    const before = bodyOf(web).boots;
    for (const [body, headers] of neverHeard) {
      await world.step(minuteMs);
      expect((await world.call('POST', '/system/knock', body, headers)).status).toBe(200);
      await web.knock({ boot: other });
    }
    expect(bodyOf(web)).toMatchObject({ boots: before });
    expect(bodyOf(web).copied).toBeUndefined();
  });

  it('whose earlier boot was heard is none either, when two of its knocks are recorded and made again', async () => {
    await onboarded();
    await world.step(minuteMs);
    const recorded = [web.knocking({ boot: one }), web.knocking({ boot: one, confirmed: 'x' })];
    await speaks(other);
    const before = bodyOf(web).boots;
    for (const [body, headers] of recorded) {
      await world.step(minuteMs);
      await world.call('POST', '/system/knock', body, headers);
      await speaks(other);
    }
    expect(bodyOf(web)).toMatchObject({ boots: before });
    expect(bodyOf(web).copied).toBeUndefined();
  });

  it('whose daemon names no boot is none, as before', async () => {
    await onboarded(web, {});
    const { rev } = clientOf(web);
    for (let n = 0; n < 5; n++) await web.knock();
    expect([bodyOf(web).boots, clientOf(web).rev]).toEqual([undefined, rev]);
  });

  it('costs one write at each start, and none at any other knock', async () => {
    await onboarded();
    const { rev } = clientOf(web);
    await world.step(minuteMs);
    await web.knock({ boot: other });
    for (let n = 0; n < 5; n++) await web.knock({ boot: other });
    expect(clientOf(web).rev).toBe(rev + 1);
  });

  it('that was accepted before names were recorded is recorded with its first boot', async () => {
    await onboarded(web, {});
    const key = keyOf({ noun: 'system-name', id: 'web1.acme.org' });
    const row = world.table.rows.get(nameOf(key))!;
    await world.table.commit([{ put: { ...row, body: { keys: [] } }, readRev: row.rev }]);
    await web.knock({ boot: one });
    expect(world.table.rows.get(nameOf(key))?.body).toEqual({ keys: [web.fp] });
  });
});

describe('the hold', () => {
  it('ends by an operator’s order: the next boot is the only one, and its slot says where it is', async () => {
    await onboarded();
    await taken(4);

    const because = 'settled by an operator: the next boot that speaks is the only one';
    expect((await order('settle', web)).results).toEqual([{ fp: web.fp, done: true, because }]);
    expect(bodyOf(web)).not.toHaveProperty('copied');
    expect(bodyOf(web)).not.toHaveProperty('boots');
    expect(bodyOf(web)).not.toHaveProperty('pin');
    expect(clientOf(web).events).toMatchObject([{ type: 'client.settled', data: { by: 'operator' } }]);
    expect((await order('settle', web)).results).toMatchObject([{ done: true, because: 'it is not held for two machines' }]);
    await world.step(minuteMs);
    expect((await web.knock({ boot: one })).body).toBe('1');
    await taken(3);
    expect(bodyOf(web).copied).toBeUndefined();
    await speaks(one);
    expect(bodyOf(web).copied).toBeDefined();
  });

  it('ends by itself once one boot alone has spoken for as long as a token lives', async () => {
    await onboarded();
    await taken(4);
    const client = bodyOf(web);
    const speaksAt = (at: number) => decide(client, { type: 'boot', id: 'x', boot: { id: one, at: at as EpochMs } }, at as EpochMs);
    const until = client.copied!.at + aloneForMs;

    expect(speaksAt(until - 1).does).toBe('nothing');
    expect(speaksAt(until)).toMatchObject({
      does: 'write',
      next: { ...without(client, 'copied', 'pin'), boots: { last: [{ id: one }] } },
      because: 'one boot alone has spoken for a week: it is held no longer',
      events: [{ type: 'client.settled', data: { system: web.fp, fqdn: 'web1.acme.org', zone: 'default', by: 'time' } }],
    });
  });

  it('goes on while both speak, and writes of that once an hour', async () => {
    await onboarded();
    await taken(4);
    const { rev } = clientOf(web);
    await taken(30);
    expect(clientOf(web).rev).toBe(rev);
    await taken(2, hourMs);
    expect(clientOf(web).rev).toBeGreaterThan(rev);
  });

  it('gives back the pin that an operator had given it, and is no pin that he can change', async () => {
    await onboarded();
    await world.call('POST', '/api/v1/systems/pin', { systems: [web.fp], node: 'node1.acme.org' });
    await world.step(minuteMs);
    await taken(4);

    expect(bodyOf(web)).toMatchObject({ pin: { index: 0, hard: false }, copied: { pin: { index: 0, hard: true } } });
    expect((await order('unpin', web)).results).toMatchObject([{ done: false, because: expect.stringContaining('settle that first') }]);
    await order('settle', web);
    expect(bodyOf(web)).toMatchObject({ pin: { index: 0, hard: true } });
  });

  it('is over for a key that is banned', async () => {
    await onboarded();
    await taken(4);
    await order('ban', web);
    expect(bodyOf(web)).not.toHaveProperty('copied');
  });
});

/** Plays boots that speak at moments, in order. */
function played(spoken: readonly { readonly id: string; readonly at: number; readonly signedAgoMs?: number }[]): {
  boots?: Boots;
  copied?: Copied;
  isFound: boolean;
} {
  let known: { boots?: Boots; copied?: Copied } = {};
  for (const { at, ...boot } of spoken) {
    const news = bootNews(known, { ...boot, at: at as EpochMs });
    if (news?.is === 'copied') return { ...known, isFound: true };
    if (news) known = { boots: news.boots };
  }
  return { ...known, isFound: false };
}

describe('boots that speak', () => {
  const start = 1_000_000 as EpochMs;

  it('of up to four machines in any strict order are found out by the end of the second round and one more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 4 }), fc.integer({ min: 6, max: 4000 }), (machines, everyS) => {
        const spoken = Array.from({ length: 2 * machines + 1 }, (_, n) => ({
          id: `boot-${n % machines}`,
          at: start + n * everyS * secondMs,
        }));
        expect(played(spoken).isFound).toBe(true);
      }),
    );
  });

  /** Two machines take turns, one a minute, and the clock of one is behind: gives at which call they are found out. */
  const foundAt = (behindS: number): number => {
    const spoken = (calls: number) =>
      Array.from({ length: calls }, (_, n) => ({
        id: `boot-${n % 2}`,
        at: start + n * minuteMs,
        signedAgoMs: n % 2 === 0 ? 0 : behindS * secondMs,
      }));
    return Array.from({ length: 60 }, (_, n) => n).find((calls) => played(spoken(calls)).isFound) ?? Number.POSITIVE_INFINITY;
  };

  it('of two machines that differ by a clock are found out some minutes later', () => {
    expect([-250, 0, 59, 60, 250].map(foundAt)).toEqual([9, 5, 5, 7, 9]);
  });

  it('and were signed within one second of each other are of the boot that was heard first', () => {
    const one = { id: 'boot-1', at: start + 900, signedAgoMs: 900 };
    expect(played([one, { id: 'boot-2', at: start + 950, signedAgoMs: 950 }]).boots?.last).toEqual([one]);
    expect(played([one, { id: 'boot-2', at: start + 1_950, signedAgoMs: 950 }]).boots?.last).toHaveLength(2);
  });

  it('in a first call that stalled, or before one that did, are still older than what follows', () => {
    const late = { id: 'boot-1', at: start + 200 * secondMs, signedAgoMs: 200 * secondMs };
    const next = { id: 'boot-2', at: start + 300 * secondMs, signedAgoMs: 0 };
    const again = [250, 260, 270].map((atS, n) => ({
      id: 'boot-1',
      at: start + (400 + n * 60) * secondMs,
      signedAgoMs: (400 + n * 60 - atS) * secondMs,
    }));
    expect(played([late, next, ...again])).toMatchObject({ boots: { last: [next, late] }, isFound: false });
    const [early, stalled] = [
      { id: 'boot-1', at: start, signedAgoMs: 0 },
      { id: 'boot-2', at: start + 500 * secondMs, signedAgoMs: 200 * secondMs },
    ];
    const refused = [250, 299].map((atS) => ({ id: 'boot-1', at: start + 600 * secondMs, signedAgoMs: (600 - atS) * secondMs }));
    expect(played([early, stalled, ...refused])).toMatchObject({ boots: { last: [stalled, early] }, isFound: false });
  });

  it('of two machines are found out also if the clock of one is behind by minutes', () => {
    fc.assert(
      fc.property(fc.integer({ min: -200, max: 200 }), fc.integer({ min: 60, max: 4000 }), (behindS, everyS) => {
        const spoken = Array.from({ length: 5 + Math.ceil(400 / everyS) }, (_, n) => ({
          id: `boot-${n % 2}`,
          at: start + n * everyS * secondMs,
          signedAgoMs: n % 2 === 0 ? 0 : behindS * secondMs,
        }));
        expect(played(spoken).isFound).toBe(true);
      }),
    );
  });

  it('of one machine, each of them new, are never two, whatever order its calls of the last seconds come in', () => {
    const step = fc.record({
      lateMs: fc.integer({ min: 0, max: 4_999 }),
      afterMs: fc.integer({ min: 0, max: dayMs }),
      calls: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        let at = start;
        const spoken = steps.flatMap(({ lateMs, afterMs, calls }, n) => {
          at = plusMs(at, 5_000 + afterMs);
          return Array.from({ length: calls }, (_, i) => ({ id: `boot-${n}`, at: plusMs(at, i === calls - 1 ? lateMs : 0) }));
        });
        expect(played(spoken.toSorted((a, b) => a.at - b.at)).isFound).toBe(false);
      }),
    );
  });
});
