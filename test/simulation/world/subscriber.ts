import type { PublishedType } from '../../../events/catalogue.ts';
import { contract } from '../../../lib/contract.ts';
import { plusMs } from '../../../lib/core/time.ts';
import type { WebhookId } from '../../../lib/webhooks/webhook.ts';
import type { Around, Cluster } from '../cluster.ts';
import { between, oneOf } from '../random.ts';
import { Person } from './people.ts';

/** The most webhooks that he has at once: each is sent every event that it asks for. */
const atOnceMax = 5;

/** What somebody may want to hear of, each for itself. */
const someTypes: readonly (readonly [PublishedType, ...PublishedType[]])[] = [
  ['node.joined', 'node.activated'],
  ['node.suspected', 'node.recovered', 'node.lost'],
  ['client.accepted'],
  ['client.seen', 'client.assigned'],
  ['zone.rebalanced'],
];

/**
 * Somebody who has events delivered to webhooks: all, some types or those of a zone; and disturbs it now and then; in a
 * world that has such a one.
 */
export function haveDelivered(around: Around, cluster: Cluster, isOver: () => boolean): void {
  if (!around.config.webhooks) return;
  const person = new Person('subscriber', around, cluster, isOver);
  const { random } = person;
  let made = 0;
  const add = async (asks: {
    types?: readonly PublishedType[];
    severity?: 'alarm' | 'notice';
    zones?: readonly string[];
  }): Promise<unknown> => {
    const standing = await person.ask(contract.listWebhooks);
    if (!standing || standing.items.length >= atOnceMax) return undefined;
    made += 1;
    return person.ask(contract.addWebhook, { body: { url: `https://hooks.simulated.test/${made}`, ...asks } });
  };
  const withSome = async (does: (id: WebhookId) => Promise<unknown>): Promise<unknown> => {
    const found = oneOf(random, (await person.ask(contract.listWebhooks))?.items ?? []);
    return found && does(found.id);
  };
  const enable = async (): Promise<void> => {
    const listed = await person.ask(contract.listWebhooks);
    for (const { id, status } of listed?.items ?? [])
      if (status === 'disabled') await person.ask(contract.enableWebhook, { params: { id } });
  };
  const replay = (id: WebhookId): Promise<unknown> => {
    const since = new Date(plusMs(around.kernel.now, -60_000 * between(random, 1, 10))).toISOString();
    return person.ask(contract.replayDeliveries, { params: { id }, body: { since, ...(random() < 0.5 && { status: 'dead' }) } });
  };
  const replaySubject = async (id: WebhookId): Promise<unknown> => {
    const node = await person.someNode();
    return node && person.ask(contract.replayDeliveries, { params: { id }, body: { subject: `node/${node}`, fromNumber: 1 } });
  };
  void add({});
  person.work([
    () => add({ types: oneOf(random, someTypes)! }),
    () => add({ severity: oneOf(random, ['alarm', 'notice'] as const)! }),
    () => add({ zones: [oneOf(random, cluster.zones.names)!] }),
    () => add({ zones: [oneOf(random, cluster.zones.names)!], types: oneOf(random, someTypes)! }),
    () => withSome((id) => person.ask(contract.removeWebhook, { params: { id } })),
    () => withSome((id) => person.ask(contract.rotateWebhook, { params: { id } })),
    () => withSome((id) => person.ask(contract.testWebhook, { params: { id } })),
    () => withSome(replay),
    () => withSome(replaySubject),
    enable,
  ]);
}
