import { view } from './router.tsx';

/** The views of the page by the paths of their addresses, in the order of the keys 1 to 9 that lead to those without parameters. */
export const views = [
  view('/', 'Overview', () => import('./overview/overview.tsx')),
  view('/nodes/:id', 'Node', () => import('./node/node.tsx')),
  view('/systems', 'Systems', () => import('./systems/systems.tsx')),
] as const;
