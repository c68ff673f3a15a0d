import type { Invariant } from '../invariant.ts';
import { isMember, type NodeStep, nodeSteps } from '../rows.ts';
import { indexesOf, standingIn, type ZoneState, ZoneTruth } from '../zones/zone-truth.ts';

/** A name is what client systems are told: two machines under one would each have half of them. */
export const names: Invariant = {
  name: 'a-name-is-one-node',
  says: 'no two members have one fqdn at once, and a member is the node that its name leads to, but for one that is out and waits for its replacement',
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    const leadsTo = new Map<string, string>();
    const members = new Map<string, Set<string>>();
    /** Nodes whose place another takes. */
    const out = new Set<string>();
    const check = (fqdn: string): void => {
      const ids = [...(members.get(fqdn) ?? [])];
      if (ids.length > 1) violated(`${fqdn} is the name of ${ids.join(' and ')}`);
      if (ids.length === 1 && leadsTo.get(fqdn) !== ids[0]) violated(`${fqdn} leads to ${leadsTo.get(fqdn)}, and its node is ${ids[0]}`);
    };
    /** Takes a step of a node in; the name that it is about. */
    const follow = ({ id, before, after }: NodeStep): string => {
      if (before && after && before.fqdn !== after.fqdn) violated(`${id} was ${before.fqdn} and is ${after.fqdn}`);
      const { fqdn } = (after ?? before)!;
      const holders = members.get(fqdn) ?? new Set<string>();
      members.set(fqdn, holders);
      const isOut = after?.replacedBy !== undefined;
      if (isMember(after) && !isOut) holders.add(id);
      else holders.delete(id);
      if (isOut) out.add(id);
      else out.delete(id);
      return fqdn;
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
        for (const step of nodeSteps(changes)) touched.add(follow(step));
        for (const fqdn of touched) check(fqdn);
        const zone = truth.take(changes)?.after;
        const fqdns = zone ? presentIn(zone, out) : [];
        if (new Set(fqdns).size < fqdns.length) violated(`the roster has ${fqdns.sort().join(', ')}`);
      },
    };
  },
};

/** The names in the roster of a zone, but for those of nodes that are out. */
const presentIn = (zone: ZoneState, out: ReadonlySet<string>): string[] =>
  indexesOf(zone).flatMap((index) => {
    const member = zone.members[index];
    const isGone = ['none', 'dropped'].includes(standingIn(zone, index)) || (member && out.has(member.node));
    return isGone ? [] : [member?.fqdn ?? `nobody at ${index}`];
  });
