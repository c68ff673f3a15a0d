import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { may, type Rights } from '../api/rights.ts';
import { Confirm } from '../kit/confirm.tsx';
import { OrderButton } from '../kit/order.tsx';
import { asks, client } from '../live/queries.ts';
import { type Service, typesOf } from './asks.ts';
import { ConfigureDialog } from './configure-dialog.tsx';
import { isOrdered } from './listed.ts';
import { SendDialog } from './send-dialog.tsx';

type Asked = 'stop' | 'configure' | 'send';

/** What can be done with a service. What takes commands needs the scope to run commands. */
export function ServiceActions({ of }: { readonly of: Service }) {
  const { zone, type, state } = of;
  const rights = useQuery(asks.whoAmI).data?.rights;
  const its = useQuery(typesOf(zone)).data?.find(({ name }) => name === type);
  const [asked, setAsked] = useState<Asked>();
  const close = (): void => setAsked(undefined);
  // Putting a type and giving it something to run need the same scope, execute.
  const mayRun = its !== undefined && (!its.takesCommand || may(rights, 'putServiceType', zone));
  const isThere = state === 'online' || state === 'starting';
  return (
    <div className="actions">
      {isThere && <Asks of={of} rights={rights} />}
      {isThere && mayRun && its.messages.length > 0 && may(rights, 'sendService', zone) && (
        <button type="button" onClick={() => setAsked('send')}>
          Send…
        </button>
      )}
      {isOrdered(type) && mayRun && may(rights, 'reconfigureService', zone) && (
        <button type="button" onClick={() => setAsked('configure')}>
          Configure…
        </button>
      )}
      {isOrdered(type) && may(rights, 'stopService', zone) && (
        <button type="button" className="danger" onClick={() => setAsked('stop')}>
          Stop…
        </button>
      )}
      {!isOrdered(type) && <p className="soft">Muster starts and stops it itself, with the stations of the zone.</p>}
      {asked === 'stop' && <StopDialog of={of} onClose={close} />}
      {asked === 'configure' && <ConfigureDialog of={of} onClose={close} />}
      {asked === 'send' && its && <SendDialog of={of} type={its} onClose={close} />}
    </div>
  );
}

/** What is asked of a service, and changes nothing. */
const Asks = ({ of, rights }: { readonly of: Service; readonly rights: Rights | undefined }) => (
  <>
    {may(rights, 'checkService', of.zone) && (
      <AskButton of={of} route="checkService">
        Check
      </AskButton>
    )}
    {may(rights, 'statusService', of.zone) && (
      <AskButton of={of} route="statusService">
        Ask for its status
      </AskButton>
    )}
  </>
);

type AskProps = { readonly of: Service; readonly route: 'checkService' | 'statusService'; readonly children: ReactNode };

/** Asks a service something; what it answers appears among its answers. */
const AskButton = ({ of: { zone, type, node }, route, children }: AskProps) => (
  <OrderButton
    does={(): Promise<Reply<'checkService'>> => call(route, { params: { zone, type }, body: { node } })}
    done={({ because }) => {
      void client.invalidateQueries({ queryKey: ['services', zone, type, node] });
      return because;
    }}
  >
    {children}
  </OrderButton>
);

const StopDialog = ({ of: { zone, type, node, host }, onClose }: { readonly of: Service; readonly onClose: () => void }) => (
  <Confirm
    title={`Stop ${type} on ${host}`}
    action="Stop it"
    leave="Leave it as it is"
    isDanger
    does={() => call('stopService', { params: { zone, type }, body: { node } })}
    done={({ because }) => because}
    onClose={onClose}
  >
    <p>It ends, is not started again, and is no longer registered once it has ended. What it holds becomes free.</p>
  </Confirm>
);
