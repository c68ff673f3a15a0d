import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { may } from '../api/rights.ts';
import { Confirm } from '../kit/confirm.tsx';
import { Because, Empty, Field, number, Refused, Waiting } from '../kit/kit.tsx';
import { type Column, PickButton, Table } from '../kit/table.tsx';
import { allOf, asks, client } from '../live/queries.ts';
import { go } from '../router.tsx';
import { OneZone, type Zone } from './one-zone.tsx';

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
        <Table of={data} columns={columns} keyOf={({ name }) => name} isPicked={({ name }) => name === one?.name} />
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

const columns: readonly Column<Zone>[] = [
  { title: 'Zone', cell: ({ name }) => <PickButton onPick={() => go('/settings', { tab: 'zones', zone: name })}>{name}</PickButton> },
  { title: 'Kind', cell: ({ kind }) => kind },
  { title: 'Mode', cell: ({ mode }) => mode },
  { title: 'Systems', is: 'number', cell: ({ systemsAbout }) => number(systemsAbout) },
  { title: 'Frozen', cell: ({ frozen }) => frozen ?? '–' },
  { title: 'Why', cell: ({ because }) => <Because of={because} /> },
];

function AddZone({ onClose }: { readonly onClose: () => void }) {
  const add = (form: FormData) =>
    call('createZone', { body: { name: String(form.get('name')), kind: form.get('kind') === 'storage' ? 'storage' : 'management' } });
  const done = ({ name }: Reply<'createZone'>): string => {
    again();
    go('/settings', { tab: 'zones', zone: name });
    return `Zone ${name} is there`;
  };
  return (
    <Confirm title="Create a zone" action="Create it" does={add} done={done} onClose={onClose}>
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
    </Confirm>
  );
}
