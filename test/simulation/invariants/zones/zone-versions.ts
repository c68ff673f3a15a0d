import { isSame } from '../../../../lib/core/decision.ts';
import { type SlotMap, slotsMin } from '../../../../lib/zones/map/rows/slots.ts';
import type { Delta, MapPage } from '../../../../lib/zones/zone.ts';
import type { Invariant } from '../invariant.ts';
import { type ZoneStep, ZoneTruth } from './zone-truth.ts';

/** Readers read anew only what a version says has moved. */
export const zoneVersions: Invariant = {
  name: 'zone-versions-tell-what-moved',
  says: "a zone's version grows with every change of roster, map or members, and names what changed; number and epoch stay, and slots only double, nobody moving",
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    return {
      committed: (changes) => {
        const step = truth.take(changes);
        if (!step) {
          // A delta that is in the pages is written once more, to say when it ends; rows of a zone that is deleted end
          // one by one.
          const lone = changes.find(
            ({ before, after }) => /^(delta|members)#/.test(after.key.sk) && !after.gone && !isSame(before?.body, after.body),
          );
          if (lone) violated(`${lone.after.key.pk}|${lone.after.key.sk} was written without the head`);
          return;
        }
        for (const wrong of wrongVersions(step)) violated(`${step.name} at version ${step.after.head.version} (${step.cause}): ${wrong}`);
      },
    };
  },
};

function wrongVersions({ before, after, changes }: ZoneStep): string[] {
  if (!before) return [];
  const [was, is] = [before.head, after.head];
  const split = is.slots !== was.slots;
  const moved = changes.some(
    ({ after: { key } }) => key.sk.startsWith('delta#') || (key.sk.startsWith('map#') && (split || is.slots === slotsMin)),
  );
  const members = changes.some(({ after: { key } }) => key.sk.startsWith('members#'));
  const roster = Buffer.compare(was.roster, is.roster) !== 0;
  const changed = moved || members || roster;
  const versions = changes.flatMap(({ after: { key, body } }) => (/^(delta|map)#/.test(key.sk) ? [(body as Delta | MapPage).version] : []));
  const rules: readonly (readonly [boolean, string])[] = [
    [is.version < was.version, `its version was ${was.version}`],
    [changed && is.version === was.version, 'it changed and its version did not'],
    [is.mapVersion !== (moved ? is.version : was.mapVersion), `its map ${moved ? 'moved' : 'did not move'}: version ${is.mapVersion}`],
    [is.membersVersion !== (members ? is.version : was.membersVersion), `members ${members ? '' : 'un'}changed: ${is.membersVersion}`],
    [moved && Math.max(...versions) !== is.version, `what moved is of version ${versions.join(', ')}`],
    [versions.some((version) => version <= was.version), `a change of a version before ${was.version}: ${versions.join(', ')}`],
    [is.number !== was.number || is.epoch !== was.epoch, 'its number or epoch changed'],
    [
      split && (is.slots < was.slots || !Number.isInteger(Math.log2(is.slots / was.slots))),
      `it had ${was.slots} slots and has ${is.slots}`,
    ],
    [split && !isSameMap(before.map, after.map), 'its slots were split and somebody moved'],
  ];
  return rules.flatMap(([isWrong, what]) => (isWrong ? [what] : []));
}

const isSameMap = (a: SlotMap, b: SlotMap): boolean =>
  a.owner.every((owner, slot) => owner === b.owner[slot]) && a.home.every((home, slot) => home === b.home[slot]);
