import type { Touched } from './touch.ts';
import { type Graph, nameIn } from './tree.ts';

type Props = {
  readonly graph: Graph;
  readonly touched: Touched | undefined;
  readonly picked: string | undefined;
  readonly onPick: (id: string | undefined) => void;
};

/** How many pools and profiles are shown before the rest. */
const shownMax = 30;

/** The pools and profiles: each has devices in many boxes, so that they are no boxes themselves. */
export function Pools({ graph, touched, picked, onPick }: Props) {
  const some = graph.vertices.filter(({ kind }) => kind === 'pool' || kind === 'profile');
  if (some.length === 0) return null;
  const isLit = (id: string): boolean => touched !== undefined && (touched.pools.has(id) || touched.above.has(id) || touched.below.has(id));
  return (
    <p className="pools">
      {some.slice(0, shownMax).map(({ id, kind }) => (
        <button
          key={id}
          type="button"
          className={`chip ${isLit(id) ? 'is-lit' : ''}`}
          aria-pressed={id === picked}
          onClick={() => onPick(id === picked ? undefined : id)}
        >
          {kind} <b>{nameIn(id)}</b>
        </button>
      ))}
      {some.length > shownMax && <span className="soft">and {some.length - shownMax} more</span>}
    </p>
  );
}
