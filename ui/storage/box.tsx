import { count, Status as Mark } from '../kit/kit.tsx';
import type { Touched } from './touch.ts';
import { type Counts, type Kind, rowsOf, type Thing } from './tree.ts';

/** What of the whole tree each box shows: which are open, picked, touched, gone with a loss, and where the keys are. */
export type Lights = {
  readonly isOpen: (id: string) => boolean;
  readonly picked: string | undefined;
  readonly touched: Touched | undefined;
  readonly lost: ReadonlySet<string>;
  readonly at: string | undefined;
};

type Props = {
  readonly thing: Thing;
  readonly depth: number;
  /** The how-manieth it is, of how many. */
  readonly nth: number;
  readonly of: number;
  readonly lights: Lights;
};

/**
 * A thing with all that is in it; closed, it says how much that is. The heads are the items of the tree: the boxes
 * around them are for the eye, and their levels say to everybody else what is in what.
 */
export function Box({ thing, depth, nth, of, lights }: Props) {
  const { id, kind, within } = thing;
  const isOpen = within.length > 0 && lights.isOpen(id);
  const isDense = isOpen && !within.some((one) => one.within.length > 0 && lights.isOpen(one.id));
  const item = {
    role: 'treeitem',
    className: kind === 'device' ? `head is-${thing.state ?? 'unknown'}` : 'head',
    'aria-level': depth,
    'aria-posinset': nth,
    'aria-setsize': of,
    'aria-selected': id === lights.picked,
    ...(within.length > 0 && { 'aria-expanded': isOpen }),
    tabIndex: id === lights.at ? 0 : -1,
  } as const;
  return (
    <div className={classesOf(thing, lights)} data-id={id}>
      {kind === 'device' ? (
        <div {...item} title={deviceLabel(thing, lights)}>
          <i aria-hidden="true" />
          <span className="unseen">{deviceLabel(thing, lights)}</span>
        </div>
      ) : (
        <div {...item}>
          <Head thing={thing} isOpen={isOpen} lights={lights} />
        </div>
      )}
      {isOpen && (
        <div className={`inner of-${within[0]!.kind} ${isDense ? 'is-dense' : ''}`}>
          {within.map((one, n) => (
            <Box key={one.id} thing={one} depth={depth + 1} nth={n + 1} of={within.length} lights={lights} />
          ))}
        </div>
      )}
    </div>
  );
}

/** Kinds whose names do not say what they are. */
const isUnnamed = (kind: Kind): boolean => kind === 'host' || kind === 'process' || kind === 'service' || kind === 'instance';

function Head({ thing, isOpen, lights }: { readonly thing: Thing; readonly isOpen: boolean; readonly lights: Lights }) {
  const { kind, name, detail, state, extended, within } = thing;
  const isSmall = kind === 'service' || kind === 'instance';
  const lit = isOpen ? 0 : litInside(thing, lights);
  return (
    <>
      {within.length > 0 && (
        <span className="twisty" aria-hidden="true">
          ▸
        </span>
      )}
      {isUnnamed(kind) && <span className="unseen">{kind === 'instance' ? 'service of Muster' : kind} </span>}
      <b>{name}</b>
      {kind === 'process' && <small>{detail}</small>}
      {(state !== undefined || isSmall) && (
        <Mark is={isSuspect(extended) ? 'suspect' : (state ?? 'unknown')}>
          <span className={isSmall ? 'unseen' : ''}>{isSuspect(extended) ? 'suspect' : (state ?? 'unknown')}</span>
        </Mark>
      )}
      {!isOpen && within.length > 0 && <Inside thing={thing} />}
      {lit > 0 && <span className="lit-count">{lit} touched</span>}
      <span className="unseen">{noteOf(thing, lights)}</span>
    </>
  );
}

const isSuspect = (extended: string | undefined): boolean => extended === 'suspect';

/** How many marks a closed box shows. */
const marksMax = 60;

/** What is in a closed box: how much of what, and the states of what matters most in it. */
function Inside({ thing }: { readonly thing: Thing }) {
  const marked = thing.counts.host !== undefined ? 'host' : 'process';
  const states = rowsOf(thing.within, () => true).flatMap(({ thing: { kind, state } }) => (kind === marked ? [state ?? 'unknown'] : []));
  return (
    <span className="inside">
      <small>{countsText(thing.counts, thing.kind)}</small>
      <span className="marks" aria-hidden="true">
        {states.slice(0, marksMax).map((state, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: marks have no identity but their place
          <Mark key={n} is={state}>
            {''}
          </Mark>
        ))}
        {states.length > marksMax && <small>+{states.length - marksMax}</small>}
      </span>
    </span>
  );
}

const words: readonly (readonly [Kind, string, string])[] = [
  ['rack', 'rack', 'racks'],
  ['enclosure', 'enclosure', 'enclosures'],
  ['host', 'host', 'hosts'],
  ['process', 'process', 'processes'],
  ['service', 'service', 'services'],
  ['device', 'device', 'devices'],
  ['instance', 'other service', 'other services'],
];

/** What is in a box, in words: `8 hosts · 17 processes · 328 devices`. */
function countsText(counts: Counts, kind: Kind): string {
  const isNear = kind === 'process' || kind === 'service';
  return words
    .filter(([one]) => counts[one] !== undefined && (isNear || (one !== 'service' && one !== 'instance')))
    .map(([one, word, many]) => count(counts[one]!, word, many))
    .join(' · ');
}

/** How many things inside a box the picked one touches. */
function litInside(thing: Thing, { touched }: Lights): number {
  if (touched === undefined || touched.below.has(thing.id)) return 0;
  return rowsOf(thing.within, () => true).filter(({ thing: { id } }) => isTouched(touched, id)).length;
}

const isTouched = ({ above, below, beside }: Touched, id: string): boolean =>
  above.has(id) || below.has(id) || beside.some((one) => one.id === id);

function classesOf({ id, kind }: Thing, { picked, touched, lost }: Lights): string {
  const classes = ['box', `box-${kind}`];
  if (id === picked) classes.push('is-picked');
  else if (touched !== undefined && isTouched(touched, id)) classes.push('is-lit');
  if (lost.has(id)) classes.push('is-lost');
  return classes.join(' ');
}

/** What a reader of the screen hears of a box besides its text: what everybody else sees by its colour. */
function noteOf({ id }: Thing, { touched, lost, picked }: Lights): string {
  const isLit = id !== picked && touched !== undefined && isTouched(touched, id);
  return `${isLit ? ', touched' : ''}${lost.has(id) ? ', would be lost' : ''}`;
}

const deviceLabel = (thing: Thing, lights: Lights): string =>
  `device ${thing.name} ${thing.detail}, ${thing.state ?? 'unknown'}${noteOf(thing, lights)}`;
