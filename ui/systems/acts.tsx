import { type FormEvent, type ReactNode, useState } from 'react';
import { call, type RouteName } from '../api/call.ts';
import { count, Dialog } from '../kit/kit.tsx';
import { client } from '../live/queries.ts';
import type { System } from './asks.ts';
import { refreshFound } from './follow.ts';
import { Outcomes } from './outcomes.tsx';
import { inSteps, type Progress, type Result } from './steps.ts';

/** An order to client systems, of which a call takes some: a route, and what is sent beside their fingerprints. */
export type Order = (systems: string[]) => Promise<{ readonly results: readonly Result[] }>;

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
  unpin: (systems) => call('unpinSystems', { body: { systems } }),
  unregister: (systems) => call('unregister', { body: { systems } }),
  ban: (systems) => call('ban', { body: { systems } }),
};

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
  const [progress, setProgress] = useState<Progress>();
  const [ended, setEnded] = useState<{ readonly error?: unknown }>();
  const { title } = acts[act];
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (order === undefined) return;
    setProgress({ results: new Map(), of: systems.length });
    setEnded(await carriedOut(systems, order, setProgress));
  };
  return (
    <Dialog label={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} className="act">
        <h2>{headline(act, systems)}</h2>
        {leftOut > 0 && <p className="soft">{count(leftOut, 'other')} in zones where you may not do this: left out.</p>}
        {progress === undefined ? (
          children((next) => setOrder(() => next))
        ) : (
          <Outcomes progress={progress} systems={systems} ended={ended} />
        )}
        <div className="actions">
          {progress === undefined && (
            <button type="submit" className={act === 'ban' || act === 'unregister' ? 'danger' : 'primary'} disabled={order === undefined}>
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

/** Search is a moment behind: what it finds is asked for once more after that. */
const laterMs = 1_500;

/** Carries out an order, and tells how far it is; gives what it failed of, if it failed. */
async function carriedOut(
  systems: readonly System[],
  order: Order,
  tell: (progress: Progress) => void,
): Promise<{ readonly error?: unknown }> {
  const fps = systems.map(({ fp }) => fp);
  const send = async (some: readonly string[]): Promise<readonly Result[]> => (await order([...some])).results;
  try {
    for await (const progress of inSteps(fps, send, pause)) tell(progress);
    return {};
  } catch (error) {
    return { error };
  } finally {
    void refreshed();
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function refreshed(): Promise<void> {
  const one = client.invalidateQueries({ queryKey: ['systems'] });
  await Promise.all([one, refreshFound()]);
  await pause(laterMs);
  await refreshFound();
}
