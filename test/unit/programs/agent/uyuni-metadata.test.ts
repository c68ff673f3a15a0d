import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fingerprint } from '../../../../lib/core/ids.ts';
import { canonicalJson } from '../../../../lib/core/json.ts';
import { type EpochMs, hourMs, secondMs } from '../../../../lib/core/time.ts';
import { folderAt } from '../../../../lib/machine/folder.ts';
import { type ActionEntry, Channels, digestOf, Formulas, Notes, Settings } from '../../../../programs/agent/uyuni/metadata/documents.ts';
import { Due } from '../../../../programs/agent/uyuni/metadata/due.ts';
import { lackingIn, reportIdOf } from '../../../../programs/agent/uyuni/metadata/history.ts';
import { documentKinds } from '../../../../programs/agent/uyuni/metadata/kinds.ts';
import { AgreedMemory } from '../../../../programs/agent/uyuni/metadata/memory.ts';
import {
  planChannels,
  planConfigurationChannels,
  planCustomValues,
  planFormulas,
  planGroups,
  planNotes,
  planSettings,
} from '../../../../programs/agent/uyuni/metadata/plans.ts';
import { judge } from '../../../../programs/agent/uyuni/metadata/report.ts';
import { Turns } from '../../../../programs/agent/uyuni/metadata/turns.ts';

const sid = 7;
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'muster-agent-'));
});
afterEach(() => rmSync(home, { recursive: true }));

describe('a document', () => {
  it('is the same text whatever the order of its fields, labels and notes', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), (document) => {
        const reversed = Object.fromEntries(Object.entries(document).toReversed());
        expect(canonicalJson(reversed)).toBe(canonicalJson(document));
        expect(JSON.parse(canonicalJson(document))).toEqual(JSON.parse(JSON.stringify(document)));
      }),
    );
    expect(Channels.parse({ base: 'b', children: ['z', 'ä', 'a', 'z'] })).toEqual({ base: 'b', children: ['a', 'z', 'ä'] });
    const [one, other] = [
      { subject: 'a', text: '2' },
      { subject: 'a', text: '1' },
    ];
    expect(Notes.parse([one, other])).toEqual(Notes.parse([other, one]));
    expect(digestOf({ a: 1, b: [1, 2] })).not.toBe(digestOf({ a: 1, b: [2, 1] }));
  });

  it('is refused in another form, and keeps no field that it does not know', () => {
    expect(documentKinds.get('channels')?.normal({ base: 7 })).toBeUndefined();
    expect(documentKinds.get('groups')?.normal('web')).toBeUndefined();
    expect(documentKinds.get('settings')?.normal({ locked: true, number: 9 })).toEqual({ locked: true });
    expect(documentKinds.get('notes')?.isEmpty([])).toBe(true);
    expect(documentKinds.get('settings')?.isEmpty({})).toBe(false);
  });
});

describe('what it takes to have a system be as its documents say', () => {
  const none = { steps: [], missing: [] };
  const whats = ({ steps }: { steps: readonly { what: string }[] }) => steps.map(({ what }) => what);

  it('is nothing where it is so already', () => {
    const channels = Channels.parse({ base: 'b', children: ['c'] });
    expect(planChannels(sid, channels, channels, { hasBase: true, children: ['c'] })).toEqual(none);
    expect(planGroups(sid, ['a'], ['a'], ['a'])).toEqual(none);
    expect(planNotes(sid, [{ subject: 'a', text: 'b' }], [{ subject: 'a', text: 'b' }])).toEqual(none);
    expect(planCustomValues(sid, { a: '1' }, { a: '1' }, ['a'])).toEqual(none);
    const formulas = Formulas.parse({ f: { x: { a: 1, b: 2 } } });
    expect(planFormulas(sid, formulas, { f: { x: { b: 2, a: 1 } } }, ['f'])).toEqual(none);
    expect(planConfigurationChannels(sid, ['b', 'a'], ['b', 'a'], ['a', 'b'])).toEqual(none);
    const settings = Settings.parse({ name: 'n', locked: true, entitlements: ['e'], place: { rack: 'r' } });
    expect(planSettings(sid, { ...settings, description: 'not in the document' }, settings)).toEqual(none);
  });

  it('is to subscribe to the base channel and then to its children, as far as the server has them', () => {
    const wanted = { base: 'b', children: ['c', 'd'] };
    expect(planChannels(sid, { base: 'a', children: ['c'] }, wanted, { hasBase: true, children: ['c', 'e'] })).toEqual({
      steps: [
        expect.objectContaining({ method: 'system.setBaseChannel', values: { sid, channelLabel: 'b' } }),
        expect.objectContaining({ method: 'system.setChildChannels', values: { sid, channelIdsOrLabels: ['c'] } }),
      ],
      missing: ['the channel d'],
    });
    expect(planChannels(sid, { base: null, children: [] }, wanted, { hasBase: false, children: [] })).toEqual({
      steps: [],
      missing: ['the base channel b'],
    });
    expect(whats(planChannels(sid, { base: 'a', children: [] }, { base: null, children: [] }, { hasBase: false, children: [] }))).toEqual([
      'leave the base channel',
    ]);
  });

  it('is to make groups and keys that the server lacks, and to end what the document does not have', () => {
    expect(whats(planGroups(sid, ['old', 'both'], ['both', 'new', 'made'], ['old', 'both', 'new']))).toEqual([
      ...['make the group made', 'join the group new', 'join the group made', 'leave the group old'],
    ]);
    const plan = planCustomValues(sid, { old: '1', same: '2', other: '3' }, { same: '2', other: '4', constructor: '5' }, ['other', 'same']);
    expect(plan.steps.map(({ method, values }) => [method, values])).toEqual([
      ['system.custominfo.createKey', { keyLabel: 'constructor', keyDescription: 'constructor' }],
      ['system.setCustomValues', { sid, values: { other: '4', constructor: '5' } }],
      ['system.deleteCustomValues', { sid, keys: ['old'] }],
    ]);
    expect(planFormulas(sid, { a: {} }, { b: { x: 1 }, c: {}, d: {} }, ['a', 'b', 'c'])).toMatchObject({
      steps: [{ values: { systemId: sid, formulas: ['b', 'c'] } }, { values: { formulaName: 'b', content: { x: 1 } } }],
      missing: ['the formula d'],
    });
    expect(planConfigurationChannels(sid, ['a', 'b'], ['b', 'a', 'c'], ['a', 'b'])).toMatchObject({
      steps: [{ values: { configChannelLabels: ['b', 'a'] } }],
      missing: ['the configuration channel c'],
    });
    const settings = { name: 'n', locked: true, entitlements: ['x'], place: { rack: 'r', room: '1' } };
    expect(
      planSettings(sid, settings, { locked: false, entitlements: ['y'], place: { rack: 's' } }).steps.map(({ values }) => values),
    ).toEqual([
      { sid, details: { rack: 's', room: '' } },
      { sid, entitlements: ['y'] },
      { sid, entitlements: ['x'] },
      { sid, lockStatus: false },
    ]);
  });

  it('adds the notes that lack, as often as they lack, and deletes none', () => {
    const [a, b] = [
      { subject: 'a', text: '' },
      { subject: 'b', text: '' },
    ];
    expect(whats(planNotes(sid, [a, { subject: 'of somebody', text: '' }], [a, a, b]))).toEqual(['add the note “a”', 'add the note “b”']);
  });
});

describe('a document that differs from the one that was agreed on', () => {
  const document = { digest: 'here', isEmpty: false };
  const held = { digest: 'there', revision: 4 };
  it.each([
    ['is reported where Muster has none', document, undefined, {}, 'report'],
    ['is not reported where Muster has none and it is empty', { ...document, isEmpty: true }, undefined, {}, 'same'],
    ['is the same where Muster has the same', document, { ...held, digest: 'here' }, {}, 'same'],
    ['is reported over the one that was agreed on', document, held, { agreed: 'there' }, 'report'],
    ['is reported empty over the one that was agreed on', { ...document, isEmpty: true }, held, { agreed: 'there' }, 'report'],
    ['waits where somebody else has changed it', document, held, { agreed: 'before' }, 'wait'],
    ['waits until it was applied', document, held, {}, 'wait'],
    ['waits until that revision was applied', document, held, { appliedAt: 3 }, 'wait'],
    ['is reported over what was applied, where the memory is lost', document, held, { appliedAt: 4 }, 'report'],
    ['waits in a new registration, whatever was applied to the former one', document, held, { appliedAt: 9, isNew: true }, 'wait'],
    ['waits where Muster has one of another form', document, { ...held, digest: undefined }, { agreed: 'there' }, 'wait'],
    ['waits there whatever was applied', document, { ...held, digest: undefined }, { appliedAt: 9 }, 'wait'],
  ] as const)(
    '%s',
    (_name, here, there, { agreed, isNew = false, appliedAt }: { agreed?: string; isNew?: boolean; appliedAt?: number }, is) => {
      expect(judge(here, there, { agreed, isNew, appliedAt })).toBe(is);
    },
  );
});

describe('a history of actions', () => {
  const entry = (node: string, n: number): ActionEntry => ({
    ...{ node, type: 'reboot', summary: `action ${n}`, status: 'Completed', completed: `2026-01-01T00:00:${String(n).padStart(2, '0')}Z` },
  });

  it('lacks what is not in it, counting what is the same, whichever node it is of', () => {
    expect(lackingIn([], [entry('a', 1), entry('a', 1)])).toHaveLength(2);
    expect(lackingIn([entry('a', 1), entry('b', 2)], [entry('a', 1), entry('a', 1), entry('a', 2)])).toEqual([
      entry('a', 1),
      entry('a', 2),
    ]);
    expect(lackingIn([entry('a', 1)], [])).toEqual([]);
  });

  it('does not get back what has fallen out of it', () => {
    expect(lackingIn([entry('b', 1), entry('a', 5)], [entry('a', 3), entry('a', 5), entry('a', 6)])).toEqual([entry('a', 6)]);
  });

  it('is reported under an id of the entries', () => {
    expect(reportIdOf([entry('a', 1)])).toBe(reportIdOf([entry('a', 1)]));
    expect(reportIdOf([entry('a', 1)])).not.toBe(reportIdOf([entry('a', 2)]));
    expect(reportIdOf([entry('a', 1)]).length).toBeLessThanOrEqual(100);
  });
});

describe('the systems that are due', () => {
  const at = (ms: number) => ms as EpochMs;
  const change = (...names: string[]) => [{ kind: 'system' as const, things: names.map((name, n): [number, string] => [n, name]) }];

  it('are on disk at once, and everyone where nothing can be read', () => {
    const due = new Due(folderAt(home));
    due.expand(['a', 'b']);
    expect([due.next(at(0)), due.next(at(0)), due.next(at(0))]).toEqual(['a', 'b', undefined]);
    due.changed(change('c', 'd'));
    expect(due.next(at(0))).toBe('c');
    due.changed(change('e'));
    const other = new Due(folderAt(home));
    other.expand(['z']);
    const next = () => other.next(at(0));
    expect([next(), next(), next(), next()], 'the one that was under way, too').toEqual(['c', 'd', 'e', undefined]);
    for (const text of ['{', '{"version":2}', 'null']) {
      writeFileSync(join(home, 'uyuni-due.json'), text, { mode: 0o600 });
      const lost = new Due(folderAt(home));
      lost.expand(['z']);
      expect(lost.next(at(0))).toBe('z');
    }
  });

  it('wait longer each time they cannot be reported, and are due at once when they change', () => {
    const due = new Due(folderAt(home));
    due.expand(['a']);
    let now = 0;
    for (const waitS of [20, 40, 80]) {
      expect(due.next(at(now))).toBe('a');
      due.delay('a', at(now));
      expect(due.next(at(now + waitS * secondMs - 1))).toBeUndefined();
      now += waitS * secondMs;
    }
    for (let n = 0; n < 9; n++) {
      expect(due.next(at(now))).toBe('a');
      due.delay('a', at(now));
      now += hourMs;
    }
    expect(due.next(at(now))).toBe('a');
    due.delay('a', at(now));
    due.changed(change('a'));
    expect(due.next(at(now))).toBe('a');
  });
});

describe('what was agreed on', () => {
  const fp = 'ab'.repeat(32) as Fingerprint;
  const again = () => new AgreedMemory(folderAt(home));

  it('is remembered at once, for one registration, until the system is gone', () => {
    const memory = again();
    memory.agree(fp, '7 monday', { groups: 'one' });
    memory.agree(fp, '7 monday', { notes: 'two' });
    expect(again().of(fp)).toMatchObject({ registration: '7 monday', digests: { groups: 'one', notes: 'two' } });
    memory.agree(fp, '7 tuesday', { notes: 'two' });
    expect(again().of(fp)).toMatchObject({ registration: '7 tuesday', digests: { notes: 'two' } });
    memory.forget((one) => one === fp);
    expect(again().of(fp)).toBeDefined();
    memory.forget(() => false);
    expect(again().of(fp)).toBeUndefined();
  });

  it('holds for no registration any more once it is doubted, also after a crash', () => {
    const memory = again();
    memory.forget(() => false);
    memory.agree(fp, '7 monday', { groups: 'one' });
    memory.doubt();
    expect(again().of(fp)?.registration).toBe('');
    again().agree(fp, '7 monday', { groups: 'one' });
    expect(again().of(fp)?.registration).toBe('7 monday');
    memory.forget(() => false);
    expect(readFileSync(join(home, 'uyuni-metadata/restores'), 'utf8')).toBe('1\n');
  });

  it.each(['{', '{"version":2}', 'null', ''])('is nothing where the file is %j', (text) => {
    again().agree(fp, '7 monday', { groups: 'one' });
    writeFileSync(join(home, 'uyuni-metadata', fp), text, { mode: 0o600 });
    expect(again().of(fp)).toBeUndefined();
  });
});

describe('turns', () => {
  it('come one after another, also after one that failed', async () => {
    const turns = new Turns();
    const said: string[] = [];
    const first = turns.take(async () => {
      await Promise.resolve();
      said.push('first');
      throw new Error('no');
    });
    const second = turns.take(async () => void said.push('second'));
    await expect(first).rejects.toThrow('no');
    await second;
    expect(said).toEqual(['first', 'second']);
  });
});
