import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { mayAnywhere, type Rights } from '../api/rights.ts';
import { count, Dialog, Field, number, Refused, Waiting } from '../kit/kit.tsx';
import { pause } from '../live/pause.ts';
import { asks } from '../live/queries.ts';
import { type Act, acts, lookOf, type Order } from './acts.tsx';
import { type Sending, throughAll } from './all.ts';
import type { System } from './asks.ts';
import { formOf } from './forms.tsx';
import { lookAt } from './look-at.ts';
import { Outcomes } from './outcomes.tsx';
import { useCarrying } from './use-carrying.ts';
import { type Expect, matching, type Whom } from './whom.ts';

const every = ['label', 'pin', 'unpin', 'unregister', 'ban'] as const satisfies readonly Act[];

/** What the caller may do to all that match; where it may not, each client system says so as its result. */
export const actsOnAll = (rights: Rights | undefined): readonly Act[] => every.filter((act) => mayAnywhere(rights, acts[act].route));

/** How an order goes to all that match a query: those that were looked at, or none. */
const sendingOf = (order: Order, query: string, expect: Expect): Sending => ({
  send: (cursor) => order({ query, expect, ...(cursor !== undefined && { cursor }) }),
  sendTo: async (fps) => (await order({ systems: [...fps] })).results,
  pause,
});

/** An order to all client systems that match a query: those that were looked at when it is given, or none. */
export function AllThatMatch({ q: asked, onClose }: { readonly q: string; readonly onClose: () => void }) {
  // An order names a query; without one, the list has everything.
  const q = asked === '' ? '*' : asked;
  const { data, error, isFetching, refetch } = useQuery(lookAt(q));
  const { progress, ended, carry, stop, reset } = useCarrying();
  const isAsking = !isFetching && data?.expect !== undefined && data.total > 0 && progress === undefined;
  const lookAgain = (): void => {
    reset();
    void refetch();
  };
  return (
    <Dialog label="All that match" onClose={onClose}>
      <h2>
        All that match <code>{q}</code>
      </h2>
      {isFetching && <Waiting what="Looking which they are" />}
      {!isFetching && <Refused error={error} />}
      {!isFetching && data && progress === undefined && (
        <Looked
          found={data}
          onOrder={(order, of) => void carry(of.total, throughAll(of.total, sendingOf(order, q, of)))}
          onClose={onClose}
        />
      )}
      {progress && <Outcomes progress={progress} systems={data?.items ?? []} ended={ended} />}
      <div className="actions">
        {ended && (ended.error !== undefined || ended.isStopped) && (
          <button type="button" className="primary" onClick={lookAgain}>
            Look again
          </button>
        )}
        {progress && !ended && (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
        {!isAsking && (
          <button type="button" onClick={onClose}>
            {progress && !ended ? 'Close, it goes on' : 'Close'}
          </button>
        )}
      </div>
    </Dialog>
  );
}

type LookedProps = {
  readonly found: { readonly items: readonly System[]; readonly expect?: Expect | undefined } & Parameters<typeof matching>[0];
  readonly onOrder: (order: Order, expect: Expect) => void;
  readonly onClose: () => void;
};

/** What was looked at: how many, a few of their names, and what to do to all of them. */
function Looked({ found, onOrder, onClose }: LookedProps) {
  const { total, items, expect } = found;
  if (expect === undefined)
    return (
      <p className="note">
        {number(total)} match. An order takes at most 100,000 client systems: say more in the query, and do one part after the other.
      </p>
    );
  if (total === 0) return <p className="note">No client system matches any more.</p>;
  return (
    <>
      <p>
        <b>{count(total, 'client system')}</b>: {items.map(({ fqdn }) => fqdn).join(', ')}
        {total > items.length && ` and ${number(total - items.length)} more`}
      </p>
      <AllForm whom={matching(found)} onOrder={(order) => onOrder(order, expect)} onClose={onClose} />
    </>
  );
}

type AllFormProps = { readonly whom: Whom; readonly onOrder: (order: Order) => void; readonly onClose: () => void };

/** Asks what to do to all of them, and what exactly. */
function AllForm({ whom, onOrder, onClose }: AllFormProps) {
  const possible = actsOnAll(useQuery(asks.whoAmI).data?.rights);
  const [act, setAct] = useState<Act>('label');
  const [order, setOrder] = useState<Order>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (order !== undefined) onOrder(order);
  };
  const choose = (next: Act): void => {
    setAct(next);
    setOrder(undefined);
  };
  return (
    <form onSubmit={submit} className="act">
      <Field label="Do">
        {(id) => (
          <select id={id} value={act} onChange={({ target }) => choose(possible.find((one) => one === target.value) ?? act)}>
            {possible.map((one) => (
              <option key={one} value={one}>
                {acts[one].title}
              </option>
            ))}
          </select>
        )}
      </Field>
      {formOf(act, whom)((next) => setOrder(() => next))}
      <div className="actions">
        <button type="submit" className={lookOf(act)} disabled={order === undefined}>
          {act === 'label' ? 'Change' : acts[act].title} all {number(whom.total)}
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}
