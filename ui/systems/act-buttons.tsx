import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { may } from '../api/rights.ts';
import { asks } from '../live/queries.ts';
import { type Act, ActDialog, acts } from './acts.tsx';
import type { System } from './asks.ts';
import { formOf } from './forms.tsx';
import { selected } from './whom.ts';

/**
 * What one may do to client systems, as buttons: each asks first, and is about those in zones where one may. One
 * without a zone belongs to the deployment.
 */
export function ActButtons({ systems }: { readonly systems: readonly System[] }) {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const [act, setAct] = useState<Act>();
  const allowed = (name: Act): readonly System[] => systems.filter(({ zone }) => may(rights, acts[name].route, zone));
  const possible = all.filter((name) => allowed(name).length > 0);
  const whom = act === undefined ? [] : allowed(act);
  if (rights !== undefined && possible.length === 0) return <span className="soft">You may look at this, but not change it.</span>;
  return (
    <>
      {possible
        .filter((name) => fits(name, systems))
        .map((name) => (
          <button key={name} type="button" className={name === 'ban' ? 'danger' : ''} onClick={() => setAct(name)}>
            {acts[name].title}…
          </button>
        ))}
      {act !== undefined && (
        <ActDialog act={act} systems={whom} leftOut={systems.length - whom.length} onClose={() => setAct(undefined)}>
          {formOf(act, selected(whom))}
        </ActDialog>
      )}
    </>
  );
}

const all = ['label', 'pin', 'unpin', 'unregister', 'ban'] as const satisfies readonly Act[];

/** Whether there is anything to do it to: most orders are about accepted ones. */
function fits(act: Act, systems: readonly System[]): boolean {
  if (act === 'ban') return systems.some(({ status }) => status !== 'deleted');
  if (act === 'unpin') return systems.some(({ pin }) => pin !== undefined);
  return systems.some(({ status }) => status === 'onboarded' || status === 'orphan');
}
