import { isSame } from '../../../lib/decision.ts';
import { slotsMin } from '../../../lib/zones/slots.ts';
import type { Delta, MapPage } from '../../../lib/zones/zone.ts';
import type { Invariant } from './invariant.ts';
import { type ZoneStep, ZoneTruth } from './zone-truth.ts';

/** Readers read anew only what a version says has moved. */
export const zoneVersions: Invariant = {
  name: 'zone-versions-tell-what-moved',
  says: "a zone's version grows with every change of roster, map or members, and names what changed; number, slots and epoch stay",
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    return {
      committed: (changes) => {
        const step = truth.take(changes);
        if (!step) {
          // A delta that is in the pages is written once more, to say when it ends.
          const lone = changes.find(({ before, after }) => /^(delta|members)#/.test(after.key.sk) && !isSame(before?.body, after.body));
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
  const moved = changes.some(({ after: { key } }) => key.sk.startsWith('delta#') || (key.sk.startsWith('map#') && is.slots === slotsMin));
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
    [is.number !== was.number || is.slots !== was.slots || is.epoch !== was.epoch, 'its number, slots or epoch changed'],
  ];
  return rules.flatMap(([isWrong, what]) => (isWrong ? [what] : []));
}
