import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { may } from '../api/rights.ts';
import { Confirm } from '../kit/confirm.tsx';
import { doing } from '../kit/toasts.tsx';
import { asks, client } from '../live/queries.ts';
import { type Service, typesOf } from './asks.ts';
import { ConfigureDialog } from './configure-dialog.tsx';
import { isOrdered } from './listed.ts';
import { SendDialog } from './send-dialog.tsx';

type Asked = 'stop' | 'configure' | 'send';

/** What can be done with a service. What takes commands needs the scope to run commands. */
export function ServiceActions({ of }: { readonly of: Service }) {
  const { zone, type, node, state } = of;
  const rights = useQuery(asks.whoAmI).data?.rights;
  const its = useQuery(typesOf(zone)).data?.find(({ name }) => name === type);
  const [asked, setAsked] = useState<Asked>();
  const close = (): void => setAsked(undefined);
  // Putting a type and giving it something to run need the same scope, execute.
  const mayRun = its !== undefined && (!its.takesCommand || may(rights, 'putServiceType', zone));
  const ask = async (what: 'checkService' | 'statusService'): Promise<void> => {
    const asking: Promise<Reply<'checkService'>> = call(what, { params: { zone, type }, body: { node } });
    await doing(asking, ({ because }) => because);
    await client.invalidateQueries({ queryKey: ['services', zone, type, node] });
  };
  const isThere = state === 'online' || state === 'starting';
  return (
    <div className="actions">
      {isThere && may(rights, 'checkService', zone) && (
        <button type="button" onClick={() => void ask('checkService')}>
          Check
        </button>
      )}
      {isThere && may(rights, 'statusService', zone) && (
        <button type="button" onClick={() => void ask('statusService')}>
          Ask for its status
        </button>
      )}
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
