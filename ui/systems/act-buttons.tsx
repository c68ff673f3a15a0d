import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { may, mayAnywhere } from '../api/rights.ts';
import { asks } from '../live/queries.ts';
import { type Act, ActDialog, acts } from './acts.tsx';
import type { System } from './asks.ts';
import { formOf } from './forms.tsx';

/** What one may do to client systems, as buttons: each asks first. One without a zone belongs to the deployment. */
export function ActButtons({ systems }: { readonly systems: readonly System[] }) {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const [act, setAct] = useState<Act>();
  const isAllowed = ([, { route }]: (typeof all)[number]): boolean =>
    systems.length === 1 ? may(rights, route, systems[0]?.zone) : mayAnywhere(rights, route);
  const isFitting = ([name]: (typeof all)[number]): boolean => fits(name, systems);
  return (
    <>
      {all
        .filter(isAllowed)
        .filter(isFitting)
        .map(([name, { title }]) => (
          <button key={name} type="button" className={name === 'ban' ? 'danger' : ''} onClick={() => setAct(name)}>
            {title}…
          </button>
        ))}
      {act !== undefined && (
        <ActDialog act={act} systems={systems} onClose={() => setAct(undefined)}>
          {formOf(act, systems)}
        </ActDialog>
      )}
    </>
  );
}

const all = Object.entries(acts) as [Act, (typeof acts)[Act]][];

/** Whether there is anything to do it to: most orders are about accepted ones. */
function fits(act: Act, systems: readonly System[]): boolean {
  if (act === 'ban') return systems.some(({ status }) => status !== 'deleted');
  if (act === 'unpin') return systems.some(({ pin }) => pin !== undefined);
  return systems.some(({ status }) => status === 'onboarded' || status === 'orphan');
}
