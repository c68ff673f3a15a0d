import type { Client, ClientAlias } from '../../../lib/clients/client.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import type { Adoption } from '../../../lib/uyuni/adoption/rows/adoption.ts';
import type { Committed } from '../watching.ts';
import type { Invariant } from './invariant.ts';

type Known = Client | ClientAlias;

const bodyOf = <T>(row: Committed['before']): T | undefined => (row === undefined || row.gone ? undefined : (row.body as T));

/** Somebody's production systems are taken over: none of them may notice. */
export const adoptions: Invariant = {
  name: 'adoption-moves-nobody',
  says: 'a client system is made without a knock only by an order to adopt that is open and no dry run, which counts it in the same commit; it is then confirmed on the node of its own server, and pinned there softly; once its daemon knocks, that is it, with the same place, and the key of its minion leads to it; in the end an order whose node is there has ended, and has counted each system of its server once',
  begin: ({ violated, world }) => {
    const names = new Map<string, string>();
    const seeNode = ({ after }: Committed): void => {
      const node = bodyOf<Node>(after);
      if (after.key.sk === 'node' && node) names.set(node.id, node.fqdn);
    };
    const isTheirs = (fqdn: string | undefined, fp: string): boolean =>
      world()
        .hosts.find((host) => host.fqdn === fqdn)
        ?.legacy?.all.some((one) => one.fp === fp) === true;
    const seeAdopted = (client: Client): void => {
      if (client.standing !== 'accepted') return violated(`${client.fqdn} is adopted, and ${client.standing}`);
      const { told, pin, fp } = client;
      if (!told || told.confirmedAt === undefined || pin?.index !== told.index || pin.hard)
        violated(`${client.fqdn} is adopted, and is not at home where it is`);
      if (!isTheirs(names.get(told?.node ?? ''), fp))
        violated(`${client.fqdn} is adopted on ${names.get(told?.node ?? '')}, and is none of its`);
    };
    const seeIntroduced = (changes: readonly Committed[], client: Client, before: string): void => {
      const former = changes.find(({ after }) => after.key.pk === `client#${before}` && after.key.sk === 'client');
      const [was, is] = [bodyOf<Known>(former?.before), bodyOf<Known>(former?.after)];
      if (was?.standing !== 'accepted' || client.standing !== 'accepted')
        return violated(`${client.fqdn} is introduced, and was not accepted`);
      if (is?.standing !== 'alias' || is.of !== client.fp) violated(`${client.fqdn} is introduced, and its former key does not lead to it`);
      if (JSON.stringify([was.told, was.pin, was.zone]) !== JSON.stringify([client.told, client.pin, client.zone]))
        violated(`${client.fqdn} is introduced, and has another place`);
    };
    return {
      committed: (changes) => {
        let adopted = 0;
        for (const one of changes) {
          seeNode(one);
          if (one.after.key.sk !== 'client') continue;
          for (const { type, data } of one.after.rev > (one.before?.rev ?? 0) ? one.after.events : []) {
            const client = bodyOf<Client>(one.after);
            if (!client) continue;
            if (type === 'client.adopted') {
              adopted += 1;
              seeAdopted(client);
            }
            if (type === 'client.introduced') seeIntroduced(changes, client, String((data as { readonly before: string }).before));
          }
        }
        const row = changes.find(({ after }) => after.key.sk === 'adoption');
        const [was, is] = [bodyOf<Adoption>(row?.before), bodyOf<Adoption>(row?.after)];
        const counted = is && was?.order === is.order ? is.adopted - was.adopted : 0;
        if (adopted !== (is?.dryRun ? 0 : counted))
          violated(`${adopted} systems are adopted, and ${counted} were counted by order ${is?.order}`);
      },
      unrest: () => {
        const { cluster, hosts } = world();
        return [...cluster.store.rows.rows.values()].flatMap((row) => {
          if (row.key.sk !== 'adoption' || row.gone) return [];
          const { state, order, total, adopted, known, left, why } = row.body as Adoption;
          const host = hosts.find(({ state: own }) => own?.node !== undefined && row.key.pk === `node#${own.node}`);
          if (host?.state?.phase !== 'member' || !host.isOn || host.wasCloned) return [];
          if (state === 'ordered' || state === 'under-way') return [`order ${order} to adopt the systems of ${host.fqdn} is open`];
          const counted = adopted + known + left;
          return why === undefined && counted !== total
            ? [`order ${order} has counted ${counted} of ${total} systems of ${host.fqdn}`]
            : [];
        });
      },
    };
  },
};
