import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../lib/clients/client.ts';
import {
  placeFor,
  placementOf,
  rowStatus,
  type Status,
  statusBytes,
  statusMoves,
  tokenHolds,
  tokenStatus,
} from '../../../lib/clients/rows/status.ts';
import { tokenLifeS } from '../../../lib/identity/token.ts';
import { nobody, slotOf } from '../../../lib/zones/map/rows/slots.ts';
import { type Standing, standings } from '../../../lib/zones/map/rows/standing.ts';
import { aClient, assigned, aToken, aZone, noon } from '../../../tools/support/builders.ts';

const asked = { now: noon };

const all = Object.keys(standings) as Standing[];
const serving = ['up', 'suspect', 'draining', 'held', 'quarantined'];

describe('the status of a client system', () => {
  it('is one byte', () => {
    expect(statusBytes).toEqual({ new: '0', onboarded: '1', orphan: '2', deleted: '3' });
  });

  it.each([
    { who: 'that never knocked', client: undefined, status: 'new' },
    { who: 'in the pool', client: aClient({ standing: 'pooled' }), status: 'new' },
    { who: 'banned', client: aClient({ standing: 'banned' }), status: 'deleted' },
    { who: 'accepted and told no node', client: aClient(), status: 'orphan' },
    { who: 'told its node', client: aClient({ told: assigned(0) }), status: 'orphan' },
    { who: 'told its node, and confirmed', client: aClient({ told: assigned(0, { confirmed: true }) }), status: 'onboarded' },
    { who: 'confirmed on a node that is not its owner now', client: aClient({ told: assigned(1, { confirmed: true }) }), status: 'orphan' },
    {
      who: 'confirmed in another generation',
      client: aClient({ told: assigned(0, { generation: 2, confirmed: true }) }),
      status: 'orphan',
    },
    {
      who: 'pinned to another node',
      client: aClient({ told: assigned(0, { confirmed: true }), pin: { index: 1, hard: true } }),
      status: 'orphan',
    },
    {
      who: 'confirmed where it is pinned',
      client: aClient({ told: assigned(1, { confirmed: true }), pin: { index: 1, hard: true } }),
      status: 'onboarded',
    },
  ])('$who is $status', ({ client, status }) => {
    expect(rowStatus(client, aZone({ nodes: [{}, {}] }), asked)).toBe(status);
  });

  it.each(all)('confirmed on a node that is %s follows from that', (standing) => {
    const zone = aZone({ nodes: [{ standing }] });
    const expected = serving.includes(standing) ? 'onboarded' : 'orphan';

    expect(rowStatus(aClient({ told: assigned(0, { confirmed: true }) }), zone, asked)).toBe(expected);
    expect(tokenStatus(zone, aToken(), asked)).toBe(expected);
  });

  it('is orphan in a slot that nobody owns, and in a zone that is gone', () => {
    const client = aClient({ told: assigned(0, { confirmed: true }) });

    expect(rowStatus(client, aZone({ owner: () => nobody }), asked)).toBe('orphan');
    expect(rowStatus(client, undefined, asked)).toBe('orphan');
  });

  it('is the same by its token as by its row', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...all),
        fc.constantFrom(...all),
        fc.nat(1),
        fc.nat(2),
        fc.integer({ min: 1, max: 3 }),
        fc.boolean(),
        fc.option(fc.nat(1)),
        (one, other, owner, index, generation, confirmed, pin) => {
          const zone = aZone({ nodes: [{ standing: one }, { standing: other, generation: 2 }], owner: () => owner });
          const client = aClient({
            told: assigned(index, { generation, confirmed }),
            ...(pin !== null && { pin: { index: pin, hard: true } }),
          });
          const token = aToken({ index, generation, confirmed, ...(pin !== null && { pin }) });

          expect(tokenStatus(zone, token, asked)).toBe(rowStatus(client, zone, asked));
        },
      ),
      { seed: 3, numRuns: 500 },
    );
  });

  it('moves only along its table, whatever happens to row and zone', () => {
    type World = { client: Client; standing: Standing; owner: number };
    const confirmed = { told: assigned(0, { confirmed: true }) };
    const changes: Record<string, (world: World) => World> = {
      accept: (world) => (world.client.standing === 'pooled' ? { ...world, client: aClient() } : world),
      tell: (world) =>
        world.client.standing === 'accepted' && !world.client.told ? { ...world, client: aClient({ told: assigned(0) }) } : world,
      confirm: (world) => (world.client.standing === 'accepted' && world.client.told ? { ...world, client: aClient(confirmed) } : world),
      unregister: (world) => (world.client.standing === 'accepted' ? { ...world, client: aClient() } : world),
      ban: (world) => ({ ...world, client: aClient({ standing: 'banned' }) }),
      'node down': (world) => ({ ...world, standing: 'down' }),
      'node up': (world) => ({ ...world, standing: 'up' }),
      'slot moves': (world) => ({ ...world, owner: 1 - world.owner }),
    };
    const everyday = Object.keys(changes).filter((change) => change !== 'ban');
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...Object.keys(changes), ...everyday, ...everyday), { maxLength: 30 }), (history) => {
        let world: World = { client: aClient({ standing: 'pooled' }), standing: 'up', owner: 0 };
        const statusIn = ({ client, standing, owner }: World): Status =>
          rowStatus(client, aZone({ nodes: [{ standing }, {}], slots: 1_024, owner: () => owner }), asked);
        for (const change of history) {
          const before = statusIn(world);
          world = changes[change]!(world);
          const after = statusIn(world);
          if (before === after) continue;
          expect(statusMoves[before], `${before} by ${change}`).toContain(after);
          seen.add(`${before} → ${after}`);
        }
      }),
      { seed: 5, numRuns: 300 },
    );
    expect(seen).toEqual(new Set(Object.entries(statusMoves).flatMap(([from, tos]) => tos.map((to: string) => `${from} → ${to}`))));
  });
});

describe('where a client system is sent', () => {
  it.each(all)('is to an owner that is up only; this one is %s', (standing) => {
    const { fp } = aClient();

    expect(placeFor(aZone({ nodes: [{ standing }] }), { fp, pin: nobody, soft: false, told: undefined }, asked)).toBe(
      standing === 'up' ? 0 : undefined,
    );
  });

  it('is by its slot, or by its pin', () => {
    const { fp } = aClient();
    const slot = slotOf(fp, 1_024);
    const zone = aZone({ nodes: [{}, {}, {}], owner: (one) => (one === slot ? 2 : 0) });

    expect(placeFor(zone, { fp, pin: nobody, soft: false, told: undefined }, asked)).toBe(2);
    expect(placeFor(zone, { fp, pin: 1, soft: false, told: undefined }, asked)).toBe(1);
    expect(placeFor(aZone({ owner: () => nobody }), { fp, pin: nobody, soft: false, told: undefined }, asked)).toBeUndefined();
  });

  it.each(all)('is where it was told already, as long as that owner serves; this one is %s', (standing) => {
    const { fp } = aClient();
    const zone = aZone({ nodes: [{ standing, generation: 2 }, {}] });
    const [now, before] = [2, 1].map((generation) => placementOf(aClient({ told: assigned(0, { generation }) })));

    expect(placeFor(zone, { fp, pin: nobody, soft: false, told: now }, asked)).toBe(serving.includes(standing) ? 0 : undefined);
    expect(placeFor(zone, { fp, pin: nobody, soft: false, told: before }, asked)).toBe(standing === 'up' ? 0 : undefined);
    expect(placeFor(zone, { fp, pin: nobody, soft: false, told: placementOf(aClient({ told: assigned(1) })) }, asked)).toBe(
      standing === 'up' ? 0 : undefined,
    );
  });

  it('is what its row says it was told', () => {
    expect(placementOf(aClient({ told: assigned(4, { generation: 7 }) }))).toEqual({ index: 4, generation: 7, confirmed: false });
    expect(placementOf(aClient())).toBeUndefined();
    expect(placementOf(aClient({ standing: 'banned' }))).toBeUndefined();
  });
});

describe('a token holds', () => {
  const issuedAtS = noon / 1_000;
  const top = Number.parseInt(aToken().fp.slice(0, 8), 16);

  it('for seven days, to the second', () => {
    expect(tokenHolds(aZone(), aToken(), issuedAtS + tokenLifeS, tokenLifeS)).toBe(true);
    expect(tokenHolds(aZone(), aToken(), issuedAtS + tokenLifeS + 1, tokenLifeS)).toBe(false);
    expect(tokenLifeS).toBe(7 * 24 * 3_600);
  });

  it('within its epoch alone: a restored backup begins another', () => {
    expect(tokenHolds(aZone({ head: { epoch: 1 } }), aToken(), issuedAtS, tokenLifeS)).toBe(false);
    expect(tokenHolds(aZone({ head: { epoch: 1 } }), aToken({ epoch: 1 }), issuedAtS, tokenLifeS)).toBe(true);
  });

  it('unless it was revoked in the second it was issued, or later', () => {
    const revoked = (atS: number, fp = top) => aZone({ revokedAt: new Map([[fp, atS]]) });

    expect(tokenHolds(revoked(issuedAtS - 1), aToken(), issuedAtS, tokenLifeS)).toBe(true);
    expect(tokenHolds(revoked(issuedAtS), aToken(), issuedAtS, tokenLifeS)).toBe(false);
    expect(tokenHolds(revoked(issuedAtS + 9), aToken(), issuedAtS, tokenLifeS)).toBe(false);
    expect(tokenHolds(revoked(issuedAtS + 9, top ^ 1), aToken(), issuedAtS, tokenLifeS)).toBe(true);
  });

  it('unless it is older than the revocations that were folded', () => {
    expect(tokenHolds(aZone({ tokensBefore: issuedAtS }), aToken(), issuedAtS, tokenLifeS)).toBe(true);
    expect(tokenHolds(aZone({ tokensBefore: issuedAtS + 1 }), aToken(), issuedAtS, tokenLifeS)).toBe(false);
  });
});
