import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { Dialog, Field, Refused, Status } from '../kit/kit.tsx';
import { useOrder } from '../kit/order.tsx';
import { asks, client } from '../live/queries.ts';
import type { SiteOrders } from './asks.ts';
import { isGoodDryRun, orderOf } from './listed.ts';

type Given = { readonly order: number; readonly host: string; readonly dryRun: boolean };

/** Has the coordinator power-cycle a host: first as a dry run, whose answer is shown, and only then in earnest. */
export function PowerCycle({ of, onClose }: { readonly of: SiteOrders; readonly onClose: () => void }) {
  const { zone } = of;
  const [host, setHost] = useState('');
  const [force, setForce] = useState(false);
  const [given, setGiven] = useState<Given>();
  const { isBusy, error, order, forget } = useOrder();
  const seen = orderOf(of.items, given?.order);
  const isTried = seen !== undefined && seen.host === host && isGoodDryRun(seen);
  const give = (dryRun: boolean): void =>
    void order(
      () => call('orderOnSite', { params: { zone }, body: { host, dryRun, force } }),
      // Its answer is awaited in the dialog.
      ({ order: number }) => {
        setGiven({ order: number, host, dryRun });
        void client.invalidateQueries({ queryKey: ['stations'] });
        return undefined;
      },
    );
  const choose = (next: string): void => {
    setHost(next);
    setGiven(undefined);
    forget();
  };
  return (
    <Dialog label="Power-cycle a host" onClose={onClose}>
      <h2>Power-cycle a host</h2>
      <p>The station that coordinates runs its own power program for the host, once. Whatever runs on the host is cut off.</p>
      <HostField zone={zone} host={host} onHost={choose} />
      <label>
        <input type="checkbox" checked={force} onChange={(event) => setForce(event.target.checked)} /> Even though it is heard
      </label>
      <Refused error={error} />
      {given && <Answer given={given} seen={seen} />}
      <Buttons {...{ isTried, isBusy, onClose }} isChosen={host !== ''} onGive={give} />
    </Dialog>
  );
}

type HostProps = { readonly zone: string; readonly host: string; readonly onHost: (host: string) => void };

function HostField({ zone, host, onHost }: HostProps) {
  const nodes = useQuery(asks.nodes(zone)).data ?? [];
  return (
    <Field label="Host">
      {(id) => (
        <>
          <input id={id} list={`${id}-hosts`} value={host} spellCheck={false} onChange={(event) => onHost(event.target.value.trim())} />
          <datalist id={`${id}-hosts`}>
            {nodes.map(({ fqdn, status }) => (
              <option key={fqdn} value={fqdn}>
                {status}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

type ButtonsProps = {
  readonly isTried: boolean;
  readonly isBusy: boolean;
  readonly isChosen: boolean;
  readonly onGive: (dryRun: boolean) => void;
  readonly onClose: () => void;
};

const Buttons = ({ isTried, isBusy, isChosen, onGive, onClose }: ButtonsProps) => (
  <>
    <div className="actions">
      <button type="button" className={isTried ? '' : 'primary'} disabled={!isChosen} aria-disabled={isBusy} onClick={() => onGive(true)}>
        Try it first (dry run)
      </button>
      {isTried && (
        <button type="button" className="danger" aria-disabled={isBusy} onClick={() => onGive(false)}>
          Power-cycle it now
        </button>
      )}
      <button type="button" onClick={onClose}>
        Close
      </button>
    </div>
    {!isTried && <p className="soft">The order itself is offered once a dry run has gone well.</p>}
  </>
);

function Answer({ given, seen }: { readonly given: Given; readonly seen: SiteOrders['items'][number] | undefined }) {
  const what = given.dryRun ? 'The dry run' : 'The power cycle';
  if (seen === undefined || seen.state === 'waiting')
    return (
      <p className="note" role="status">
        {what} has been given to the coordinator; its answer is awaited.
      </p>
    );
  return (
    <div className={`note ${seen.state === 'done' && (seen.exit ?? 0) === 0 ? 'good' : 'bad'}`} role="status">
      {what} of {given.host}: <Status is={seen.state} />
      {seen.exit !== undefined && <> with exit code {seen.exit}</>}
      {seen.says !== undefined && seen.says !== '' && <pre>{seen.says}</pre>}
    </div>
  );
}
