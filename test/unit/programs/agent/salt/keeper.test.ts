import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiClient, Unreachable } from '../../../../../lib/api/client.ts';
import type { Fingerprint, NodeId } from '../../../../../lib/core/ids.ts';
import { type EpochMs, hourMs, minuteMs } from '../../../../../lib/core/time.ts';
import { folderAt } from '../../../../../lib/machine/folder.ts';
import type { World } from '../../../../../lib/machine/reactor.ts';
import { nodeRoutes } from '../../../../../lib/node-contract.ts';
import type { MetadataNews } from '../../../../../lib/nodes/desired/desired.ts';
import { Activity } from '../../../../../programs/agent/salt/activity.ts';
import type { Hooked } from '../../../../../programs/agent/salt/applies.ts';
import { Keeper, type SaltAgentView } from '../../../../../programs/agent/salt/keeper.ts';
import { KeyFolders, type SaltKeys, saltKey } from '../../../../../programs/agent/salt/keys.ts';
import { aSaltMaster, type SaltMaster } from '../../../../support/a-salt-master.ts';

type Verdict = { verdict: 'accept' | 'not-yours' | 'unknown' | 'banned'; node?: string; fp?: Fingerprint };

/** The name on the list of the client system whose minion is called so. */
const nameOf = (id: string): Fingerprint => Buffer.from(id).toString('hex').padEnd(64, '0') as Fingerprint;

let master: SaltMaster;
let verdicts: Map<string, Verdict | Error>;
let asked: string[];
let list: string[] | undefined;
let now: number;
let minute: number;
let said: string[];
let handed: object[];
let hook: () => Hooked;
beforeEach(() => {
  master = aSaltMaster();
  verdicts = new Map();
  [asked, said, handed, list] = [[], [], [], []];
  [now, minute] = [Date.now(), 120];
  hook = () => ({ ok: true });
  [news, revision, desired, indexed, mapVersion] = [undefined, 1, 0, undefined, 1];
  [revoked, manyAnswered, calls, saltKeyTakesMs] = [undefined, undefined, [], 0];
});
afterEach(() => master.remove());

/** What Muster says of the metadata of everybody. */
let news: MetadataNews | undefined;
let revision = 1;
let desired = 0;
/** Of which version of the zone's map the list is. */
let mapVersion = 1;
/** What the index has of it, where that is behind. */
let indexed: number | undefined;
/** Whose place was revoked, as Muster tells it when it is asked; heartbeats are told the version. */
let revoked: { version: number; at: number; systems: string[]; everybody: boolean } | undefined;
/** How an older Muster answers a question about many keys, here or behind a gateway; undefined: it takes it. */
let manyAnswered: (() => object) | undefined;
/** How many keys each such call asked about. */
let calls: number[];
type Asked = { params: { fp: string }; body?: { fingerprints: string[] } };
const verdictOn = (fp: string): Verdict => {
  asked.push(fp);
  const verdict = verdicts.get(fp) ?? { verdict: 'unknown' };
  if (verdict instanceof Error) throw verdict;
  return verdict;
};
const api = (async (route: unknown, { params: { fp }, body: many }: Asked) => {
  const answered = (body: object) => ({ ok: true, status: 200, headers: new Headers(), body });
  if (route === nodeRoutes.desired) return answered({ release: [], ...(news && { metadata: news }) });
  if (route === nodeRoutes.systems)
    return answered({ version: 1, whole: false, systems: [], gone: [], revisions: list?.map(() => indexed ?? revision) });
  if (route === nodeRoutes.revoked) return answered(revoked!);
  if (route === nodeRoutes.systemMetadata) return answered({ revision, kinds: { notes: { revision, document: { rack: revision } } } });
  if (route !== nodeRoutes.askAboutKeys) return answered(verdictOn(fp));
  calls.push(many!.fingerprints.length);
  return manyAnswered ? manyAnswered() : answered({ answers: many!.fingerprints.map(verdictOn) });
}) as unknown as ApiClient;
const around: SaltAgentView = {
  api,
  node: () => 'n0123456789abcdef' as NodeId,
  list: () => list && { version: 1, mapVersion, systems: list },
  desired: () => desired,
  revoked: () => revoked?.version,
};
const world: World = { now: () => now as EpochMs, after: () => () => {}, random: () => 0.5 };

/** How long salt-key takes to accept keys, by the keeper's clock. */
let saltKeyTakesMs = 0;
const slow = (keys: SaltKeys): SaltKeys => ({
  ...keys,
  accept: (ids) => {
    now += saltKeyTakesMs;
    return keys.accept(ids);
  },
});

const aKeeper = ({ manages = true, applies = true, batch = 2 } = {}): Keeper =>
  new Keeper({
    folder: folderAt(master.home),
    keys: new KeyFolders(master.root),
    activity: new Activity(master.root),
    saltKeys: manages ? slow(saltKey(master.saltKey)) : undefined,
    removal: { window: { from: 60, to: 300 }, batch },
    metadataHook: applies
      ? async (one) => {
          handed.push(one);
          return hook();
        }
      : undefined,
    minute: () => minute,
    say: (line) => void said.push(line),
    world,
  });

/** A pass of a keeper, after so much time. */
const pass = async (keeper: Keeper, afterMs = 0): Promise<Keeper> => {
  now += afterMs;
  await keeper.pass(around);
  await keeper.idle();
  return keeper;
};
/** A key that comes, whose client system Muster says this of. */
const comes = (id: string, verdict: Verdict['verdict'], folder?: Parameters<SaltMaster['key']>[1], node?: string): Fingerprint => {
  const fp = master.key(id, folder);
  verdicts.set(fp, { verdict, ...(verdict !== 'unknown' && verdict !== 'banned' && { fp: nameOf(id) }), ...(node && { node }) });
  return fp;
};

describe('a key that is pending', () => {
  it('is accepted when Muster says that it belongs here, by what its fingerprint is', async () => {
    const fp = comes('web1', 'accept');

    await pass(aKeeper());

    expect(asked).toEqual([fp]);
    expect(master.keys()).toMatchObject({ minions: ['web1'], minions_pre: [] });
    expect(master.calls()).toEqual(['--yes --include-rejected --accept=web1']);
    expect(said[0]).toBe(`accept the key of web1 (${fp.slice(0, 16)})`);
  });

  it('is rejected when it is banned, or belongs elsewhere; and it is said whose it is', async () => {
    comes('bad', 'banned');
    comes('web1', 'not-yours', 'minions_pre', 'node2.acme.test');
    comes('web2', 'not-yours');

    await pass(aKeeper());

    expect(master.keys()).toMatchObject({ minions: [], minions_pre: [], minions_rejected: ['bad', 'web1', 'web2'] });
    expect(said.map((line) => line.slice(line.indexOf(': ') + 2))).toEqual([
      'it is banned',
      'it belongs to node2.acme.test',
      'it belongs elsewhere',
    ]);
  });

  // Its daemon names it to Muster when the minion has stayed up for some seconds: the first answer comes too early.
  it('is accepted in the next pass when Muster hears of it just after it came', async () => {
    const fp = comes('web1', 'unknown');
    const keeper = await pass(aKeeper());
    verdicts.set(fp, { verdict: 'accept', fp: nameOf('web1') });
    await pass(keeper, 10_000);
    expect(master.keys()).toMatchObject({ minions: ['web1'] });
  });

  it('waits while Muster does not know it, and is asked about every minute once it is no longer new', async () => {
    const fp = comes('web1', 'unknown');
    const keeper = await pass(aKeeper(), 2 * minuteMs);
    await pass(keeper, 10_000);
    expect([asked.length, master.calls()]).toEqual([1, []]);

    verdicts.set(fp, { verdict: 'accept', fp: nameOf('web1') });
    await pass(keeper, 50_000);
    expect(master.keys()).toMatchObject({ minions: ['web1'] });
  });

  it('was rejected and belongs here now: it is accepted', async () => {
    const fp = comes('web1', 'not-yours');
    const keeper = await pass(aKeeper());

    verdicts.set(fp, { verdict: 'accept', fp: nameOf('web1') });
    list = [nameOf('web1')];
    await pass(keeper, minuteMs);

    expect(master.keys()).toMatchObject({ minions: ['web1'], minions_rejected: [] });
  });

  it('is accepted together with the others that wait, a hundred at a time, while what Muster said is fresh', async () => {
    for (let n = 0; n < 230; n++) comes(`web${n}`, 'accept');
    const keeper = aKeeper();
    saltKeyTakesMs = 40_000;
    await pass(keeper);
    // The third hundred would be accepted by verdicts of a minute ago.
    expect([master.calls().length, master.keys()['minions']?.length]).toEqual([2, 200]);

    await pass(keeper, 10_000);
    expect([master.calls().length, master.keys()['minions']?.length]).toEqual([3, 230]);
    expect(asked.length).toBe(230 + 30);
  });

  it('is removed again when another one was accepted under its name', async () => {
    comes('web1', 'accept');
    master.goesWrong('swaps');

    await pass(aKeeper());

    expect(master.keys()).toMatchObject({ minions: [], minions_pre: [] });
    expect(said[1]).toBe('web1: salt-key accepted another key than Muster allowed, and the agent removes it');
  });

  it('is left alone when Muster cannot be reached, which is said once', async () => {
    verdicts.set(master.key('web1'), new Unreachable('nobody answers'));
    const keeper = await pass(await pass(aKeeper()), 10_000);

    expect([said, master.calls()]).toEqual([['nobody answers; trying again'], []]);
    comes('web1', 'accept');
    await pass(keeper, 10_000);
    expect(said.at(-1)).toBe('the agent manages the keys of the Salt master again');
    expect(master.keys()).toMatchObject({ minions: ['web1'] });
  });

  it('stays where it is when salt-key fails, and is tried again', async () => {
    comes('web1', 'accept');
    master.goesWrong('fails');
    const keeper = await pass(aKeeper());
    expect(said.at(-1)).toBe('salt-key failed (exit code 3); trying again');

    master.goesWrong(undefined);
    await pass(keeper, 10_000);
    expect(master.keys()).toMatchObject({ minions: ['web1'] });
  });

  it('is only looked at when the agent does not manage keys', async () => {
    comes('web1', 'accept');
    await pass(aKeeper({ manages: false }));
    expect([asked.length, master.calls()]).toEqual([1, []]);
  });

  it.each(['*', 'web[12]', 'a,b', '-all', '.hidden'])(
    'called %s is nobody’s: salt-key would take the name for a pattern or an option',
    async (id) => {
      comes(id, 'accept');
      await pass(aKeeper());
      expect([asked, master.calls()]).toEqual([[], []]);
    },
  );
});

describe('a key under the name of an accepted one', () => {
  it('is denied by Salt and said, once', async () => {
    comes('web1', 'accept', 'minions');
    const other = master.key('web1', 'minions_denied', 'somebody else');
    const keeper = await pass(await pass(aKeeper()), minuteMs);

    expect(said.filter((line) => line.includes('denies'))).toEqual([
      `web1: Salt denies a second key under this name (${other.slice(0, 16)})`,
    ]);
    expect(keeper.seen()).toEqual(new Set([nameOf('web1')]));
  });
});

describe('a key that was accepted', () => {
  /** Three client systems that have moved to another node. */
  const threeMoved = async (): Promise<Keeper> => {
    list = ['web1', 'web2', 'web3'].map(nameOf);
    for (const id of ['web1', 'web2', 'web3']) comes(id, 'accept', 'minions');
    const keeper = await pass(aKeeper());
    for (const id of ['web1', 'web2', 'web3']) comes(id, 'not-yours', 'minions', 'node2.acme.test');
    list = [];
    return pass(keeper, minuteMs);
  };
  const here = () => master.keys()['minions'];

  it('is removed in batches once its client system has been gone for an hour, a quarter of an hour apart', async () => {
    const keeper = await threeMoved();
    expect(here()).toEqual(['web1', 'web2', 'web3']);

    await pass(keeper, hourMs);
    expect(here()).toEqual(['web3']);
    expect(master.calls()).toEqual(['--yes --delete=web1,web2']);
    await pass(keeper, 10_000);
    expect(here()).toEqual(['web3']);
    await pass(keeper, 15 * minuteMs);
    expect(here()).toEqual([]);
  });

  it('waits for the hours in which nobody minds', async () => {
    const keeper = await threeMoved();
    minute = 12 * 60;
    await pass(keeper, 5 * hourMs);
    expect(here()).toEqual(['web1', 'web2', 'web3']);

    minute = 60;
    await pass(keeper, minuteMs);
    expect(here()).toEqual(['web1', 'web2', 'web3']);
    await pass(keeper, 15 * minuteMs);
    expect(here()).toEqual(['web3']);
  });

  it('stays when its client system has come back meanwhile', async () => {
    const keeper = await threeMoved();
    for (const id of ['web1', 'web2', 'web3']) comes(id, 'accept', 'minions');

    await pass(keeper, hourMs);
    expect(here()).toEqual(['web1', 'web2', 'web3']);
  });

  it('is counted from when it went, also by a keeper that was started since', async () => {
    await threeMoved();
    await pass(aKeeper(), hourMs);
    expect(here()).toEqual(['web3']);
    await pass(aKeeper(), minuteMs);
    expect(here()).toEqual(['web3']);
  });

  it('is rejected at once when it is banned', async () => {
    list = [nameOf('web1')];
    const fp = comes('web1', 'accept', 'minions');
    const keeper = await pass(aKeeper());
    minute = 12 * 60;

    verdicts.set(fp, { verdict: 'banned' });
    list = [];
    await pass(keeper, 15 * minuteMs);
    expect(master.keys()).toMatchObject({ minions: [], minions_rejected: ['web1'] });
  });

  it.each([
    ['named among those revoked', { systems: [nameOf('web2').slice(0, 8)], everybody: false }],
    ['one of so many that they are not told apart', { systems: [], everybody: true }],
  ])('of a client system that has moved and is banned now is rejected at once, %s', async (_how, told) => {
    const keeper = await threeMoved();
    comes('web2', 'banned', 'minions');

    await pass(keeper, minuteMs);
    expect(here()).toEqual(['web1', 'web2', 'web3']);
    const before = asked.length;
    revoked = { version: 5, at: 1_800_000_000, ...told };
    await pass(keeper, 10_000);

    expect(here()).toEqual(['web1', 'web3']);
    expect(said.at(-1)).toContain('reject the key of web2');
    const asks = asked.length - before;
    expect(asks).toBe(told.everybody ? 3 : 1);
    await pass(aKeeper(), 10_000);
    expect(asked.length - before).toBe(asks);
  });

  it('stays when Muster knows nothing of it: it is not one of ours', async () => {
    comes('own', 'unknown', 'minions');
    const keeper = await pass(aKeeper());
    for (let n = 0; n < 5; n++) await pass(keeper, hourMs);
    expect([here(), master.calls()]).toEqual([['own'], []]);
    expect(keeper.seen()).toEqual(new Set());
  });

  it('is asked about in the next pass when systems of this host were adopted, and no other than those that were unknown', async () => {
    const fp = comes('own', 'unknown', 'minions');
    comes('web1', 'accept', 'minions');
    const keeper = await pass(aKeeper());
    verdicts.set(fp, { verdict: 'accept', fp: nameOf('own') });
    list = [nameOf('web1')];
    await pass(keeper, 10_000);
    expect(keeper.here.has(nameOf('own'))).toBe(false);

    const before = asked.length;
    keeper.adopted();
    await pass(keeper, 10_000);
    expect(asked.slice(before)).toEqual([fp]);
    expect(keeper.here.has(nameOf('own'))).toBe(true);
  });
});

describe('who is seen', () => {
  it('is named as the list names it, by the key of its minion, while the master has heard it within a day', async () => {
    list = [nameOf('web1'), nameOf('web2')];
    for (const id of ['web1', 'web2']) comes(id, 'accept', 'minions');
    const keeper = aKeeper({ manages: false });
    expect(keeper.seen()).toBeUndefined();
    expect((await pass(keeper)).seen()).toEqual(new Set(list));

    master.grains('web1', now + 20 * hourMs);
    master.answered('aabbcc', 'web2', now + hourMs);
    await pass(keeper, 26 * hourMs - minuteMs);
    expect(keeper.seen()).toEqual(new Set(list));
    await pass(keeper, 10 * minuteMs);
    expect(keeper.seen()).toEqual(new Set([nameOf('web1')]));
  });

  it('is no client system that has moved, unless it was heard since', async () => {
    list = [nameOf('web1')];
    const fp = comes('web1', 'accept', 'minions');
    const keeper = await pass(aKeeper({ manages: false }));

    verdicts.set(fp, { verdict: 'not-yours', fp: nameOf('web1') });
    list = [];
    await pass(keeper, minuteMs);
    expect(keeper.seen()).toEqual(new Set());
    master.answered('ddeeff', 'web1', now + minuteMs);
    await pass(keeper, 10 * minuteMs);
    expect(keeper.seen()).toEqual(new Set([nameOf('web1')]));

    // That was its last word here: the answer to the job that made it knock.
    await pass(keeper, 30 * minuteMs);
    expect(keeper.seen()).toEqual(new Set());
  });

  it('is asked for once, five hundred in a call and two thousand in a pass', async () => {
    const ids = Array.from({ length: 2_100 }, (_, n) => `web${n}`);
    list = ids.map(nameOf);
    for (const id of ids) comes(id, 'accept', 'minions');
    const keeper = await pass(aKeeper({ manages: false, applies: false }));
    expect([calls, keeper.seen()?.size]).toEqual([[500, 500, 500, 500], 2_000]);
    await pass(keeper, 10_000);
    expect([calls.slice(4), keeper.seen()?.size]).toEqual([[100], 2_100]);
    await pass(await pass(aKeeper({ manages: false, applies: false }), hourMs), hourMs);
    expect(asked.length).toBe(2_100);
  });

  it.each([
    ['does not know the call', () => ({ ok: false, status: 405, problem: { type: 'urn:muster:problem:wrong-method' } })],
    [
      'is behind a gateway that does not',
      () => {
        throw new Unreachable('answered 404, and not as Muster does');
      },
    ],
  ])('is asked for singly, twenty in a pass, by an agent whose Muster is older and %s', async (_how, older) => {
    manyAnswered = older;
    list = Array.from({ length: 30 }, (_, n) => nameOf(`web${n}`));
    for (let n = 0; n < 30; n++) comes(`web${n}`, 'accept', 'minions');
    const keeper = await pass(aKeeper({ manages: false }));
    expect([asked.length, keeper.seen()?.size, said.filter((line) => line.includes('Muster'))]).toEqual([20, 20, []]);
    await pass(keeper, 10_000);
    expect([asked.length, keeper.seen()?.size]).toEqual([30, 30]);

    // Muster was upgraded meanwhile.
    manyAnswered = undefined;
    comes('web30', 'accept');
    await pass(keeper, 10_000);
    expect([calls, asked.length]).toEqual([[30, 10, 1], 31]);
  });

  it('is not asked for singly by an agent that is refused', async () => {
    manyAnswered = () => ({ ok: false, status: 410, problem: { type: 'urn:muster:problem:removed' } });
    comes('web1', 'accept');
    await pass(aKeeper());
    expect([asked, said]).toEqual([[], ['Muster refused a question about keys: removed; trying again']]);
  });
});

describe('the minions by which client systems are reached', () => {
  it('are those of accepted keys; they are not all known while Muster has not answered about each', async () => {
    list = [nameOf('web1')];
    comes('web1', 'accept', 'minions');
    comes('web2', 'accept');
    comes('web3', 'not-yours', 'minions');
    comes('own', 'unknown', 'minions');
    const keeper = aKeeper({ manages: false, applies: false });
    expect(keeper.minions()).toBeUndefined();
    await pass(keeper);
    const ids = new Map([
      [nameOf('web1'), 'web1'],
      [nameOf('web3'), 'web3'],
    ]);
    expect(keeper.minions()).toEqual({ ids, isWhole: true });

    manyAnswered = () => ({ ok: false, status: 410, problem: { type: 'urn:muster:problem:removed' } });
    comes('web4', 'accept', 'minions');
    await pass(keeper, 10_000);
    expect(keeper.minions()).toEqual({ ids, isWhole: false });
  });
});

describe('metadata', () => {
  beforeEach(() => {
    list = [nameOf('web1')];
    comes('web1', 'accept');
  });

  it('is applied once a client system, when its key is accepted, also by a keeper that was started since', async () => {
    const keeper = await pass(aKeeper());
    expect(handed).toEqual([]);
    await pass(keeper, 10_000);
    await pass(keeper, 10_000);
    await pass(aKeeper(), 10_000);
    expect(handed).toEqual([{ fingerprint: nameOf('web1'), minion: 'web1', revision: 1, metadata: { notes: { rack: 1 } } }]);
  });

  it('is applied again when the client system comes back', async () => {
    const keeper = await pass(await pass(aKeeper()), 10_000);
    const fp = master.key('web1', 'minions');
    verdicts.set(fp, { verdict: 'not-yours', fp: nameOf('web1') });
    list = [];
    await pass(keeper, minuteMs);
    verdicts.set(fp, { verdict: 'accept', fp: nameOf('web1') });
    list = [nameOf('web1')];
    await pass(keeper, 15 * minuteMs);
    expect(handed.length).toBe(2);
  });

  it('is tried again when the hook fails, after a growing while', async () => {
    hook = () => ({ ok: false, why: 'exit code 1' });
    const keeper = await pass(await pass(aKeeper()), 10_000);
    await pass(keeper, 10_000);
    expect(handed.length).toBe(1);
    expect(said.at(-1)).toBe('the metadata hook failed for web1 (exit code 1); trying again in 20 s');

    await pass(keeper, 10_000);
    expect([handed.length, said.at(-1)]).toEqual([2, 'the metadata hook failed for web1 (exit code 1); trying again in 40 s']);
    hook = () => ({ ok: true });
    await pass(keeper, 40_000);
    await pass(keeper, hourMs);
    expect(handed.length).toBe(3);
  });

  it('is left to the next pass, for everybody and without a word, while the software of the node is down', async () => {
    comes('web2', 'accept', 'minions');
    list?.push(nameOf('web2'));
    hook = () => ({ ok: false, why: 'it does not answer', isDown: true });
    const keeper = await pass(await pass(aKeeper()), 10_000);
    const [tries, lines] = [handed.length, said.length];
    await pass(keeper, 10_000);
    expect([handed.length, said.length]).toEqual([tries + 1, lines]);
    hook = () => ({ ok: true });
    await pass(keeper, 10_000);
    expect(said.filter((line) => line.startsWith('applied the metadata of'))).toHaveLength(2);
  });

  it('is applied again when Muster tells of a newer revision, once, and again by a keeper that was started since if it failed', async () => {
    const keeper = await pass(await pass(aKeeper()), 10_000);
    const system = nameOf('web1').slice(0, 16);
    [revision, desired, news] = [4, 1, { changed: [{ n: 1, system, revision: 4 }], fallen: 0 }];
    await pass(await pass(keeper, 10_000), 10_000);
    expect(handed.map((one) => (one as { revision: number }).revision)).toEqual([1, 4]);
    // What was heard is not heard again.
    [desired, hook] = [2, () => ({ ok: false, why: 'exit code 1' })];
    await pass(keeper, 10_000);
    expect(handed.length).toBe(2);
    [revision, desired, news] = [5, 3, { changed: [{ n: 2, system, revision: 5 }], fallen: 0 }];
    await pass(keeper, 10_000);
    hook = () => ({ ok: true });
    await pass(aKeeper(), 10_000);
    await pass(aKeeper(), 10_000);
    expect(handed.map((one) => (one as { revision: number }).revision)).toEqual([1, 4, 5, 5]);
  });

  it('is asked for of all when news were missed, and every six hours', async () => {
    const keeper = await pass(await pass(aKeeper()), 10_000);
    [revision, desired, news] = [7, 1, { changed: [{ n: 40, system: '0'.repeat(16), revision: 1 }], fallen: 39 }];
    await pass(keeper, 10_000);
    expect(handed.length).toBe(2);
    revision = 8;
    await pass(keeper, hourMs);
    expect(handed.length).toBe(2);
    await pass(keeper, 6 * hourMs);
    expect(handed.length).toBe(3);
  });

  it('is asked for of all when a list was missed: who was elsewhere in between may have come back with newer metadata', async () => {
    const keeper = await pass(await pass(aKeeper()), 10 * minuteMs);
    [revision, mapVersion] = [7, 2];
    await pass(keeper, 10_000);
    // Each list was seen: nobody was elsewhere without leaving it.
    expect(handed.length).toBe(1);
    mapVersion = 4;
    await pass(await pass(keeper, 10_000), 10_000);
    expect(handed.length).toBe(2);
    // Not with every plan of a zone that evens itself out, but as soon as ten minutes have passed.
    [revision, mapVersion] = [8, 6];
    await pass(await pass(keeper, minuteMs), minuteMs);
    expect(handed.length).toBe(2);
    mapVersion = 7;
    await pass(await pass(keeper, 10 * minuteMs), 10_000);
    expect(handed.length).toBe(3);
  });

  it('is applied at the revision of the news, also where the revisions of all are behind it', async () => {
    const keeper = await pass(await pass(aKeeper()), 10_000);
    [revision, indexed, desired] = [2, 1, 1];
    news = { changed: [{ n: 1, system: nameOf('web1').slice(0, 16), revision: 2 }], fallen: 0 };
    await pass(keeper, 6 * hourMs);
    expect(handed.map((one) => (one as { revision: number }).revision)).toEqual([1, 2]);
  });

  it('is applied again after the node was flushed', async () => {
    const keeper = await pass(await pass(aKeeper()), 10_000);
    list = undefined;
    await pass(keeper, 10_000);
    list = [nameOf('web1')];
    await pass(keeper, 10_000);
    expect(handed.length).toBe(2);
  });
});

describe('a keeper', () => {
  it('does nothing while its node is no member', async () => {
    comes('web1', 'accept');
    await aKeeper().pass({ ...around, node: () => undefined });
    expect([asked, master.calls()]).toEqual([[], []]);
  });

  it('asks again when what it wrote down cannot be read, or the folders are not there', async () => {
    comes('web1', 'accept', 'minions');
    await pass(aKeeper());
    writeFileSync(join(master.home, 'salt.json'), '{');
    await pass(aKeeper());
    expect(asked.length).toBe(2);

    rmSync(join(master.root, 'etc'), { recursive: true });
    const keeper = await pass(aKeeper(), minuteMs);
    expect(keeper.seen()).toEqual(new Set());
  });

  it('finds out within a quarter of an hour that an accepted key was written over by hand, and sees nobody by the new one', async () => {
    list = [nameOf('web1')];
    comes('web1', 'accept', 'minions');
    const keeper = await pass(await pass(aKeeper({ manages: false })), 10_000);
    const other = master.key('web1', 'minions', 'somebody else');

    await pass(keeper, 15 * minuteMs);
    expect(asked.at(-1)).toBe(other);
    expect(keeper.seen()).toEqual(new Set());
  });

  it('says what the file system does to it', async () => {
    rmSync(join(master.root, 'etc/salt/pki/master/minions'), { recursive: true });
    writeFileSync(join(master.root, 'etc/salt/pki/master/minions'), '');
    await pass(aKeeper());
    expect(said).toEqual([expect.stringContaining('ENOTDIR')]);
  });
});
