import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { may } from '../api/rights.ts';
import { count, Facts, Status as Mark, Refused, Waiting } from '../kit/kit.tsx';
import { OrderButton } from '../kit/order.tsx';
import { asks } from '../live/queries.ts';
import { Link } from '../router.tsx';
import { Why } from '../why/why.tsx';
import { hostOf } from './asks.ts';
import { StopOrder } from './stop-order.tsx';

type Host = Reply<'getMeroNode'>;

/** A host of a cluster: its node, what can be done with its processes, and why its node is as it is. */
export function HostFacts({ zone, host, node }: { readonly zone: string; readonly host: string; readonly node: string | undefined }) {
  const { data, error } = useQuery(hostOf(zone, host));
  return (
    <>
      <Refused error={error} />
      {!data && !error && <Waiting />}
      {data && (
        <>
          <Orders zone={zone} of={data} />
          <Facts
            of={[
              ['Name', data.host],
              ['Node', data.node && <Mark key="node" is={data.node.status} />],
              ['Mero node', <code key="fid">{data.fid}</code>],
              ['Network', data.lnid],
              ['Processes', `${data.processes.filter(({ state }) => state === 'online').length} of ${data.processes.length} online`],
              ['By an operator', data.removing ? 'being removed' : data.stopped ? 'stopped' : undefined],
            ]}
          />
        </>
      )}
      {node === undefined ? (
        <p className="note">No node of this name is in the zone: nothing is known of the host until its agent calls in.</p>
      ) : (
        <>
          <p>
            <Link to={`/nodes/${node}`}>The page of its node</Link>
          </p>
          <Why kind="node" id={node} />
        </>
      )}
    </>
  );
}

function Orders({ zone, of: { host, stopped, processes } }: { readonly zone: string; readonly of: Host }) {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const [isStopping, setStopping] = useState(false);
  const managed = processes.filter((one) => one.managed).length;
  return (
    <div className="actions">
      {stopped && may(rights, 'startMeroNode', zone) && (
        <OrderButton
          className="primary"
          does={() => call('startMeroNode', { params: { zone, node: host } })}
          done={({ because }) => because}
        >
          Start its processes
        </OrderButton>
      )}
      {!stopped && managed > 0 && may(rights, 'stopMeroNode', zone) && (
        <button type="button" className="danger" onClick={() => setStopping(true)}>
          Stop its processes…
        </button>
      )}
      {isStopping && (
        <StopOrder
          what={`all processes of ${host}`}
          does={`The ${count(managed, 'process', 'processes')} that Muster manages there end, and stay stopped until the host is started again. No level waits for them meanwhile.`}
          order={(force) => call('stopMeroNode', { params: { zone, node: host }, body: { force } })}
          onClose={() => setStopping(false)}
        />
      )}
    </div>
  );
}
