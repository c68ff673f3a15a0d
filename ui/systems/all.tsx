import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call, Problem, type Reply } from '../api/call.ts';
import { mayAnywhere } from '../api/rights.ts';
import { count, Dialog, Field, number, Refused, Waiting } from '../kit/kit.tsx';
import { asks } from '../live/queries.ts';
import { type Act, acts } from './acts.tsx';
import { type Part, throughAll } from './all.ts';
import { refreshFound } from './follow.ts';
import { labelsIn } from './labels.ts';
import { Outcomes } from './outcomes.tsx';
import type { Progress } from './steps.ts';

/** What can be done to all that match, without saying more than labels. */
type AllAct = Exclude<Act, 'pin'>;
const allActs = ['label', 'unpin', 'unregister', 'ban'] as const satisfies readonly AllAct[];

type Expect = NonNullable<Reply<'findSystems'>['expect']>;
type Given = { readonly act: AllAct; readonly add: readonly string[]; readonly remove: readonly string[]; readonly groups: boolean };

/** One call of an order by a query. It is refused when others match than those that were looked at. */
function send(query: string, expect: Expect, { act, add, remove, groups }: Given, cursor: string | undefined): Promise<Part> {
  const chosen = { query, expect, ...(cursor !== undefined && { cursor }) };
  const labels = { add: [...add], remove: [...remove] };
  if (act === 'label') return call('editSystems', { body: { ...chosen, ...(groups ? { groups: labels } : { tags: labels }) } });
  if (act === 'unpin') return call('unpinSystems', { body: chosen });
  return act === 'unregister' ? call('unregister', { body: chosen }) : call('ban', { body: chosen });
}

/** An order to all client systems that match a query: those that were looked at when it is given, or none. */
export function AllThatMatch({ q: asked, onClose }: { readonly q: string; readonly onClose: () => void }) {
  // An order names a query; without one, the list has everything.
  const q = asked === '' ? '*' : asked;
  const looked = useQuery({
    queryKey: ['found', 'expected', q],
    queryFn: ({ signal }) => call('findSystems', { query: { q, limit: 5, expect: 'yes' }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const [progress, setProgress] = useState<Progress>();
  const [ended, setEnded] = useState<{ readonly error?: unknown }>();
  const expect = looked.data?.expect;
  const order = async (given: Given): Promise<void> => {
    setProgress({ results: new Map(), of: expect!.total });
    try {
      for await (const next of throughAll(expect!.total, (cursor) => send(q, expect!, given, cursor))) setProgress(next);
      setEnded({});
    } catch (error) {
      setEnded({ error });
    }
    await refreshFound();
  };
  const lookAgain = (): void => {
    setProgress(undefined);
    setEnded(undefined);
    void looked.refetch();
  };
  const hasChanged = ended?.error instanceof Problem && ended.error.type === 'matches-changed';
  return (
    <Dialog label="All that match" onClose={onClose}>
      <h2>All that match {q}</h2>
      <Refused error={looked.error} />
      {looked.data && !expect && <p className="note">More than 100,000 match: an order takes no more than that. Say more in the query.</p>}
      {!looked.data && !looked.error && <Waiting what="Looking which they are" />}
      {expect && looked.data && progress === undefined && (
        <AllForm expect={expect} names={looked.data.items} onOrder={(given) => void order(given)} />
      )}
      {progress && <Outcomes progress={progress} systems={looked.data?.items ?? []} ended={ended} />}
      <div className="actions">
        {hasChanged && (
          <button type="button" className="primary" onClick={lookAgain}>
            Look again
          </button>
        )}
        <button type="button" onClick={onClose}>
          {progress === undefined ? 'Cancel' : ended === undefined ? 'Close, it goes on' : 'Close'}
        </button>
      </div>
    </Dialog>
  );
}

type FormProps = {
  readonly expect: Expect;
  readonly names: Reply<'findSystems'>['items'];
  readonly onOrder: (given: Given) => void;
};

function AllForm({ expect: { total }, names, onOrder }: FormProps) {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const possible = allActs.filter((act) => mayAnywhere(rights, acts[act].route));
  const [act, setAct] = useState<AllAct>('label');
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [add, remove] = [labelsIn(String(form.get('add') ?? '')), labelsIn(String(form.get('remove') ?? ''))];
    if (act === 'label' && add.length + remove.length === 0) return;
    onOrder({ act, add, remove, groups: form.get('kind') === 'groups' });
  };
  return (
    <form onSubmit={submit} className="act">
      <p>
        <b>{count(total, 'client system')}</b>: {names.map(({ fqdn }) => fqdn).join(', ')}
        {total > names.length && ' …'}
      </p>
      <Field label="Do">
        {(id) => (
          <select id={id} value={act} onChange={({ target }) => setAct(target.value as AllAct)}>
            {possible.map((one) => (
              <option key={one} value={one}>
                {acts[one].title}
              </option>
            ))}
          </select>
        )}
      </Field>
      {act === 'label' ? <Labels /> : <Certain total={total} />}
      <div className="actions">
        <button type="submit" className={act === 'label' || act === 'unpin' ? 'primary' : 'danger'} disabled={total === 0}>
          {acts[act].title}: all {number(total)}
        </button>
      </div>
    </form>
  );
}

const Labels = () => (
  <>
    <Field label="Of">
      {(id) => (
        <select id={id} name="kind">
          <option value="tags">tags</option>
          <option value="groups">groups</option>
        </select>
      )}
    </Field>
    <Field label="Add">{(id) => <input id={id} name="add" autoComplete="off" spellCheck={false} />}</Field>
    <Field label="Remove">{(id) => <input id={id} name="remove" autoComplete="off" spellCheck={false} />}</Field>
  </>
);

/** Whoever does what cannot be taken back types how many it is for. */
const Certain = ({ total }: { readonly total: number }) => (
  <Field label={`Type ${total} to say that you mean all of them`}>
    {(id) => <input id={id} name="certain" required pattern={String(total)} inputMode="numeric" autoComplete="off" />}
  </Field>
);
