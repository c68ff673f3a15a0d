import { lazy, Suspense } from 'react';
import { Waiting } from '../kit/kit.tsx';
import { Tabs } from '../kit/tabs.tsx';
import type { ViewProps } from '../router.tsx';
import { badgeOf } from './badge.ts';
import { useWaitingCounts } from './count.ts';
import { SystemsTab } from './systems/systems-tab.tsx';

const HostsTab = lazy(() => import('./hosts/hosts-tab.tsx'));
const TokensTab = lazy(() => import('./tokens/tokens-tab.tsx'));

/** Who wants to come in: client systems and hosts that wait for an administrator, and the tokens that spare them that. */
export default function Onboarding({ search }: ViewProps) {
  const { systems, hosts } = useWaitingCounts();
  const tabs = [
    { id: 'systems', title: `Client systems ${badgeOf([systems]) ?? ''}` },
    { id: 'hosts', title: `Hosts ${badgeOf([hosts]) ?? ''}` },
    { id: 'tokens', title: 'Tokens' },
  ];
  const at = tabs.find(({ id }) => id === search['tab'])?.id ?? 'systems';
  return (
    <div className="onboarding">
      <header>
        <h1>Onboarding</h1>
        <Tabs path="/onboarding" tabs={tabs} at={at} />
      </header>
      <Suspense fallback={<Waiting />}>
        {at === 'systems' && <SystemsTab search={search} />}
        {at === 'hosts' && <HostsTab search={search} />}
        {at === 'tokens' && <TokensTab />}
      </Suspense>
    </div>
  );
}
