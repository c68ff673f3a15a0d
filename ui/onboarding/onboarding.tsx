import { lazy, Suspense } from 'react';
import { Waiting } from '../kit/kit.tsx';
import { Link, type ViewProps } from '../router.tsx';
import { badgeOf } from './badge.ts';
import { useWaitingCounts } from './count.ts';
import { SystemsTab } from './systems/systems-tab.tsx';

const HostsTab = lazy(() => import('./hosts/hosts-tab.tsx'));
const TokensTab = lazy(() => import('./tokens/tokens-tab.tsx'));

const tabs = [
  ['', 'Client systems'],
  ['hosts', 'Hosts'],
  ['tokens', 'Tokens'],
] as const;

/** Who wants to come in: client systems and hosts that wait for an administrator, and the tokens that spare them that. */
export default function Onboarding({ search }: ViewProps) {
  const tab = tabs.find(([name]) => name === search['tab'])?.[0] ?? '';
  const { systems, hosts } = useWaitingCounts();
  const counts: Readonly<Record<string, string | undefined>> = { '': badgeOf([systems]), hosts: badgeOf([hosts]) };
  return (
    <div className="onboarding">
      <header>
        <h1>Onboarding</h1>
        <nav className="tabs" aria-label="Onboarding">
          {tabs.map(([name, title]) => (
            <Link key={name} to="/onboarding" search={{ tab: name }} {...(name === tab && { 'aria-current': 'page' as const })}>
              {title} {counts[name] !== undefined && <small>{counts[name]}</small>}
            </Link>
          ))}
        </nav>
      </header>
      <Suspense fallback={<Waiting />}>
        {tab === '' && <SystemsTab search={search} />}
        {tab === 'hosts' && <HostsTab search={search} />}
        {tab === 'tokens' && <TokensTab />}
      </Suspense>
    </div>
  );
}
