import { byKind, type Touched } from './touch.ts';
import { nameIn, type Thing } from './tree.ts';

type Props = {
  readonly touched: Touched;
  readonly byId: ReadonlyMap<string, Thing>;
  readonly onPick: (id: string) => void;
};

/** Kinds that are records of another thing, and say nothing of their own here. */
const silent = new Set(['zone', 'root', 'node', 'mero-node', 'station']);
const order = ['site', 'rack', 'enclosure', 'host', 'process', 'service', 'device', 'instance', 'pool', 'profile', 'resource'];
const plural: Readonly<Record<string, string>> = { process: 'processes', instance: 'services of Muster' };
const kindOf = (id: string): string => id.slice(0, id.indexOf(' '));

/** What a thing is part of, what is part of it, and what it has to do with besides; each leads there. */
export function Touches({ touched: { above, below, beside, pools }, byId, onPick }: Props) {
  const partOf = [...above, ...pools].filter((id, n, all) => !silent.has(kindOf(id)) && all.indexOf(id) === n);
  const inside = [...byKind(below)].filter(([kind]) => !silent.has(kind)).toSorted((a, b) => order.indexOf(a[0]) - order.indexOf(b[0]));
  const others = beside.filter(({ id }) => !silent.has(kindOf(id)) || id.startsWith('station'));
  if (partOf.length + inside.length + others.length === 0) return null;
  return (
    <>
      <h3>Touches</h3>
      <ul className="touches">
        {partOf
          .toSorted((a, b) => order.indexOf(kindOf(a)) - order.indexOf(kindOf(b)))
          .map((id) => (
            <li key={id}>
              <small>{pools.has(id) && !above.has(id) ? 'has devices in' : 'part of'}</small> <Go id={id} byId={byId} onPick={onPick} />
            </li>
          ))}
        {others.map(({ id, relation, out }) => (
          <li key={`${relation} ${id}`}>
            <small>{out ? relation : `${relation}, from`}</small> <Go id={id} byId={byId} onPick={onPick} />
          </li>
        ))}
        {inside.map(([kind, n]) => (
          <li key={kind}>
            <small>holds</small> <b>{n}</b> {n === 1 ? kind.replace('instance', 'service of Muster') : (plural[kind] ?? `${kind}s`)}
          </li>
        ))}
      </ul>
    </>
  );
}

function Go({ id, byId, onPick }: { readonly id: string } & Pick<Props, 'byId' | 'onPick'>) {
  const thing = byId.get(id);
  const isKnown = thing !== undefined || id.startsWith('pool ') || id.startsWith('profile ');
  const name = thing ? `${thing.name}${thing.kind === 'process' ? ` ${thing.detail}` : ''}` : `${kindOf(id)} ${nameIn(id)}`;
  const text =
    thing && !thing.name.toLowerCase().startsWith(thing.kind.slice(0, 3))
      ? `${thing.kind === 'instance' ? 'service' : thing.kind} ${name}`
      : name;
  if (!isKnown) return <b>{text}</b>;
  return (
    <button type="button" className="link" onClick={() => onPick(id)}>
      {text}
    </button>
  );
}
