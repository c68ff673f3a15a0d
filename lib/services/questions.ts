import type { Unchecked } from '../core/check.ts';
import type { Fqdn, InstanceId, NodeId, ServiceTypeName } from '../core/ids.ts';
import type { Condition, QuestionRule, ServiceType } from './rows/service-type.ts';
import type { ViewedState } from './rows/shown.ts';
import { Held, instanceOf, type Service } from './service.ts';
import { type Known, type Refused, refused, unfit } from './verdict.ts';

/** A question of a service to Muster: the instance that asks, the question of its type, and its data, as JSON text. */
export type AskedByService = {
  readonly instance: InstanceId;
  readonly question: ServiceTypeName;
  readonly data: string | undefined;
};

/** A resource as a question names it. */
const Named = Held.pick({ kind: true, id: true }).loose();
/** The rule that answers a question and, for a question about the holder of a resource, that resource. */
export type Answerable = Exclude<QuestionRule, { is: 'holder' }> | { readonly is: 'holder'; readonly resource: Pick<Held, 'kind' | 'id'> };

/** Resolves a question of a service of a node to the rule that answers it, or to a refusal. */
export function answerableOf(
  {
    service,
    type,
    host,
    ...known
  }: Known & {
    readonly service: Service | undefined;
    readonly type: ServiceType | undefined;
    readonly host: Fqdn;
  },
  { instance, question, data = 'null' }: AskedByService,
): { readonly does: 'answer'; readonly service: Service; readonly what: Answerable } | Refused | Unchecked {
  if (!service) return refused('service-not-running', `no service of this type is registered on ${host}`);
  const runs = instanceOf(service);
  if (instance !== runs)
    return refused('service-not-running', `instance ${instance} is not the one that runs: ${runs} of ${service.type} is`);
  const declared = type?.questions?.find(({ name }) => name === question);
  const names = (type?.questions ?? []).map(({ name }) => name).join(', ');
  if (!declared)
    return refused('unknown-message', `${service.type} has no question ${question}: it may ask ${names === '' ? 'none' : names}`);
  const obstacle = unfit(service.type, known, {
    check: { schema: declared.data, data },
    otherwise: ['invalid', `the data does not fit the question ${question}`],
  });
  if (obstacle) return obstacle;
  const { rule } = declared;
  if (rule.is !== 'holder') return { does: 'answer', service, what: rule };
  const named = Named.safeParse(JSON.parse(data));
  if (named.success) return { does: 'answer', service, what: { is: 'holder', resource: { kind: named.data.kind, id: named.data.id } } };
  const wrong = named.error.issues.map(({ path, message }) => ({
    pointer: path.map((part) => `/${String(part)}`).join(''),
    detail: message,
  }));
  return refused('invalid', `the question ${question} names no resource: give a kind and an id`, wrong);
}

/** The fields of a service that the rules use. */
export type Peer = { readonly node: NodeId; readonly type: ServiceTypeName; readonly state: ViewedState['is'] };

/** The services of the same name in a zone, without the service itself. */
export const peersOf = <P extends Pick<Peer, 'node' | 'type'>>({ node, type }: Pick<Service, 'node' | 'type'>, named: readonly P[]): P[] =>
  named.filter((one) => one.node !== node || one.type !== type);

/**
 * Whether a service may stop: yes while at least `leave` of its peers are online. A peer whose node is lost is not
 * online.
 */
export function mayStop(leave: number, peers: readonly Peer[]): { readonly yes: boolean; readonly because: string } {
  const online = peers.filter(({ state }) => state === 'online').length;
  return { yes: online >= leave, because: `other services of its name online: ${online}; needed: ${leave}` };
}

/** The count for a condition: the number of online services that it asks for, or of other holders of its resource. */
export type Counted = { readonly condition: Condition; readonly count: number };

const holds = ({ condition, count }: Counted): boolean => (condition.is === 'free' ? count === 0 : count >= condition.atLeast);

function countText({ condition, count }: Counted): string {
  switch (condition.is) {
    case 'peers':
      return `other services of its name online: ${count}; needed: ${condition.atLeast}`;
    case 'service':
      return `services ${condition.name} online: ${count}; needed: ${condition.atLeast}`;
    case 'related':
      return `services of the relation ${condition.by} online: ${count}; needed: ${condition.atLeast}`;
    case 'free':
      return `${condition.kind} ${condition.id} is held by ${count === 0 ? 'no other service' : `other services: ${count}`}`;
  }
}

/** The answer of a type's own rule, from the counts for its conditions. */
export const decidedBy = (is: 'all' | 'any', counted: readonly Counted[]): { readonly yes: boolean; readonly because: string } => ({
  yes: is === 'all' ? counted.every(holds) : counted.some(holds),
  because: counted.map(countText).join('. '),
});
