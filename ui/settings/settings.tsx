import { useQuery } from '@tanstack/react-query';
import { mayAnywhere } from '../api/rights.ts';
import { Tabs } from '../kit/tabs.tsx';
import { asks } from '../live/queries.ts';
import type { ViewProps } from '../router.tsx';
import { Deployment } from './deployment.tsx';
import { Keys } from './keys.tsx';
import { TokenKeys } from './token-keys.tsx';
import { Zones } from './zones.tsx';

/** What is set, who may call, and who is here. */
export default function Settings({ search }: ViewProps) {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const tabs = [
    { id: 'deployment', title: 'Deployment' },
    { id: 'zones', title: 'Zones' },
    ...(mayAnywhere(rights, 'listKeys') ? [{ id: 'keys', title: 'Keys and sessions' }] : []),
    { id: 'token-keys', title: 'Keys of tokens' },
  ];
  const at = tabs.find(({ id }) => id === search['tab'])?.id ?? tabs[0]!.id;
  return (
    <>
      <h1>Settings</h1>
      <Tabs path="/settings" tabs={tabs} at={at} />
      {at === 'deployment' && <Deployment />}
      {at === 'zones' && <Zones picked={search['zone']} />}
      {at === 'keys' && <Keys />}
      {at === 'token-keys' && <TokenKeys />}
    </>
  );
}
