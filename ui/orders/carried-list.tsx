import { count, number } from '../kit/kit.tsx';
import { Link } from '../router.tsx';
import type { Carried, Ended } from './carrying.ts';
import { orders } from './orders.ts';
import { useOrders } from './use-carrying.ts';
import { endText, restText, tallyOf } from './words.ts';

/**
 * The orders to many whose dialog is closed: how far each is, and how it ended, until a person has seen that. It stands
 * above every view, also after the page was loaded anew.
 */
export function CarriedList() {
  const told = useOrders().filter(({ isWatched }) => !isWatched);
  if (told.length === 0) return null;
  return (
    <section className="carried" aria-label="Orders to many">
      {told.map((one) => (one.ended ? <Over key={one.id} of={one} ended={one.ended} /> : <UnderWay key={one.id} of={one} />))}
    </section>
  );
}

function UnderWay({ of }: { readonly of: Carried }) {
  const { done, not } = tallyOf(of);
  return (
    <div>
      <p>
        <b>{of.title}:</b> {number(done + not)} of {number(of.of)}. It goes on while this page is open.
      </p>
      <progress value={done + not} max={of.of} aria-label={`How far it is: ${of.title}`} />
      <button type="button" onClick={() => orders.stop(of.id)}>
        Stop
      </button>
    </div>
  );
}

function Over({ of, ended }: { readonly of: Carried; readonly ended: Ended }) {
  const { done, not, rest } = tallyOf(of);
  const isWell = ended.is === 'done' && not + rest === 0;
  const reasons = of.outcomes.filter((one) => !one.done);
  return (
    <div className={isWell ? 'is-well' : 'is-bad'}>
      <p role="status">
        <b>{of.title}.</b> {endText(ended)} {'because' in ended && `${ended.because}. `}
        <b>{number(done)} done</b>, <b>{number(not)} not done</b>. {rest > 0 && restText(ended, count(rest, 'client system'))}
      </p>
      {of.q !== undefined && rest > 0 && (
        <Link to="/systems" search={{ q: of.q }}>
          Those that match
        </Link>
      )}
      <button type="button" onClick={() => orders.forget(of.id)}>
        I have seen it
      </button>
      {reasons.length > 0 && (
        <ul>
          {reasons.map(({ because, n }) => (
            <li key={because}>
              <b>{number(n)}</b> not done: {because}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
