import { wiring } from '../../infra/wiring.ts';
import type { MusterFunction } from '../../lib/runtime/function.ts';

/** Every function of the wiring by name, loaded from its file. Throws when one is missing. */
export async function loadFunctions(): Promise<ReadonlyMap<string, MusterFunction>> {
  const loaded = await Promise.all(
    Object.keys(wiring.functions).map(async (name): Promise<[string, MusterFunction]> => {
      const module = (await import(`../../functions/${name}.ts`)) as { default: MusterFunction };
      return [name, module.default];
    }),
  );
  return new Map(loaded);
}

/**
 * The handlers of paths, by the literal beginning of a wired route, the longest first; a route without parameters is
 * the whole of its path.
 */
export function handlersOf(
  functions: ReadonlyMap<string, MusterFunction>,
): { readonly prefix: string; readonly isWhole: boolean; readonly handler: Extract<MusterFunction, { on: 'route' }> }[] {
  const handlers = Object.entries(wiring.functions).flatMap(([name, { routes = [] }]) => {
    const handler = functions.get(name);
    if (handler?.on !== 'route') return [];
    return routes.map((route) => {
      const path = route.split(' ')[1]!;
      const prefix = path.replace(/\{.*$/, '');
      return { prefix, isWhole: prefix === path, handler };
    });
  });
  return handlers.sort((a, b) => b.prefix.length - a.prefix.length);
}
