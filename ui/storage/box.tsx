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

type Props = { readonly thing: Thing; readonly depth: number; readonly lights: Lights };

/** A thing with all that is in it; closed, it says how much that is. */
export function Box({ thing, depth, lights }: Props) {
  const { id, kind, within } = thing;
  const isOpen = within.length > 0 && lights.isOpen(id);
  const isDense = isOpen && !within.some((one) => one.within.length > 0 && lights.isOpen(one.id));
  return (
    <li
      role="treeitem"
      data-id={id}
      className={classesOf(thing, lights)}
      aria-level={depth}
      aria-label={labelOf(thing, isOpen, lights)}
      aria-selected={id === lights.picked}
      {...(within.length > 0 && { 'aria-expanded': isOpen })}
      tabIndex={id === lights.at ? 0 : -1}
      title={kind === 'device' ? labelOf(thing, false, lights) : undefined}
    >
      {kind === 'device' ? <i aria-hidden="true" /> : <Head thing={thing} isOpen={isOpen} lights={lights} />}
      {isOpen && (
        // biome-ignore lint/a11y/useSemanticElements: the pattern of trees asks for a group, which has no element in a list
        <ul role="group" className={`of-${within[0]!.kind} ${isDense ? 'is-dense' : ''}`}>
          {within.map((one) => (
            <Box key={one.id} thing={one} depth={depth + 1} lights={lights} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Head({ thing, isOpen, lights }: { readonly thing: Thing; readonly isOpen: boolean; readonly lights: Lights }) {
  const { kind, name, detail, state, extended, within } = thing;
  const isStated = state !== undefined && kind !== 'service' && kind !== 'instance';
  const lit = isOpen ? 0 : litInside(thing, lights);
  return (
    <div className="head">
      {within.length > 0 && (
        <span className="twisty" aria-hidden="true">
          ▸
        </span>
      )}
      <b>{name}</b>
      {kind === 'process' && <small>{detail}</small>}
      {(kind === 'service' || kind === 'instance') && <Mark is={state ?? 'unknown'}>{''}</Mark>}
      {isStated && <Mark is={isSuspect(extended) ? 'suspect' : state}>{isSuspect(extended) ? 'suspect' : state}</Mark>}
      {!isOpen && within.length > 0 && <Inside thing={thing} />}
      {lit > 0 && <span className="lit-count">{lit} touched</span>}
    </div>
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

function classesOf({ id, kind, state }: Thing, { picked, touched, lost }: Lights): string {
  const classes = ['box', `box-${kind}`];
  if (kind === 'device') classes.push(`is-${state ?? 'unknown'}`);
  if (id === picked) classes.push('is-picked');
  else if (touched !== undefined && isTouched(touched, id)) classes.push('is-lit');
  if (lost.has(id)) classes.push('is-lost');
  return classes.join(' ');
}

/** What a box is called by a reader of the screen, who sees neither its colour nor what it holds. */
function labelOf({ id, kind, name, detail, state, counts }: Thing, isOpen: boolean, { touched, lost, picked }: Lights): string {
  const parts = [
    `${kind === 'instance' ? 'service of Muster' : kind} ${name}${kind === 'process' || kind === 'device' ? ` ${detail}` : ''}`,
    state,
    isOpen ? undefined : countsText(counts, kind),
    id !== picked && touched !== undefined && isTouched(touched, id) ? 'touched' : undefined,
    lost.has(id) ? 'would be lost' : undefined,
  ];
  return parts.filter((part) => part !== undefined && part !== '').join(', ');
}
