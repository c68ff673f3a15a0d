import { view } from './router.tsx';

/** The views of the page by their paths. The keys 1 to 9 lead to those without parameters, in order. */
export const views = [
  view('/', 'Overview', () => import('./overview/overview.tsx')),
  view('/systems', 'Systems', () => import('./systems/systems.tsx')),
  view('/onboarding', 'Onboarding', () => import('./onboarding/onboarding.tsx')),
  view('/storage', 'Storage', () => import('./storage/storage.tsx')),
  view('/services', 'Services', () => import('./services/services.tsx')),
  view('/operations', 'Operations', () => import('./operations/operations.tsx')),
  view('/audit', 'Audit', () => import('./audit/audit.tsx')),
  view('/settings', 'Settings', () => import('./settings/settings.tsx')),
  view('/nodes/:id', 'Node', () => import('./node/node.tsx')),
] as const;
