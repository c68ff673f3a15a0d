import type { Invariant } from './invariant.ts';
import { isMember, nodeSteps } from './rows.ts';
import { indexesOf, standingIn, ZoneTruth } from './zone-truth.ts';

/** A name is what client systems are told: two machines under one would each have half of them. */
export const names: Invariant = {
  name: 'a-name-is-one-node',
  says: 'no two members have one fqdn at once, and a member is the node that its name leads to',
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    const leadsTo = new Map<string, string>();
    const members = new Map<string, Set<string>>();
    const check = (fqdn: string): void => {
      const ids = [...(members.get(fqdn) ?? [])];
      if (ids.length > 1) violated(`${fqdn} is the name of ${ids.join(' and ')}`);
      if (ids.length === 1 && leadsTo.get(fqdn) !== ids[0]) violated(`${fqdn} leads to ${leadsTo.get(fqdn)}, and its node is ${ids[0]}`);
    };
    return {
      committed: (changes) => {
        const touched = new Set<string>();
        for (const { after } of changes) {
          if (after.key.sk !== 'fqdn') continue;
          const fqdn = decodeURIComponent(after.key.pk.slice('fqdn#'.length));
          leadsTo.set(fqdn, (after.body as { node: string }).node);
          touched.add(fqdn);
        }
        for (const { id, before, after } of nodeSteps(changes)) {
          if (before && after && before.fqdn !== after.fqdn) violated(`${id} was ${before.fqdn} and is ${after.fqdn}`);
          const { fqdn } = (after ?? before)!;
          const holders = members.get(fqdn) ?? new Set<string>();
          members.set(fqdn, holders);
          if (isMember(after)) holders.add(id);
          else holders.delete(id);
          touched.add(fqdn);
        }
        for (const fqdn of touched) check(fqdn);
        const zone = truth.take(changes)?.after;
        const present = zone ? indexesOf(zone).filter((index) => !['none', 'dropped'].includes(standingIn(zone, index))) : [];
        const fqdns = present.map((index) => zone!.members[index]?.fqdn ?? `nobody at ${index}`);
        if (new Set(fqdns).size < fqdns.length) violated(`the roster has ${fqdns.sort().join(', ')}`);
      },
    };
  },
};
