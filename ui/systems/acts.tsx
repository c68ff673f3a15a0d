import { type FormEvent, type ReactNode, useState } from 'react';
import { call, type RouteName } from '../api/call.ts';
import { count, Dialog } from '../kit/kit.tsx';
import { pause } from '../live/pause.ts';
import type { Carried } from '../orders/carrying.ts';
import { Outcomes } from '../orders/outcomes.tsx';
import { inSteps, type Progress } from '../orders/steps.ts';
import { useCarrying } from '../orders/use-carrying.ts';
import type { Part } from './all.ts';
import type { System } from './asks.ts';
import type { To } from './whom.ts';

/** An order to client systems, of which a call takes some: a route, and what is sent beside whom it is for. */
export type Order = (to: To) => Promise<Part>;

/** What can be done to client systems, and the route that it goes by. */
export const acts = {
  label: { title: 'Tags and groups', route: 'editSystems' },
  pin: { title: 'Pin', route: 'pinSystems' },
  unpin: { title: 'Unpin', route: 'unpinSystems' },
  unregister: { title: 'Unregister', route: 'unregister' },
  ban: { title: 'Ban', route: 'ban' },
} as const satisfies Readonly<Record<string, { readonly title: string; readonly route: RouteName }>>;
export type Act = keyof typeof acts;

/** Orders without anything to say but to whom. */
export const plainOrders: Readonly<Record<'unpin' | 'unregister' | 'ban', Order>> = {
  unpin: (to) => call('unpinSystems', { body: to }),
  unregister: (to) => call('unregister', { body: to }),
  ban: (to) => call('ban', { body: to }),
};

/** How the button of an act looks: one that takes something away looks like it. */
export const lookOf = (act: Act): string => (act === 'ban' || act === 'unregister' ? 'danger' : 'primary');

type ActDialogProps = {
  readonly act: Act;
  readonly systems: readonly System[];
  /** How many others were selected, in zones where one may not do this. */
  readonly leftOut: number;
  readonly onClose: () => void;
  /** The form that says what exactly is ordered; it is asked before anything happens. */
  readonly children: (give: (order: Order | undefined) => void) => ReactNode;
};

/** Asks what exactly to do, does it step by step, and says what became of each client system. */
export function ActDialog({ act, systems, leftOut, onClose, children }: ActDialogProps) {
  const [order, setOrder] = useState<Order>();
  const { carried, carry } = useCarrying();
  const title = headline(act, systems);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (order !== undefined) carry({ title, q: undefined, of: systems.length, steps: stepsOf(order, systems) });
  };
  return (
    <Dialog label={acts[act].title} onClose={onClose}>
      <form onSubmit={submit} className="act">
        <h2>{title}</h2>
        {leftOut > 0 && <p className="soft">{count(leftOut, 'other')} in zones where you may not do this: left out.</p>}
        {carried ? <Outcomes of={carried} systems={systems} /> : children((next) => setOrder(() => next))}
        <div className="actions">
          {carried === undefined && (
            <button type="submit" className={lookOf(act)} disabled={order === undefined}>
              {act === 'label' ? 'Change' : acts[act].title}
            </button>
          )}
          <button type="button" onClick={onClose}>
            {carried ? closeText(carried) : 'Cancel'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** What closes the dialog of an order. */
export const closeText = ({ ended }: Carried): string => (ended ? 'Close' : 'Close, it goes on');

const stepsOf = (order: Order, systems: readonly System[]): AsyncIterable<Progress> =>
  inSteps(
    systems.map(({ fp }) => fp),
    async (some) => (await order({ systems: [...some] })).results,
    pause,
  );

const headline = (act: Act, systems: readonly System[]): string => {
  const [only] = systems;
  const whom = systems.length === 1 && only !== undefined ? only.fqdn : `${systems.length} client systems`;
  return act === 'label' ? `Tags and groups of ${whom}` : `${acts[act].title} ${whom}`;
};
