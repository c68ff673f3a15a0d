import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { may } from '../api/rights.ts';
import { Confirm } from '../kit/confirm.tsx';
import { Dialog, Empty, Facts, Field, number, Panel, Refused, Waiting } from '../kit/kit.tsx';
import { OrderForm } from '../kit/order.tsx';
import { spanText } from '../kit/time.ts';
import { allOf, asks, client } from '../live/queries.ts';
import { go, Link } from '../router.tsx';
import { EditZone } from './edit-zone.tsx';
import { GuardRails } from './guard-rails.tsx';

type Zone = Reply<'listZones'>['items'][number];
const again = (): void => void client.invalidateQueries({ queryKey: ['zones'] });

/** The zones with their settings. */
export function Zones({ picked }: { readonly picked: string | undefined }) {
  const { data, error } = useQuery({
    queryKey: ['zones', 'all'],
    queryFn: ({ signal }) => allOf((cursor) => call('listZones', { query: { limit: 200, cursor }, signal })),
  });
  const rights = useQuery(asks.whoAmI).data?.rights;
  const [isAdding, setAdding] = useState(false);
  if (error && !data) return <Refused error={error} />;
  if (!data) return <Waiting />;
  const one = data.find(({ name }) => name === picked) ?? data[0];
  return (
    <div className="split">
      <section>
        {may(rights, 'createZone') && (
          <div className="actions">
            <button type="button" className="primary" onClick={() => setAdding(true)}>
              Create a zone…
            </button>
          </div>
        )}
        {data.length === 0 && <Empty>There is no zone that you may see.</Empty>}
        <ZoneTable of={data} picked={one?.name} />
        {isAdding && <AddZone onClose={() => setAdding(false)} />}
      </section>
      {one && (
        <aside>
          <OneZone key={one.name} of={one} />
        </aside>
      )}
    </div>
  );
}

const ZoneTable = ({ of, picked }: { readonly of: readonly Zone[]; readonly picked: string | undefined }) => (
  <div className="scroll-x">
    <table className="list">
      <thead>
        <tr>
          <th>Zone</th>
          <th>Kind</th>
          <th>Mode</th>
          <th className="number">Systems</th>
          <th>Frozen</th>
          <th>Why</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ name, kind, mode, systemsAbout, frozen, because }) => (
          <tr key={name} aria-selected={name === picked}>
            <td>
              <button type="button" className="plain" onClick={() => go('/settings', { tab: 'zones', zone: name })}>
                {name}
              </button>
            </td>
            <td>{kind}</td>
            <td>{mode}</td>
            <td className="number">{number(systemsAbout)}</td>
            <td>{frozen ?? '–'}</td>
            <td>{because}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

function OneZone({ of }: { readonly of: Zone }) {
  const { name, kind, mode, remapAfterMs, meanwhile, readmit, rtoMs, unsignedClients, capacity, map, admission, admitAtMostEveryMs } = of;
  const rights = useQuery(asks.whoAmI).data?.rights;
  const [asked, ask] = useState<'edit' | 'delete'>();
  return (
    <Panel
      title={
        <Link to="/" search={{ zone: name }}>
          {name}
        </Link>
      }
    >
      <Facts
        of={[
          ['Kind', kind],
          ['Mode', mode],
          ['Slots', number(map.slots)],
          ['Lost nodes keep theirs', remapAfterMs === undefined ? 'as long as they are away' : spanText(remapAfterMs)],
          ['Meanwhile', meanwhile],
          ['Dropped nodes rejoin', readmit === 'auto' ? 'by themselves' : 'when an administrator says so'],
          ['Recovery within', rtoMs === undefined ? 'any time' : spanText(rtoMs)],
          ['Nodes admit', admission && `as fast as they bear, at most one per ${(admitAtMostEveryMs ?? 0) / 1000} s`],
          ['Clients that never sign', unsignedClients ? 'let in' : 'refused'],
          ['Capacity', capacity && `${number(capacity.filled)} of ${number(capacity.declared)}`],
        ]}
      />
      <GuardRails of={of} />
      {may(rights, 'editZone', name) && (
        <div className="actions">
          <button type="button" onClick={() => ask('edit')}>
            Change…
          </button>
          <button type="button" className="danger" onClick={() => ask('delete')}>
            Delete…
          </button>
        </div>
      )}
      {asked === 'edit' && <EditZone of={of} onClose={() => ask(undefined)} />}
      {asked === 'delete' && (
        <Confirm
          title={`Delete ${name}?`}
          action="Delete it"
          isDanger
          does={() => call('deleteZone', { params: { zone: name } })}
          done={({ because }) => {
            again();
            return because;
          }}
          onClose={() => ask(undefined)}
        >
          <p>Only an empty zone can be deleted: no node, and no client system. Its number is never given again.</p>
        </Confirm>
      )}
    </Panel>
  );
}

function AddZone({ onClose }: { readonly onClose: () => void }) {
  const add = (form: FormData) =>
    call('createZone', { body: { name: String(form.get('name')), kind: form.get('kind') === 'storage' ? 'storage' : 'management' } });
  const done = ({ name }: Reply<'createZone'>): string => {
    again();
    go('/settings', { tab: 'zones', zone: name });
    return `Zone ${name} is there`;
  };
  return (
    <Dialog label="Create a zone" onClose={onClose}>
      <h2>Create a zone</h2>
      <OrderForm action="Create it" does={add} done={done} onClose={onClose}>
        <Field label="Name" hint="Small letters, digits and hyphens">
          {(id) => <input id={id} name="name" required pattern="[a-z][a-z0-9\-]{0,39}" />}
        </Field>
        <Field label="For">
          {(id) => (
            <select id={id} name="kind">
              <option value="management">client systems of Uyuni or Salt</option>
              <option value="storage">a storage cluster</option>
            </select>
          )}
        </Field>
      </OrderForm>
    </Dialog>
  );
}
