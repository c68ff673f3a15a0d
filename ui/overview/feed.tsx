import { useMemo, useSyncExternalStore } from 'react';
import { Ago, Because, Panel } from '../kit/kit.tsx';
import type { LiveEvent } from '../live/event.ts';
import { live } from '../live/live.ts';
import { Link } from '../router.tsx';
import { type Group, grouped } from './groups.ts';

const linesMax = 60;

type Props = {
  readonly zone: string;
  /** The moment to which the hour was turned back; undefined for now. */
  readonly until: string | undefined;
  /** The events of the hour, in order, while it is turned back. */
  readonly events: readonly LiveEvent[];
};

/** What Muster concludes in a zone, as it does, each with its reason. */
export function Feed({ zone, until, events }: Props) {
  const now = useSyncExternalStore(live.subscribe, live.events);
  const groups = useMemo(() => {
    const all = until === undefined ? now : events.filter(({ time }) => time <= until);
    return grouped(
      all.filter((event) => isOf(zone, event)),
      linesMax,
    );
  }, [now, events, until, zone]);
  return (
    <Panel title={until === undefined ? 'What happens' : 'What had happened'} className="feed">
      {groups.length === 0 && <p className="soft">Nothing of late. That is good.</p>}
      <ol className="timeline">
        {groups.map((group) => (
          <Line key={group.id} of={group} />
        ))}
      </ol>
    </Panel>
  );
}

const isOf = (zone: string, { data, subject }: LiveEvent): boolean => (data['zone'] ?? zone) === zone || subject === `zone/${zone}`;

function Line({ of: { time, type, because, who, isBad, n, names, subject } }: { readonly of: Group }) {
  const [noun, id] = [subject.slice(0, subject.indexOf('/')), subject.slice(subject.indexOf('/') + 1)];
  const text = names.join(', ') + (n > names.length ? ' …' : '');
  return (
    <li className={isBad ? 'bad' : ''}>
      <Ago at={time} />
      <b>
        {type}
        {n > 1 && ` × ${n}`}
      </b>{' '}
      {(noun === 'node' || noun === 'changes') && n === 1 ? (
        <Link to={`/nodes/${id}`}>{text}</Link>
      ) : noun === 'client' && n === 1 ? (
        <Link to="/systems" search={{ q: `fp:${id}`, fp: id }}>
          {text}
        </Link>
      ) : (
        text
      )}
      {because !== undefined && (
        <p>
          <Because of={because} />
          {who !== undefined && <> · {who}</>}
        </p>
      )}
    </li>
  );
}
