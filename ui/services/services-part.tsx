import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { may } from '../api/rights.ts';
import { useKeys } from '../kit/keys.ts';
import { Ago, Empty, number, Refused, Status, short, Waiting } from '../kit/kit.tsx';
import { type Column, Table } from '../kit/table.tsx';
import { asks } from '../live/queries.ts';
import { go } from '../router.tsx';
import { type Service, servicesOf } from './asks.ts';
import { filtered, idOf, partsOf, tallied } from './listed.ts';
import { OneService } from './one-service.tsx';
import { StartDialog } from './start-dialog.tsx';
import { Types } from './types.tsx';

type Search = Readonly<Record<string, string>>;

/** The services of a zone as a list, the one that is picked beside it, and the types that there are. */
export function ServicesPart({ zone, search }: { readonly zone: string; readonly search: Search }) {
  const { data, error } = useQuery(servicesOf(zone));
  const { state, q, pick: picked } = search;
  const at = (next: Readonly<Record<string, string | undefined>>): void =>
    go('/services', { zone, state, q, pick: picked, ...next }, { replace: true });
  const shown = filtered(data ?? [], state, q);
  const step = (by: number): void => {
    const n = shown.findIndex((one) => idOf(one) === picked);
    const next = shown[Math.min(shown.length - 1, Math.max(0, n + by))];
    if (next) at({ pick: idOf(next) });
  };
  useKeys({ Escape: () => at({ pick: undefined }), j: () => step(1), k: () => step(-1) });
  if (error && !data) return <Refused error={error} />;
  if (!data) return <Waiting />;
  const one = picked === undefined ? undefined : partsOf(picked);
  return (
    <div className="split">
      <Services {...{ zone, shown, picked }} all={data} onPick={(pick) => at({ pick })}>
        <Filters all={data} state={state} q={q} onChange={at} />
      </Services>
      {one && (
        <aside className="sheet" aria-label="The service that is picked">
          <OneService key={picked} zone={zone} {...one} onClose={() => at({ pick: undefined })} />
        </aside>
      )}
    </div>
  );
}

type ServicesProps = {
  readonly zone: string;
  readonly all: readonly Service[];
  readonly shown: readonly Service[];
  readonly picked: string | undefined;
  readonly onPick: (id: string) => void;
  readonly children: ReactNode;
};

/** The list with its filters, the types, and starting another service of one of them. */
function Services({ zone, all, shown, picked, onPick, children }: ServicesProps) {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const [starting, setStarting] = useState<string>();
  return (
    <div className="services-list">
      <div className="actions">
        {children}
        {may(rights, 'startService', zone) && (
          <button type="button" className="primary" onClick={() => setStarting('')}>
            Start a service…
          </button>
        )}
      </div>
      {all.length === 0 ? (
        <Empty>
          No service runs in {zone}. A service is a program that Muster keeps running on a node, such as a supervisor or one of your own.
        </Empty>
      ) : (
        <List of={shown} picked={picked} onPick={onPick} />
      )}
      <Types zone={zone} services={all} onStart={setStarting} />
      {starting !== undefined && <StartDialog zone={zone} type={starting} onClose={() => setStarting(undefined)} />}
    </div>
  );
}

type FiltersProps = {
  readonly all: readonly Service[];
  readonly state: string | undefined;
  readonly q: string | undefined;
  readonly onChange: (next: Readonly<Record<string, string | undefined>>) => void;
};

function Filters({ all, state, q, onChange }: FiltersProps) {
  return (
    <>
      {all.length > 8 && (
        <input
          type="search"
          className="short"
          aria-label="Services by type, name or host"
          placeholder="Type, name or host"
          value={q ?? ''}
          onChange={(event) => onChange({ q: event.target.value })}
        />
      )}
      {tallied(all).map(([name, n]) => (
        <button
          key={name}
          type="button"
          className="chip"
          aria-pressed={state === name}
          onClick={() => onChange({ state: state === name ? undefined : name })}
        >
          <Status is={name}>
            {number(n)} {name}
          </Status>
        </button>
      ))}
    </>
  );
}

type ListProps = { readonly of: readonly Service[]; readonly picked: string | undefined; readonly onPick: (id: string) => void };

function List({ of, picked, onPick }: ListProps) {
  if (of.length === 0) return <Empty>No service is like that.</Empty>;
  return <Table of={of} columns={columnsOf(onPick)} keyOf={idOf} isPicked={(one) => idOf(one) === picked} />;
}

const isOther = (name: string, type: string): boolean => name !== type;

const columnsOf = (onPick: ListProps['onPick']): readonly Column<Service>[] => [
  {
    title: 'Service',
    cell: (one) => (
      <>
        <button type="button" className="link" onClick={() => onPick(idOf(one))}>
          {one.type}
        </button>
        {isOther(one.name, one.type) && <small className="soft"> as {one.name}</small>}
      </>
    ),
  },
  {
    title: 'State',
    cell: ({ state, drift, healthy }) => (
      <>
        <Status is={state} />
        {drift && <small className="soft"> drifted</small>}
        {healthy === false && <Status is="failed">unwell</Status>}
      </>
    ),
  },
  { title: 'Host', cell: ({ host }) => <span title={host}>{short(host)}</span> },
  { title: 'Since', cell: ({ since }) => <Ago at={since} /> },
  {
    title: 'Says',
    is: 'says roomy',
    cell: ({ reason, address, version }) => reason ?? [address, version].filter((one) => one !== undefined).join(' · '),
  },
  {
    title: 'Watched from',
    is: 'roomy',
    cell: ({ supervisor }) => (
      <>
        {supervisor && short(supervisor.host)} {supervisor?.missedSince !== undefined && <Status is="suspect">missed</Status>}
      </>
    ),
  },
];
