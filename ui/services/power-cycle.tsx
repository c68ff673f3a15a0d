import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { Dialog, Field, Refused, Status } from '../kit/kit.tsx';
import { asks, client } from '../live/queries.ts';
import type { SiteOrders } from './asks.ts';
import { isGoodDryRun, orderOf } from './listed.ts';

type Given = { readonly order: number; readonly host: string; readonly dryRun: boolean };

/** Has the coordinator power-cycle a host: first as a dry run, whose answer is shown, and only then in earnest. */
export function PowerCycle({ of, onClose }: { readonly of: SiteOrders; readonly onClose: () => void }) {
  const { zone } = of;
  const nodes = useQuery(asks.nodes(zone)).data ?? [];
  const [host, setHost] = useState('');
  const [force, setForce] = useState(false);
  const [given, setGiven] = useState<Given>();
  const [refused, setRefused] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const seen = orderOf(of.items, given?.order);
  const isTried = seen !== undefined && seen.host === host && isGoodDryRun(seen);
  const order = async (dryRun: boolean): Promise<void> => {
    setBusy(true);
    setRefused(undefined);
    try {
      const { order: number } = await call('orderOnSite', { params: { zone }, body: { host, dryRun, force } });
      setGiven({ order: number, host, dryRun });
      await client.invalidateQueries({ queryKey: ['stations'] });
    } catch (error) {
      setRefused(error);
    }
    setBusy(false);
  };
  const choose = (next: string): void => {
    setHost(next);
    setGiven(undefined);
    setRefused(undefined);
  };
  return (
    <Dialog label="Power-cycle a host" onClose={onClose}>
      <h2>Power-cycle a host</h2>
      <p>The station that coordinates runs its own power program for the host, once. Whatever runs on the host is cut off.</p>
      <Field label="Host">
        {(id) => (
          <>
            <input id={id} list={`${id}-hosts`} value={host} spellCheck={false} onChange={(event) => choose(event.target.value.trim())} />
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
      <label>
        <input type="checkbox" checked={force} onChange={(event) => setForce(event.target.checked)} /> Even though it is heard
      </label>
      <Refused error={refused} />
      {given && <Answer given={given} seen={seen} />}
      <div className="actions">
        <button type="button" className={isTried ? '' : 'primary'} disabled={host === '' || isBusy} onClick={() => void order(true)}>
          Try it first (dry run)
        </button>
        {isTried && (
          <button type="button" className="danger" disabled={isBusy} onClick={() => void order(false)}>
            Power-cycle it now
          </button>
        )}
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {!isTried && <p className="soft">The order itself is offered once a dry run has gone well.</p>}
    </Dialog>
  );
}

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
