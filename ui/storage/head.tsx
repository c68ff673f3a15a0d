import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { may } from '../api/rights.ts';
import { Ago, count, Status as Mark, short } from '../kit/kit.tsx';
import { asks } from '../live/queries.ts';
import type { Status } from './asks.ts';
import type { Order } from './cluster-order.tsx';
import { LoseDialog } from './lose-dialog.tsx';

/** What is asked about the whole cluster loads when it is asked. */
const ClusterOrder = lazy(async () => ({ default: (await import('./cluster-order.tsx')).ClusterOrder }));

/** The cluster in words: what it must be, what it is, why, and the orders about it as a whole. */
export function Head({ status, onLose }: { readonly status: Status; readonly onLose: (lose: string) => void }) {
  const { zone, disposition, because, loaded, managed, coordinator, levelSince } = status;
  return (
    <header className="cluster-head">
      <h2>{zone}</h2>
      <Mark is={disposition.toLowerCase()}>{disposition}</Mark>
      <p>{because}</p>
      <p className="soft">
        {count(managed.online, 'process', 'processes')} of {managed.all} online · level since <Ago at={levelSince} /> ·{' '}
        {coordinator === 'muster' ? 'Muster alone acts' : `${short(coordinator)} acts on site`}
        {loaded && (
          <>
            {' '}
            · {count(loaded.nodes, 'host')} with {count(loaded.devices, 'device')} loaded <Ago at={loaded.at} suffix=" ago" />
          </>
        )}
      </p>
      <Notes of={status} />
      <Orders status={status} onLose={onLose} />
    </header>
  );
}

/** What is out of the ordinary about a cluster, each in a line. */
function Notes({ of: { noQuorum, unheard, underWay } }: { readonly of: Status }) {
  return (
    <>
      {noQuorum !== undefined && <p className="note bad">{noQuorum}</p>}
      {unheard !== undefined && (
        <p className="note">
          {count(unheard, 'process', 'processes')} ran at the last report of hosts that are silent now: nobody knows whether they still do.
        </p>
      )}
      {underWay?.late === true && (
        <p className="note bad">
          This step has been under way for <Ago at={underWay.since} />, longer than it may take. The cluster goes on waiting.
        </p>
      )}
    </>
  );
}

function Orders({ status, onLose }: { readonly status: Status; readonly onLose: (lose: string) => void }) {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const [asked, setAsked] = useState<Order | 'lose'>();
  const { zone, disposition } = status;
  const close = (): void => setAsked(undefined);
  return (
    <div className="actions">
      <button type="button" onClick={() => setAsked('lose')}>
        What if…
      </button>
      {disposition === 'OFFLINE' && may(rights, 'startMero', zone) && (
        <button type="button" className="primary" onClick={() => setAsked('start')}>
          Start…
        </button>
      )}
      {disposition === 'ONLINE' && may(rights, 'stopMero', zone) && (
        <button type="button" className="danger" onClick={() => setAsked('stop')}>
          Stop…
        </button>
      )}
      {may(rights, 'resetMero', zone) && (
        <button type="button" className="danger" onClick={() => setAsked('reset')}>
          Reset…
        </button>
      )}
      {asked === 'lose' && <LoseDialog zone={zone} onLose={onLose} onClose={close} />}
      {asked !== undefined && asked !== 'lose' && (
        <Suspense>
          <ClusterOrder order={asked} status={status} onClose={close} />
        </Suspense>
      )}
    </div>
  );
}
