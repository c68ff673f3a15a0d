import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { may } from '../api/rights.ts';
import { Confirm } from '../kit/confirm.tsx';
import { Facts, number, Panel } from '../kit/kit.tsx';
import { spanText } from '../kit/time.ts';
import { asks, client } from '../live/queries.ts';
import { Link } from '../router.tsx';
import { CommonContent } from './common-content.tsx';
import { EditZone } from './edit-zone.tsx';
import { GuardRails } from './guard-rails.tsx';

/** A zone with its settings, as the API shows it. */
export type Zone = Reply<'listZones'>['items'][number];

/** A zone: how it is set, what holds it, and what can be done with it. */
export const OneZone = ({ of }: { readonly of: Zone }) => (
  <Panel
    title={
      <Link to="/" search={{ zone: of.name }}>
        {of.name}
      </Link>
    }
  >
    <Facts of={factsOf(of)} />
    <GuardRails of={of} />
    {of.kind === 'management' && <CommonContent zone={of.name} />}
    <Orders of={of} />
  </Panel>
);

const factsOf = ({ kind, mode, remapAfterMs, meanwhile, readmit, rtoMs, unsignedClients, capacity, map, ...of }: Zone) =>
  [
    ['Kind', kind],
    ['Mode', mode],
    ['Slots', number(map.slots)],
    ['Lost nodes keep theirs', remapAfterMs === undefined ? 'as long as they are away' : spanText(remapAfterMs)],
    ['Meanwhile', meanwhile],
    ['Dropped nodes rejoin', readmit === 'auto' ? 'by themselves' : 'when an administrator says so'],
    ['Recovery within', rtoMs === undefined ? 'any time' : spanText(rtoMs)],
    ['Nodes admit', of.admission && `as fast as they bear, at most one per ${(of.admitAtMostEveryMs ?? 0) / 1_000} s`],
    ['Clients that never sign', unsignedClients ? 'let in' : 'refused'],
    ['Capacity', capacity && `${number(capacity.filled)} of ${number(capacity.declared)}`],
  ] as const satisfies readonly (readonly [string, ReactNode])[];

function Orders({ of }: { readonly of: Zone }) {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const [asked, ask] = useState<'edit' | 'delete'>();
  if (!may(rights, 'editZone', of.name)) return null;
  const close = (): void => ask(undefined);
  return (
    <div className="actions">
      <button type="button" onClick={() => ask('edit')}>
        Change…
      </button>
      <button type="button" className="danger" onClick={() => ask('delete')}>
        Delete…
      </button>
      {asked === 'edit' && <EditZone of={of} onClose={close} />}
      {asked === 'delete' && <DeleteZone name={of.name} onClose={close} />}
    </div>
  );
}

const DeleteZone = ({ name, onClose }: { readonly name: Zone['name']; readonly onClose: () => void }) => (
  <Confirm
    title={`Delete ${name}?`}
    action="Delete it"
    isDanger
    does={() => call('deleteZone', { params: { zone: name } })}
    done={({ because }) => {
      void client.invalidateQueries({ queryKey: ['zones'] });
      return because;
    }}
    onClose={onClose}
  >
    <p>Only an empty zone can be deleted: no node, and no client system. Its number is never given again.</p>
  </Confirm>
);
