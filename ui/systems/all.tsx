import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { mayAnywhere, type Rights } from '../api/rights.ts';
import { count, Dialog, Field, number, Refused, Waiting } from '../kit/kit.tsx';
import { pause } from '../live/pause.ts';
import { asks } from '../live/queries.ts';
import type { Carried } from '../orders/carrying.ts';
import { Outcomes } from '../orders/outcomes.tsx';
import { useCarrying } from '../orders/use-carrying.ts';
import { type Act, acts, closeText, lookOf, type Order } from './acts.tsx';
import { type Sending, throughAll } from './all.ts';
import type { System } from './asks.ts';
import { formOf } from './forms.tsx';
import { lookAt } from './look-at.ts';
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
  const { carried, carry, stop, reset } = useCarrying();
  const give: Give = (order, act, expect) => {
    const title = `${acts[act].title}: ${number(expect.total)} that match ${q}`;
    carry({ title, q, of: expect.total, steps: throughAll(expect.total, sendingOf(order, q, expect)) });
  };
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
      {!isFetching && data && !carried && <Looked found={data} onOrder={give} onClose={onClose} />}
      {carried && <Outcomes of={carried} systems={data?.items ?? []} />}
      {carried && <CarriedButtons of={carried} onAgain={lookAgain} onStop={stop} onClose={onClose} />}
      {!carried && (isFetching || !data || !isOrderable(data)) && (
        <div className="actions">
          <button type="button" onClick={onClose}>
            Close
          </button>
        </div>
      )}
    </Dialog>
  );
}

/** Takes an order, what it is, and what it is held against. */
type Give = (order: Order, act: Act, expect: Expect) => void;

type CarriedProps = { readonly of: Carried; readonly onAgain: () => void; readonly onStop: () => void; readonly onClose: () => void };

const CarriedButtons = ({ of, onAgain, onStop, onClose }: CarriedProps) => (
  <div className="actions">
    {of.ended && of.ended.is !== 'done' && (
      <button type="button" className="primary" onClick={onAgain}>
        Look again
      </button>
    )}
    {!of.ended && (
      <button type="button" onClick={onStop}>
        Stop
      </button>
    )}
    <button type="button" onClick={onClose}>
      {closeText(of)}
    </button>
  </div>
);

type Found = { readonly items: readonly System[]; readonly expect?: Expect | undefined } & Parameters<typeof matching>[0];

/** Whether what was found can be ordered something: some, and not too many. */
const isOrderable = ({ total, expect }: Found): boolean => expect !== undefined && total > 0;

type LookedProps = { readonly found: Found; readonly onOrder: Give; readonly onClose: () => void };

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
      <AllForm whom={matching(found)} onOrder={(order, act) => onOrder(order, act, expect)} onClose={onClose} />
    </>
  );
}

type AllFormProps = { readonly whom: Whom; readonly onOrder: (order: Order, act: Act) => void; readonly onClose: () => void };

/** Asks what to do to all of them, and what exactly. */
function AllForm({ whom, onOrder, onClose }: AllFormProps) {
  const possible = actsOnAll(useQuery(asks.whoAmI).data?.rights);
  const [act, setAct] = useState<Act>('label');
  const [order, setOrder] = useState<Order>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (order !== undefined) onOrder(order, act);
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
