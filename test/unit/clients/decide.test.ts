import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { published } from '../../../events/catalogue.ts';
import { Client, clientMoves } from '../../../lib/clients/client.ts';
import { decide } from '../../../lib/clients/decide.ts';
import type { ClientCommand } from '../../../lib/clients/rows/command.ts';
import type { Fingerprint, Fqdn, ZoneName } from '../../../lib/core/ids.ts';
import { dayMs, hourMs, plusMs } from '../../../lib/core/time.ts';
import { aClient, aKnock, assigned, at, fpOf, nodeId, noon } from '../../../tools/support/builders.ts';

const zone = 'default' as ZoneName;
const knock = (given: Parameters<typeof aKnock>[0] = {}): ClientCommand => ({ type: 'knock', id: 'k', who: aKnock(given) });
const accept = (tags: string[] = [], into = zone): ClientCommand => ({ type: 'accept', id: 'a', zone: into, tags, groups: [] });
const tell = (index: number, generation = 1): ClientCommand => ({ type: 'tell', id: 't', index, node: nodeId(index + 1), generation });
const confirm = (index: number, generation = 1): ClientCommand => ({ type: 'confirm', id: 'c', index, generation, by: 'daemon' });
const ban: ClientCommand = { type: 'ban', id: 'b' };
const unregister: ClientCommand = { type: 'unregister', id: 'u' };
const seen: ClientCommand = { type: 'seen', id: 's' };
const edit: ClientCommand = { type: 'edit', id: 'e', tags: ['db'] };
const minion = { id: 'web1', fingerprint: fpOf('minion') };

describe('a machine that knocks', () => {
  it('waits in the pool from its first knock, and is forgotten 30 days after its last', () => {
    expect(decide(undefined, knock(), noon)).toEqual({
      does: 'write',
      next: aClient({ standing: 'pooled' }),
      events: [{ type: 'client.seen', version: 1, data: { system: fpOf('web1'), fqdn: 'web1.acme.org' } }],
      expiresAt: plusMs(noon, 30 * dayMs),
      because: 'an unknown machine knocked; it waits in the onboarding pool',
    });
    const later = plusMs(noon, 2 * hourMs);
    expect(decide(aClient({ standing: 'pooled' }), knock(), later)).toMatchObject({ does: 'write', expiresAt: plusMs(later, 30 * dayMs) });
  });

  it('costs a write at most hourly while nothing about it changes', () => {
    expect(decide(aClient(), knock(), at(3_599)).does).toBe('nothing');
    expect(decide(aClient(), seen, at(3_599)).does).toBe('nothing');
    expect(decide(aClient(), knock(), at(3_600))).toMatchObject({ does: 'write', next: { seenAt: at(3_600) }, events: [] });
    expect(decide(aClient(), seen, at(3_600))).toMatchObject({ does: 'write', next: { seenAt: at(3_600) }, events: [] });
  });

  it.each([
    { what: 'its facts', says: { facts: { os: 'sles' } } },
    { what: 'its minion', says: { minion } },
  ])('is described anew when $what changed, and stays what it was', ({ says }) => {
    const client = aClient({ tags: ['web'], told: assigned(0, { confirmed: true }) });

    expect(decide(client, knock(says), at(5))).toMatchObject({ does: 'write', next: { ...client, ...says, seenAt: at(5) }, events: [] });
  });

  it('has another name once the knock has looked for whoever has that, and no sooner', () => {
    const says = { fqdn: 'web2.acme.org' as Fqdn };
    const looked = { ...knock(says), others: { 'machine-id': [], 'system-name': [] } };

    expect(decide(aClient(), knock(says), at(5)).does).toBe('nothing');
    expect(decide(aClient(), looked, at(5))).toMatchObject({ does: 'write', next: { ...aClient(), ...says, seenAt: at(5) }, events: [] });
  });

  it('is described anew when its minion has another key', () => {
    const client = aClient({ minion });
    const rekeyed = { ...minion, fingerprint: fpOf('another key') };

    expect(decide(client, knock({ minion: rekeyed }), at(5))).toMatchObject({ does: 'write', next: { minion: rekeyed } });
  });

  it('with facts in another order says nothing new', () => {
    expect(decide(aClient({ facts: { os: 'sles', arch: 'x86_64' } }), knock({ facts: { arch: 'x86_64', os: 'sles' } }), at(5)).does).toBe(
      'nothing',
    );
  });
});

describe('an administrator', () => {
  it('accepts a key into a zone with tags and groups; it is kept from then on', () => {
    const decision = decide(aClient({ standing: 'pooled' }), { ...accept(['web']), groups: ['retail'] } as ClientCommand, at(5));

    expect(decision).toEqual({
      does: 'write',
      next: aClient({ tags: ['web'] as never, groups: ['retail'] as never, acceptedAt: at(5) }),
      events: [
        {
          type: 'client.accepted',
          version: 1,
          data: { system: fpOf('web1'), fqdn: 'web1.acme.org', zone, tags: ['web'], groups: ['retail'] },
        },
      ],
      because: 'accepted into zone default',
    });
    expect(decision).not.toHaveProperty('expiresAt');
  });

  it('unregisters it from its node: an orphan that stays accepted, never deleted', () => {
    expect(decide(aClient({ told: assigned(0, { confirmed: true }) }), unregister, at(5))).toEqual({
      does: 'write',
      next: aClient(),
      events: [{ type: 'client.unregistered', version: 1, data: { system: fpOf('web1'), fqdn: 'web1.acme.org' } }],
      because: 'unregistered: it is an orphan, and its key stays accepted',
    });
  });

  it.each(['pooled', 'accepted'] as const)('bans a key that is %s, for ever: nothing is heard of it any more', (standing) => {
    const decision = decide(aClient({ standing, minion }), ban, at(5));
    expect(decision).toMatchObject({
      does: 'write',
      next: { standing: 'banned', bannedAt: at(5), minion },
      events: [{ type: 'client.banned' }],
    });
    expect(decision.does === 'write' && decision.next).not.toHaveProperty('told');
    expect(decision.does === 'write' && 'zone' in decision.next).toBe(standing === 'accepted');

    const banned = aClient({ standing: 'banned' });
    for (const command of [knock({ facts: { os: 'sles' } }), accept(), tell(0), confirm(0), ban, unregister, seen, edit])
      expect(decide(banned, command, at(99_999)).does).toBe('nothing');
  });

  it('edits tags and groups of an accepted one, each by itself', () => {
    const client = aClient({ tags: ['web'] as never, groups: ['retail'] as never });

    expect(decide(client, edit, at(5))).toMatchObject({ does: 'write', next: { ...client, tags: ['db'] } });
  });
});

describe('a placement', () => {
  it('is written once, by its own call; the same place again costs nothing', () => {
    const first = decide(aClient(), tell(0), at(5));

    expect(first).toMatchObject({
      does: 'write',
      next: { told: { index: 0, node: nodeId(1), generation: 1, at: at(5) } },
      events: [{ type: 'client.assigned', data: { node: nodeId(1), generation: 1, zone } }],
    });
    expect(decide(aClient({ told: assigned(0) }), tell(0), at(6)).does).toBe('nothing');
  });

  it('is another one on another node, or in another generation, and unconfirmed again', () => {
    const before = aClient({ told: assigned(0, { confirmed: true }) });

    for (const again of [tell(1), tell(0, 2)]) {
      const decision = decide(before, again, at(5));
      const { told: now } = (decision.does === 'write' ? decision.next : before) as typeof before;
      expect(now).toMatchObject({ at: at(5) });
      expect(now).not.toHaveProperty('confirmedAt');
    }
  });

  it('is confirmed once, and only where it was told', () => {
    const client = aClient({ told: assigned(0) });

    expect(decide(client, confirm(0), at(5))).toMatchObject({ does: 'write', next: { told: { confirmedAt: at(5) } }, events: [] });
    for (const wrong of [confirm(1), confirm(0, 2)]) expect(decide(client, wrong, at(5)).does).toBe('nothing');
    expect(decide(aClient({ told: assigned(0, { confirmed: true }) }), confirm(0), at(5)).does).toBe('nothing');
  });
});

/** How a row moved, which must be along the table. */
function moveOf(before: Client | undefined, { standing }: Client): string {
  const from: keyof typeof clientMoves = before?.standing ?? 'absent';
  if (from !== standing) expect(clientMoves[from]).toContain(standing);
  return `${from} → ${standing}`;
}

const adopt: ClientCommand = {
  type: 'adopt',
  id: 'order-1',
  who: { fp: aKnock().fp, minion: { id: 'web1.acme.org', ofText: [] }, fqdn: aKnock().fqdn, machineId: '', number: 7 },
  zone,
  node: { id: nodeId(1), index: 0, generation: 1, name: 'node1.acme.org' as Fqdn },
  by: 'operator',
  others: { 'machine-id': [], 'system-name': [] },
};

describe('whatever is asked of a client system, in whatever order', () => {
  const commands = [
    knock(),
    knock({ facts: { os: 'sles' } }),
    accept(),
    accept(['x'], 'other' as ZoneName),
    tell(0),
    tell(1),
    confirm(0),
    confirm(1),
    unregister,
    ban,
    seen,
    edit,
    adopt,
  ];
  /** `ban` comes late, so that there is a history before it. */
  const histories = fc.tuple(
    fc.array(fc.constantFrom(...commands.filter((one) => one !== ban)), { maxLength: 25 }),
    fc.array(fc.constantFrom(...commands), { maxLength: 10 }),
  );

  it('its row moves only along the table, keeps its identity and its zone, and has only the fields it should have', () => {
    const reached = new Set<string>();
    fc.assert(
      fc.property(histories, ([early, late]) => {
        let client: Client | undefined;
        for (const [n, command] of [...early, ...late].entries()) {
          const decision = decide(client, command, at(n * 400));
          if (decision.does !== 'write') continue;
          const { next } = decision;
          reached.add(moveOf(client, next));
          expect(next.fp).toBe(fpOf('web1') as Fingerprint);
          if (client?.standing === 'accepted' && next.standing !== 'pooled') expect(next.zone).toBe(client.zone);
          expect(Client.safeParse(next).error).toBeUndefined();
          for (const event of decision.events)
            expect(published[event.type as keyof typeof published].safeParse(event).error).toBeUndefined();
          client = next;
        }
      }),
      { seed: 11, numRuns: 300 },
    );
    for (const [from, tos] of Object.entries(clientMoves)) for (const to of tos) expect(reached).toContain(`${from} → ${to}`);
  });
});
