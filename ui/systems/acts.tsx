import { type FormEvent, type ReactNode, useState } from 'react';
import { call, type RouteName } from '../api/call.ts';
import { count, Dialog } from '../kit/kit.tsx';
import { pause } from '../live/pause.ts';
import type { Part } from './all.ts';
import type { System } from './asks.ts';
import { Outcomes } from './outcomes.tsx';
import { inSteps } from './steps.ts';
import { useCarrying } from './use-carrying.ts';
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
  const { progress, ended, carry } = useCarrying();
  const { title } = acts[act];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (order === undefined) return;
    const fps = systems.map(({ fp }) => fp);
    void carry(
      fps.length,
      inSteps(fps, async (some) => (await order({ systems: [...some] })).results, pause),
    );
  };
  return (
    <Dialog label={title} onClose={onClose}>
      <form onSubmit={submit} className="act">
        <h2>{headline(act, systems)}</h2>
        {leftOut > 0 && <p className="soft">{count(leftOut, 'other')} in zones where you may not do this: left out.</p>}
        {progress === undefined ? (
          children((next) => setOrder(() => next))
        ) : (
          <Outcomes progress={progress} systems={systems} ended={ended} />
        )}
        <div className="actions">
          {progress === undefined && (
            <button type="submit" className={lookOf(act)} disabled={order === undefined}>
              {act === 'label' ? 'Change' : title}
            </button>
          )}
          <button type="button" onClick={onClose}>
            {progress === undefined ? 'Cancel' : ended === undefined ? 'Close, it goes on' : 'Close'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const headline = (act: Act, systems: readonly System[]): string => {
  const [only] = systems;
  const whom = systems.length === 1 && only !== undefined ? only.fqdn : `${systems.length} client systems`;
  return act === 'label' ? `Tags and groups of ${whom}` : `${acts[act].title} ${whom}`;
};
