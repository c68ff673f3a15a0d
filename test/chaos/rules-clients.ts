import type { Client } from '../../lib/clients/client.ts';
import { tagNumber } from './acknowledged.ts';
import type { Evidence, History } from './evidence.ts';
import type { Rule } from './rules.ts';
import { nameOf } from './rules-nodes.ts';

/** What was answered to client systems, and to the operator about them. */
export const clientRules: readonly Rule[] = [
  {
    name: 'knock',
    says: 'a client system whose knock was answered is known, and was seen for the first time once',
    against: (evidence) =>
      [...evidence.ack.knocked]
        .filter((fp) => !evidence.stored.clients.has(fp) || countOf(evidence, fp, 'client.seen') !== 1)
        .map((fp) => `${fp} knocked`),
  },
  {
    name: 'accept',
    says: 'a client system that was accepted is, and was once',
    against: (evidence) =>
      [...evidence.ack.accepted]
        .filter((fp) => evidence.stored.clients.get(fp)?.standing !== 'accepted' || countOf(evidence, fp, 'client.accepted') !== 1)
        .map((fp) => `${fp} was accepted`),
  },
  {
    name: 'told',
    says: 'a client system that was told a node was assigned to it',
    against: (evidence) =>
      [...evidence.ack.told].flatMap(([fp, names]) => {
        const assigned = new Set(
          eventsOf(evidence, fp).flatMap(({ type, data }) => (type === 'client.assigned' ? nameOf(evidence, String(data['node'])) : [])),
        );
        return [...names].filter((name) => !assigned.has(name)).map((name) => `${fp} was told ${name}`);
      }),
  },
  {
    name: 'confirmed',
    says: 'a client system that was onboarded stays so on its node, unless it was told another or unregistered since',
    against: (evidence) =>
      [...evidence.ack.onboarded].flatMap(([fp, { node, askedAt }]) =>
        staysOn(evidence, fp, node, askedAt)
          ? []
          : [`${fp} was onboarded on ${node}; its row says ${JSON.stringify(toldOf(evidence, fp))}`],
      ),
  },
  {
    name: 'unregister',
    says: 'every time that a client system was taken off its node is an event',
    against: (evidence) =>
      [...evidence.ack.unregistered]
        .filter(([fp, times]) => countOf(evidence, fp, 'client.unregistered') < times)
        .map(([fp, times]) => `${fp}, ${times} times`),
  },
  {
    name: 'tag',
    says: 'the tag that was set last is there, or a later one whose answer was lost',
    against: ({ ack, stored }) =>
      [...ack.tagged].flatMap(([fp, n]) => {
        const client = stored.clients.get(fp);
        const now = client?.standing === 'accepted' ? tagNumber(client.tags) : undefined;
        return now !== undefined && now >= n ? [] : [`${fp} was given tag ${n} and has ${now}`];
      }),
  },
];

const eventsOf = ({ history }: Evidence, fp: string): History => history.get(`client/${fp}`) ?? [];
const countOf = (evidence: Evidence, fp: string, type: string): number =>
  eventsOf(evidence, fp).filter((event) => event.type === type).length;

const toldOf = ({ stored }: Evidence, fp: string) => {
  const client: Client | undefined = stored.clients.get(fp);
  return client?.standing === 'accepted' ? client.told : undefined;
};

function staysOn(evidence: Evidence, fp: string, node: string, askedAt: number): boolean {
  const told = toldOf(evidence, fp);
  if (told && told.at >= askedAt) return true;
  if (!told) return eventsOf(evidence, fp).some(({ type, at }) => type === 'client.unregistered' && Date.parse(at) >= askedAt);
  return nameOf(evidence, told.node) === node && told.confirmedAt !== undefined;
}
