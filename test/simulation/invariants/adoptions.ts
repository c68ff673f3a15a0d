import type { Client, ClientAlias } from '../../../lib/clients/client.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import type { Adoption } from '../../../lib/uyuni/adoption/rows/adoption.ts';
import type { Committed } from '../watching.ts';
import type { SimulatedHost } from '../world/host.ts';
import type { Invariant } from './invariant.ts';

const bodyOf = <T>(row: Committed['before']): T | undefined => (row === undefined || row.gone ? undefined : (row.body as T));

/** The client systems of a commit that have an event of this type, which it was made for. */
const withEvent = (changes: readonly Committed[], type: string) =>
  changes.flatMap(({ before, after }) => {
    const event = after.rev > (before?.rev ?? 0) ? after.events.find((one) => one.type === type) : undefined;
    const client = bodyOf<Client>(after);
    return after.key.sk === 'client' && event && client ? [{ client, data: event.data as { readonly before?: string } }] : [];
  });

/** Why an adopted client system is not where it was; `isTheirs`: whether a node has a system with this key. */
function whyNotAtHome(client: Client, isTheirs: (node: string, fp: string) => boolean): string | undefined {
  if (client.standing !== 'accepted') return `and is ${client.standing}`;
  const { told, pin, fp } = client;
  if (!told || told.confirmedAt === undefined || pin?.index !== told.index || pin.hard) return 'and is not at home where it is';
  return isTheirs(told.node, fp) ? undefined : `on ${told.node}, and is none of its`;
}

/** Why a client system whose daemon has introduced itself is not what it was. */
function whyAnother(changes: readonly Committed[], client: Client, before: string | undefined): string | undefined {
  const former = changes.find(({ after }) => after.key.pk === `client#${before}` && after.key.sk === 'client');
  const [was, is] = [bodyOf<Client>(former?.before), bodyOf<Client | ClientAlias>(former?.after)];
  if (was?.standing !== 'accepted' || client.standing !== 'accepted') return 'and was not accepted';
  if (is?.standing !== 'alias' || is.of !== client.fp) return 'and its former key does not lead to it';
  const isSame = JSON.stringify([was.told, was.pin, was.zone]) === JSON.stringify([client.told, client.pin, client.zone]);
  return isSame ? undefined : 'and has another place';
}

/** How many systems a commit adopts by the count of the order; none by a dry run. */
function countedIn(changes: readonly Committed[]): number {
  const row = changes.find(({ after }) => after.key.sk === 'adoption');
  const [was, is] = [bodyOf<Adoption>(row?.before), bodyOf<Adoption>(row?.after)];
  return is && !is.dryRun && was?.order === is.order ? is.adopted - was.adopted : 0;
}

/** Why an order is not at rest. */
function whyOpen({ state, order, total, adopted, known, left, why }: Adoption, { fqdn }: SimulatedHost): string | undefined {
  if (state === 'ordered' || state === 'under-way') return `order ${order} to adopt the systems of ${fqdn} is open`;
  const counted = adopted + known + left;
  return why === undefined && counted !== total ? `order ${order} has counted ${counted} of ${total} systems of ${fqdn}` : undefined;
}

/** Somebody's production systems are taken over: none of them may notice. */
export const adoptions: Invariant = {
  name: 'adoption-moves-nobody',
  says: 'a client system is made without a knock only by an order to adopt that is open and no dry run, which counts it in the same commit; it is then confirmed on the node of its own server, and pinned there softly; once its daemon knocks, that is it, with the same place, and the key of its minion leads to it; in the end an order whose node is there has ended, and has counted each system of its server once',
  begin: ({ violated, world }) => {
    const names = new Map<string, string>();
    const isTheirs = (node: string, fp: string): boolean =>
      world().hosts.some(({ fqdn, legacy }) => fqdn === names.get(node) && legacy?.all.some((one) => one.fp === fp));
    return {
      committed: (changes) => {
        for (const { after } of changes) {
          const node = bodyOf<Node>(after);
          if (after.key.sk === 'node' && node) names.set(node.id, node.fqdn);
        }
        const adopted = withEvent(changes, 'client.adopted');
        for (const { client } of adopted) {
          const why = whyNotAtHome(client, isTheirs);
          if (why !== undefined) violated(`${client.fqdn} is adopted ${why}`);
        }
        for (const { client, data } of withEvent(changes, 'client.introduced')) {
          const why = whyAnother(changes, client, data.before);
          if (why !== undefined) violated(`${client.fqdn} is introduced, ${why}`);
        }
        const counted = countedIn(changes);
        if (adopted.length !== counted) violated(`${adopted.length} systems are adopted, and ${counted} were counted`);
      },
      unrest: () => {
        const { cluster, hosts } = world();
        return [...cluster.store.rows.rows.values()].flatMap((row) => {
          if (row.key.sk !== 'adoption' || row.gone) return [];
          const host = hosts.find(({ state: own }) => own?.node !== undefined && row.key.pk === `node#${own.node}`);
          if (host?.state?.phase !== 'member' || !host.isOn || host.wasCloned) return [];
          return whyOpen(row.body as Adoption, host) ?? [];
        });
      },
    };
  },
};
