import { Tabs } from '../kit/tabs.tsx';
import type { ViewProps } from '../router.tsx';
import { DeadLetters } from './dead-letters.tsx';
import { Queues } from './queues.tsx';
import { Webhooks } from './webhooks.tsx';

const tabs = [
  { id: 'queues', title: 'Queues and rules' },
  { id: 'dead-letters', title: 'Dead letters' },
  { id: 'webhooks', title: 'Webhooks' },
] as const;

/** What Muster itself does: what waits, what failed, and where events are delivered. */
export default function Operations({ search }: ViewProps) {
  const at = search['tab'] ?? tabs[0].id;
  return (
    <>
      <h1>Operations</h1>
      <Tabs path="/operations" tabs={tabs} at={at} />
      {at === 'dead-letters' ? <DeadLetters picked={search['id']} /> : at === 'webhooks' ? <Webhooks picked={search['id']} /> : <Queues />}
    </>
  );
}
