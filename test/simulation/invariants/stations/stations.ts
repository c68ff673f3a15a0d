import type { EpochMs } from '../../../../lib/core/time.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import { recoveryCoordinator } from '../../../../lib/services/rows/own-work.ts';
import type { Stations } from '../../../../lib/stations/stations.ts';
import type { Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { skewMs } from '../rows.ts';
import { ServiceRows } from '../service-rows.ts';
import { countsMs, heardAt, isMajority, StationSets, type StationStep, stationSteps } from '../station-rows.ts';

/** Whoever acts under a number that another had could undo what that one did. */
export const epochs: Invariant = {
  name: 'epochs-only-grow',
  says: 'the epoch of a zone never goes back, and each coordinator has one of its own, higher than any before, also after another set or none',
  begin: ({ violated }) => {
    const holders = new Map<string, string>();
    return {
      committed: (changes) => {
        for (const { zone, before, after } of stationSteps(changes)) {
          const { coordinator, epoch } = after;
          if (before && epoch < before.epoch) violated(`the epoch of ${zone} was ${before.epoch} and is ${epoch}`);
          if (!coordinator) continue;
          if (coordinator.epoch !== epoch)
            violated(`${coordinator.host} coordinates ${zone} under ${coordinator.epoch}, and the last is ${epoch}`);
          const known = holders.get(`${zone} ${epoch}`);
          if (known !== undefined && known !== coordinator.node)
            violated(`epoch ${epoch} of ${zone} was of ${known}, and is of ${coordinator.node}`);
          holders.set(`${zone} ${epoch}`, coordinator.node);
        }
      },
    };
  },
};

/** Two halves are none; and whoever coordinated may not know yet that this is over. */
export const elections: Invariant = {
  name: 'a-majority-elects-a-coordinator',
  says: 'another coordinates only where more than half of all stations are heard and it is one of those, and not before a lease and a tenth of it have passed since the last word of the one before',
  begin: ({ violated }) => {
    /** What was last heard of who coordinated last, by zone. */
    const last = new Map<string, { readonly node: string; readonly at: EpochMs }>();
    return {
      committed: (changes) => {
        for (const step of stationSteps(changes)) {
          const { zone, at, before, after } = step;
          const next = after.coordinator;
          const was = before?.coordinator;
          if (was) last.set(zone, { node: was.node, at: lastHeard(before, was.host, was.node) ?? last.get(zone)?.at ?? at });
          if (!next || next.node === was?.node) continue;
          const heard = heardAt(after, (at - skewMs) as EpochMs);
          if (!isMajority(heard.length, after)) violated(`${told(step)} while ${heard.length} of ${after.hosts.length} stations are heard`);
          if (!heard.includes(next.host)) violated(`${told(step)}, which is not heard`);
          const former = last.get(zone);
          if (former && former.node !== next.node && at < former.at + countsMs - skewMs)
            violated(`${told(step)} ${at - former.at} ms after the last word of ${former.node}`);
        }
      },
    };
  },
};

const lastHeard = ({ leases }: Stations, host: string, node: string): EpochMs | undefined =>
  leases[host]?.node === node ? leases[host].renewedAt : undefined;
const told = ({ zone, after, row }: StationStep): string => `${after.coordinator?.host} coordinates ${zone} by ${row.by} (${row.because})`;

/** Two who act at once may each undo what the other does. */
export const oneActs: Invariant = {
  name: 'no-two-coordinators-act-at-once',
  says: 'in a zone no two hosts hold themselves entitled to act on site at the same moment, copies of machines aside; what coordinates is registered on the node that the stations have elected alone, as the start that is its epoch',
  begin: ({ world, violated }) => {
    const rows = new ServiceRows();
    const zones = new Map<string, Stations>();
    const look = (): void => {
      const acting = new Map<string, string>();
      for (const { name, zone = 'default', onSite, wasCloned } of world().hosts) {
        if (wasCloned || onSite?.coordinator.acts() === undefined) continue;
        const other = acting.get(zone);
        if (other !== undefined) violated(`in ${zone} both ${other} and ${name} act`);
        acting.set(zone, `${name} (epoch ${onSite.coordinator.acts()})`);
      }
    };
    return {
      asked: look,
      answered: look,
      committed: (changes) => {
        for (const { zone, after } of stationSteps(changes)) zones.set(zone, after);
        if (!rows.take(changes)) return;
        for (const { type, zone, node, start } of rows.services.values()) {
          if (type !== recoveryCoordinator) continue;
          const elected = zones.get(zone)?.coordinator;
          if (elected?.node !== node || elected.epoch !== start)
            violated(`${type} ${start} is on ${node}, and ${zone} has elected ${elected?.node} for ${elected?.epoch}`);
        }
      },
    };
  },
};

/** A few who name others could make themselves a majority. */
export const sets: Invariant = {
  name: 'a-set-changes-with-a-majority-of-the-old',
  says: 'other stations are named in the place of those that there are only while more than half of these are heard, or none once somebody has given them up by hand',
  begin: ({ violated }) => ({
    committed: (changes) => {
      for (const { zone, at, before, after } of stationSteps(changes)) {
        if (!before || before.hosts.length === 0 || before.hosts.join() === after.hosts.join()) continue;
        if (after.named.by === 'reset' && after.hosts.length === 0) continue;
        // Who decided looked a moment before, by its own clock.
        const heard = heardAt(before, (at - skewMs) as EpochMs);
        if (!isMajority(heard.length, before))
          violated(
            `the stations of ${zone} were ${before.hosts.join(', ')}, and are ${after.hosts.join(', ')}, while ${heard.length} were heard`,
          );
      }
    },
  }),
};

/** A node of another zone is never heard as a station of this one. */
export const ofTheZone: Invariant = {
  name: 'stations-are-of-their-zone',
  says: 'nobody is named a station who is a node of another zone at that moment',
  begin: ({ violated }) => {
    const holders = new Holders();
    return {
      committed: (changes) => {
        for (const { zone, before, after } of stationSteps(changes)) {
          const named = after.hosts.filter((one) => !before?.hosts.includes(one));
          const foreign = named
            .flatMap((host) => holders.of(host) ?? [])
            .find((node) => node.zone !== zone && node.removedAt === undefined);
          if (foreign) violated(`${foreign.fqdn} of ${foreign.zone} was named a station of ${zone}`);
        }
        holders.take(changes);
      },
    };
  },
};

/** Which node has a name, by all commits so far. */
class Holders {
  readonly #nodes = new Map<string, Node>();
  readonly #named = new Map<string, string>();

  of = (host: string): Node | undefined => this.#nodes.get(this.#named.get(host) ?? '');

  take(changes: readonly Committed[]): void {
    for (const { after } of changes) {
      const [noun, id = ''] = after.key.pk.split('#');
      if (noun === 'fqdn') this.#named.set(decodeURIComponent(id), (after.body as { node: string }).node);
      if (after.key.sk !== 'node') continue;
      if (after.gone) this.#nodes.delete(id);
      else this.#nodes.set(id, after.body as Node);
    }
  }
}

/** Once everything is on again nobody has to name them anew. */
export const groupBack: Invariant = {
  name: 'the-group-is-back-at-the-end',
  says: 'once faults have ended the stations of a zone are those that an operator wants, more than half of them are heard, one of them coordinates, and nobody waits for them',
  begin: ({ kernel, world }) => {
    const sets = new StationSets();
    return {
      committed: (changes) => void sets.take(changes, kernel.now),
      unrest: () =>
        [...world().stations].flatMap(([zone, wanted]) => {
          const stations = sets.of(zone);
          if (!stations) return [`${zone} has no stations`];
          const heard = heardAt(stations, kernel.now);
          return [
            ...(stations.hosts.join() === [...wanted].sort().join() ? [] : [`the stations of ${zone} are ${stations.hosts.join(', ')}`]),
            ...(isMajority(heard.length, stations) ? [] : [`${heard.length} of ${stations.hosts.length} stations of ${zone} are heard`]),
            ...(stations.coordinator && heard.includes(stations.coordinator.host) ? [] : [`nobody coordinates ${zone}`]),
          ];
        }),
    };
  },
};
