import { directHeader } from '../api/direct.ts';
import { Refusal } from '../api/problem.ts';
import { routeMethod } from '../api/router.ts';
import type { RouteFunction } from './function.ts';
import { refuse } from './on-route.ts';
import type { Reply } from './reply.ts';

/**
 * A function as it is called at an address of its own, where one of its routes is answered (such as
 * `POST /nodes/{id}/heartbeat`), and nothing else.
 */
export function only({ handle }: RouteFunction, route: string): RouteFunction {
  const [method, path] = route.split(' ') as [string, string];
  const literal = (text: string): string => text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
  const form = new RegExp(
    `^${path
      .split(/\{\w+\}/)
      .map(literal)
      .join('[^/]+')}$`,
  );
  return {
    on: 'route',
    handle: (request, shell) =>
      routeMethod(request.method) === method && form.test(request.path)
        ? handle(request, shell)
        : refuse(new Refusal('not-found', `at this address there is ${route}, and nothing else`), request, shell),
  };
}

/** A function whose answers say at which other address one of its routes is answered as well. */
export function naming({ handle }: RouteFunction, address: string): RouteFunction {
  const named = (reply: Reply): Reply => ({ ...reply, headers: { ...reply.headers, [directHeader]: address } });
  return {
    on: 'route',
    handle: (request, shell) => {
      const reply = handle(request, shell);
      return reply instanceof Promise ? reply.then(named) : named(reply);
    },
  };
}
