import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { heldBecause } from '../../../lib/clients/held.ts';
import { isHeld, placedOf, rowStatus, tokenStatus } from '../../../lib/clients/rows/status.ts';
import { minuteMs, plusMs } from '../../../lib/core/time.ts';
import { type Standing, standings } from '../../../lib/zones/map/rows/standing.ts';
import { aClient, assigned, aToken, aZone, noon } from '../../../tools/support/builders.ts';

/** A zone of which a part fell silent a minute ago. */
const disrupted = { rule: 6 as const, since: noon, until: plusMs(noon, 15 * minuteMs), silent: 3, nodes: 10 };
const now = plusMs(noon, minuteMs);
/** A client that was told the first node and confirmed. */
const mine = aClient({ told: assigned(0, { confirmed: true }) });

type Case = {
  readonly standing?: Standing;
  readonly generation?: number;
  readonly owner?: number;
  readonly home?: number;
  readonly isDisrupted?: boolean;
  readonly isKept?: boolean;
};

const zoneOf = ({ standing = 'down', generation = 1, owner = 1, home = 0, isDisrupted = true, isKept = false }: Case = {}) =>
  aZone({
    nodes: [{ standing, generation }, {}],
    owner: () => owner,
    home: () => home,
    head: { brakes: isDisrupted ? { disrupted } : {}, ...(isKept && { kept: [{ index: 0, since: noon }] }) },
  });

describe('in a disrupted zone the byte is damped (guard-rail 9): a client whose home is lost', () => {
  it.each([
    { of: 'stays, although its slot has moved', zone: {}, is: 'onboarded' },
    { of: 'stays, although its slot stays as well, because moves are frozen', zone: { owner: 0 }, is: 'onboarded' },
    { of: 'stays while its node is heard again and its slot is not back yet', zone: { standing: 'up' }, is: 'onboarded' },
    { of: 'goes once the zone is calm', zone: { isDisrupted: false }, is: 'orphan' },
    { of: 'stays in a calm zone while it is kept', zone: { isDisrupted: false, isKept: true }, is: 'onboarded' },
    { of: 'goes where its home is elsewhere by now', zone: { home: 1 }, is: 'orphan' },
    { of: 'goes when its node has joined as new since', zone: { generation: 2, standing: 'up' }, is: 'orphan' },
    { of: 'goes when its node was given up', zone: { standing: 'dropped' }, is: 'orphan' },
  ] as const)('$of', ({ zone, is }) => {
    expect(rowStatus(mine, zoneOf(zone), { now })).toBe(is);
    expect(tokenStatus(zoneOf(zone), aToken(), { now })).toBe(is);
    expect(isHeld(zoneOf(zone), placedOf(mine), { now })).toBe(is === 'onboarded');
  });

  it('goes when it says that it lost its node, and never stays where it was not confirmed', () => {
    expect(rowStatus(mine, zoneOf(), { now, lost: true })).toBe('orphan');
    expect(rowStatus(aClient({ told: assigned(0) }), zoneOf(), { now })).toBe('orphan');
    expect(rowStatus(aClient(), zoneOf(), { now })).toBe('orphan');
  });

  it('stays at its pin, and goes when it is pinned elsewhere', () => {
    const pinned = (index: number) => aClient({ told: assigned(0, { confirmed: true }), pin: { index, hard: true } });

    expect(rowStatus(pinned(0), zoneOf(), { now })).toBe('onboarded');
    expect(rowStatus(pinned(1), zoneOf(), { now })).toBe('orphan');
  });

  it('is shown held, with the rule', () => {
    expect(heldBecause(zoneOf(), mine, { now })).toBe(
      `its home node1.acme.org is down, and the zone is disrupted (rule 6): a client system that does not report its node lost stays on it, until ${new Date(disrupted.until).toISOString()} at the latest (rule 9)`,
    );
    expect(heldBecause(zoneOf({ owner: 0, standing: 'up' }), mine, { now })).toBeUndefined();
  });

  it('is all that damping changes: who is served where it belongs is not held, nor is anybody in a calm zone', () => {
    const standing = fc.constantFrom(...(Object.keys(standings) as Standing[]));
    fc.assert(
      fc.property(standing, fc.nat(1), fc.nat(1), fc.boolean(), fc.boolean(), (stands, owner, home, isDisrupted, lost) => {
        const zone = zoneOf({ standing: stands, owner, home, isDisrupted });
        const calm = zoneOf({ standing: stands, owner, home, isDisrupted: false });
        const [here, elsewhere] = [zone, calm].map((one) => rowStatus(mine, one, { now, lost }));
        const held = isHeld(zone, placedOf(mine), { now, lost });

        expect(isHeld(calm, placedOf(mine), { now, lost })).toBe(false);
        expect(held).toBe(here === 'onboarded' && elsewhere === 'orphan');
        if (held) expect({ isDisrupted, lost, home }).toEqual({ isDisrupted: true, lost: false, home: 0 });
      }),
      { seed: 9, numRuns: 300 },
    );
  });
});
