import { describe, expect, it } from 'vitest';
import { decideGuardrails } from '../../../../lib/zones/guardrails/command.ts';
import { type Freeze, isDisrupted } from '../../../../lib/zones/guardrails/guardrails.ts';
import { activeRules, guardrailsView } from '../../../../lib/zones/guardrails/view.ts';
import { decideZoneSettings } from '../../../../lib/zones/settings.ts';
import type { ZoneHead } from '../../../../lib/zones/zone.ts';
import { at, aZone } from '../../../../tools/support/builders.ts';

const disrupted = { rule: 6, since: at(0), until: at(900), silent: 3, nodes: 10 } as const;
const aHead = (brakes: object, standings: readonly ('up' | 'suspect' | 'down' | 'dropped')[] = ['up', 'suspect', 'down', 'dropped']) =>
  ({ ...aZone({ nodes: standings.map((standing) => ({ standing })) }).head, brakes }) as ReturnType<typeof aZone>['head'];

describe('an operator who calms a zone', () => {
  it('ends its disruption and says that whoever is silent by now is lost; the plan follows at once', () => {
    const head = aHead({ disrupted, racks: [{ rack: 'r7', until: at(900) }] });

    expect(decideGuardrails(head, { type: 'calm', id: 'c' }, at(60))).toEqual({
      does: 'write',
      next: { ...head, version: head.version + 1, brakes: { endedAt: at(60), calmedAt: at(60) } },
      events: [{ type: 'zone.calm', version: 1, data: { zone: 'default', by: 'operator', silent: 2, nodes: 3 } }],
      wakeAt: at(60),
      because: 'calmed by an operator: the silent nodes (2) are lost',
    });
  });

  it('in which nothing is held changes nothing', () => {
    expect(decideGuardrails(aHead({}, ['up', 'down']), { type: 'calm', id: 'c' }, at(60)).does).toBe('nothing');
    expect(decideGuardrails(undefined, { type: 'calm', id: 'c' }, at(60)).does).toBe('nothing');
  });
});

describe('an operator who freezes a zone', () => {
  it('is told what is frozen, and saying it again changes nothing', () => {
    const decision = decideGuardrails(aHead({ lostAt: at(1) }), { type: 'freeze', id: 'f', what: 'expiry' }, at(60));
    expect(decision).toMatchObject({
      does: 'write',
      next: { brakes: { lostAt: at(1), freeze: 'expiry' } },
      because: 'set by an operator: no node is given up for being silent or away',
    });
    expect(decideGuardrails(aHead({ freeze: 'all' }), { type: 'freeze', id: 'f', what: 'all' }, at(60)).does).toBe('nothing');
  });

  it('lets it go on, at once', () => {
    const decision = decideGuardrails(aHead({ freeze: 'all', disrupted }), { type: 'unfreeze', id: 'u' }, at(60));
    expect(decision).toMatchObject({ does: 'write', wakeAt: at(60), next: { brakes: { disrupted } } });
    expect(decision).not.toHaveProperty('next.brakes.freeze');
    expect(decideGuardrails(aHead({}), { type: 'unfreeze', id: 'u' }, at(60)).does).toBe('nothing');
  });
});

describe('a freeze as a setting of the zone', () => {
  const set = (head: ZoneHead, freeze: Freeze | null) => decideZoneSettings(head, { type: 'set', id: 's', freeze }, at(60));
  const order = (head: ZoneHead, what: Freeze | null) =>
    decideGuardrails(head, what ? { type: 'freeze', id: 'f', what } : { type: 'unfreeze', id: 'f' }, at(60));

  it.each([
    [undefined, 'moves'],
    ['all', 'expiry'],
    ['expiry', null],
    ['all', 'all'],
    [undefined, null],
  ] as const)('from %s to %s is what the order to freeze makes of it', (before, after) => {
    const head = aHead({ disrupted, ...(before && { freeze: before }) });
    const [bySetting, byOrder] = [set(head, after), order(head, after)];

    expect(bySetting.does).toBe(byOrder.does);
    if (bySetting.does === 'write') expect(byOrder).toMatchObject({ next: bySetting.next, wakeAt: bySetting.wakeAt });
  });

  it('is said, and stays as it is when it is not named', () => {
    const head = aHead({ freeze: 'all' });
    expect(set(head, null).because).toBe('set by an operator: no longer frozen');
    expect(decideZoneSettings(head, { type: 'set', id: 's', mode: 'recovery' }, at(60))).toMatchObject({
      next: { mode: 'recovery', brakes: { freeze: 'all' } },
    });
  });
});

describe('what the brakes hold', () => {
  it('is told in sentences, and shown by the API', () => {
    const brakes = { disrupted, racks: [{ rack: 'r7', until: at(900) }], freeze: 'moves' } as const;
    const until = new Date(at(900)).toISOString();
    expect(activeRules({ ...brakes, racks: [...brakes.racks] })).toEqual([
      { rule: 6, because: `rule 6: 3 of 10 nodes fell silent together; the zone is disrupted until ${until} at the latest`, at: at(0) },
      {
        rule: 8,
        rack: 'r7',
        because: `rule 8: all nodes of rack r7 fell silent in one window; those still silent are held until ${until} at the latest`,
      },
      { rule: 16, because: 'rule 16: an operator has frozen the zone: slots stay where they are' },
    ]);
    expect(guardrailsView({ ...brakes, racks: [...brakes.racks] })).toEqual({
      disrupted: { rule: 6, since: new Date(at(0)).toISOString(), until, silent: 3, nodes: 10 },
      darkRacks: ['r7'],
      frozen: 'moves',
    });
    expect([activeRules({}), guardrailsView({}), isDisrupted({ brakes: {} }), isDisrupted({ brakes: { disrupted } })]).toEqual([
      [],
      {},
      false,
      true,
    ]);
  });
});
