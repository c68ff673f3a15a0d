import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { may } from '../api/rights.ts';
import { Ago, Facts, Refused, Waiting } from '../kit/kit.tsx';
import { OrderButton } from '../kit/order.tsx';
import { spanText, useNow } from '../kit/time.ts';
import { asks } from '../live/queries.ts';
import { Why } from '../why/why.tsx';
import { configurationOf, processOf } from './asks.ts';
import { StopOrder } from './stop-order.tsx';

type Process = Reply<'getMeroProcess'>;

/** A process: its state and its goal, what can be done, its configuration, and why. */
export function ProcessFacts({ zone, fid }: { readonly zone: string; readonly fid: string }) {
  const { data, error } = useQuery(processOf(zone, fid));
  if (error && !data) return <Refused error={error} />;
  if (!data) return <Waiting />;
  return (
    <>
      {data.reason !== undefined && <p className="note bad">{data.reason}</p>}
      <Retry of={data} />
      <Orders zone={zone} of={data} />
      <AllFacts of={data} />
      {data.goal !== undefined && <Configuration key={fid} zone={zone} fid={fid} />}
      <Why kind="process" id={fid} zone={zone} />
    </>
  );
}

function Retry({ of: { retryAt } }: { readonly of: Process }) {
  const now = useNow();
  return retryAt === undefined ? null : <p className="note">Muster starts it again in {spanText(Date.parse(retryAt) - now)}.</p>;
}

const goals = { run: 'runs', stop: 'does not run', watch: 'is only watched' } as const;

function AllFacts({ of }: { readonly of: Process }) {
  const { endpoint, host, since, goal, managed, start, pid, role, devices, stopped, removing, previous, fid } = of;
  return (
    <Facts
      of={[
        ['Endpoint', endpoint],
        ['Host', host],
        ['Fid', <code key="fid">{fid}</code>],
        ['Since', <Ago key="since" at={since} />],
        ['Goal', goal && goals[goal]],
        ['Managed', managed ? 'by Muster' : 'by its owner'],
        ['Starts ordered', start],
        ['Pid', pid],
        ['Was before', previous],
        ['Role', role],
        ['Devices', devices > 0 ? devices : undefined],
        ['By an operator', removing ? 'being removed' : stopped ? 'stopped' : undefined],
      ]}
    />
  );
}

function Orders({ zone, of: { fid, type, managed, goal, stopped, state } }: { readonly zone: string; readonly of: Process }) {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const [isStopping, setStopping] = useState(false);
  if (goal === undefined || type.tag === 'PLHalon') return null;
  const canStart = stopped !== undefined || state === 'offline' || state === 'failed';
  return (
    <div className="actions">
      {may(rights, 'startMeroProcess', zone) && canStart && (
        <OrderButton does={() => call('startMeroProcess', { params: { zone, fid } })} done={({ because }) => because}>
          {managed ? 'Start' : 'Start once'}
        </OrderButton>
      )}
      {may(rights, 'stopMeroProcess', zone) && managed && stopped === undefined && (
        <button type="button" className="danger" onClick={() => setStopping(true)}>
          Stop…
        </button>
      )}
      {isStopping && (
        <StopOrder
          what={`process ${fid}`}
          does="It ends, and stays stopped until it is started again. No level waits for it meanwhile."
          order={(force) => call('stopMeroProcess', { params: { zone, fid }, body: { force } })}
          onClose={() => setStopping(false)}
        />
      )}
    </div>
  );
}

function Configuration({ zone, fid }: { readonly zone: string; readonly fid: string }) {
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useQuery({ ...configurationOf(zone, fid), enabled: isOpen });
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Configuration</summary>
      <Refused error={error} />
      {data && (
        <>
          <p className="soft wrap">{data.file}</p>
          <pre>{data.variables.map(({ name, value }) => `${name}=${value}`).join('\n')}</pre>
        </>
      )}
    </details>
  );
}
