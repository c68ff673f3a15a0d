import { view } from './router.tsx';

/** The views of the page by their paths. The keys 1 to 9 lead to those without parameters, in order. */
export const views = [
  view('/', 'Overview', () => import('./overview/overview.tsx')),
  view('/nodes/:id', 'Node', () => import('./node/node.tsx')),
  view('/onboarding', 'Onboarding', () => import('./onboarding/onboarding.tsx')),
] as const;
