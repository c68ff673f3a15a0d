import { directHeader } from '../api/direct.ts';
import { Refusal } from '../api/problem.ts';
import { routeMethod } from '../api/router.ts';
import type { RouteFunction } from './function.ts';
import { refuse } from './on-route.ts';
import type { Reply } from './reply.ts';

/** A function at an address of its own, which answers only one of its routes, such as `POST /nodes/{id}/heartbeat`. */
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
        : refuse(new Refusal('not-found', `this address answers only ${route}`), request, shell),
  };
}

/** A function whose answers name another address that also answers one of its routes. */
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
