import type { Exchange } from './exchange.ts';
import { foundIn } from './of-answers.ts';
import { heardOf } from './of-calls.ts';
import { type GatewayPromise, heardFor, named, type Seen, type TakenPart } from './promise.ts';

const scheduling: ReadonlySet<string> = new Set(['system.scheduleReboot', 'system.scheduleApplyHighstate']);

/** The number that a call was given for what servers have scheduled: its value, or in the words of a fault. */
function numberOf({ response }: Exchange): number | undefined {
  if (response?.ok) return typeof response.value === 'number' ? response.value : undefined;
  const [, number] = /; what is done is action (\d+)$/.exec(response?.fault.text ?? '') ?? [];
  return number === undefined ? undefined : Number(number);
}

/** What servers have scheduled for a call: all that is done, or for a fault what it says of them. */
const partsOf = (exchange: Exchange, seen: Seen): TakenPart[] => {
  const { response } = exchange;
  const [, done = ''] = (response?.ok === false && /[;(] ?done on ([^;)]*)\)/.exec(response.fault.text)) || [];
  return heardOf(exchange, seen).flatMap(({ node, action }) =>
    action !== undefined && (response?.ok || done.split(', ').includes(node)) ? [{ node, id: action }] : [],
  );
};

const numbersAreOfOneAction: GatewayPromise = {
  name: 'a-number-of-an-action-is-never-anothers',
  says: 'what servers have scheduled for a call has a number of the cluster that no other action has or had, also where some of them have failed',
  *ofExchange(exchange, seen) {
    const number = numberOf(exchange);
    // A list without systems goes to any server, and what that schedules is for nobody.
    if (number === undefined || !scheduling.has(exchange.method) || !seen.world.isSeveral || exchange.systems.length === 0) return;
    if (seen.actions.has(number)) yield `${number} is another's already: ${named(exchange)}`;
    const parts = partsOf(exchange, seen);
    if (parts.length === 0) yield `${number} stands for nothing: ${named(exchange)}`;
    seen.actions.set(number, parts);
  },
};

const numbersLeadToTheirParts: GatewayPromise = {
  name: 'the-number-of-an-action-leads-to-its-parts',
  says: 'whoever asks by the number of an action is answered by all servers that have a part of it, about that part, and by no other; one that is missing is named',
  *ofExchange(exchange, seen) {
    const { follows, response, failed } = exchange;
    const parts = follows === undefined ? undefined : seen.actions.get(follows);
    if (!parts || !response) return;
    if (!response.ok) {
      if (response.fault.text.endsWith(`Could not find action with id: ${follows}`)) yield `${follows} is not known: ${named(exchange)}`;
      return;
    }
    const answered = foundIn(exchange, seen).map(({ served }) => served);
    for (const { node, params, n, isTroubled } of answered)
      if (!isTroubled && !parts.some((part) => part.node === node && part.id === params[0]))
        yield `${node} was asked about ${String(params[0])} (${n}), which is no part of ${follows}: ${named(exchange)}`;
    for (const { node, id } of parts.filter((part) => !failed.has(part.node))) {
      const heard = heardFor(exchange, seen, node).filter(({ params }) => params[0] === id);
      if (heard.length === 0) yield `${node} was not asked about ${id}, its part of ${follows}: ${named(exchange)}`;
    }
  },
};

/** What the gateway promises of actions and their numbers. */
export const ofActions: readonly GatewayPromise[] = [numbersAreOfOneAction, numbersLeadToTheirParts];
