import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { may } from '../api/rights.ts';
import { useKeys } from '../kit/keys.ts';
import { Ago, Empty, number, Refused, Status, short, Waiting } from '../kit/kit.tsx';
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
  const rights = useQuery(asks.whoAmI).data?.rights;
  const [starting, setStarting] = useState<string>();
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
      <div className="services-list">
        <div className="actions">
          <Filters all={data} state={state} q={q} onChange={at} />
          {may(rights, 'startService', zone) && (
            <button type="button" className="primary" onClick={() => setStarting('')}>
              Start a service…
            </button>
          )}
        </div>
        {data.length === 0 ? (
          <Empty>
            No service runs in {zone}. A service is a program that Muster keeps running on a node, such as a supervisor or one of your own.
          </Empty>
        ) : (
          <List of={shown} picked={picked} onPick={(pick) => at({ pick })} />
        )}
        <Types zone={zone} services={data} onStart={setStarting} />
      </div>
      {one && (
        <aside className="sheet" aria-label="The service that is picked">
          <OneService key={picked} zone={zone} {...one} onClose={() => at({ pick: undefined })} />
        </aside>
      )}
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
  return (
    <div className="scroll-x">
      <table className="list">
        <thead>
          <tr>
            <th scope="col">Service</th>
            <th scope="col">State</th>
            <th scope="col">Host</th>
            <th scope="col">Since</th>
            <th scope="col" className="roomy">
              Says
            </th>
            <th scope="col" className="roomy">
              Watched from
            </th>
          </tr>
        </thead>
        <tbody>
          {of.map((one) => (
            <Line key={idOf(one)} of={one} isPicked={idOf(one) === picked} onPick={onPick} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const isOther = (name: string, type: string): boolean => name !== type;

function Line({ of, isPicked, onPick }: { readonly of: Service; readonly isPicked: boolean } & Pick<ListProps, 'onPick'>) {
  const { type, name, host, state, since, drift, reason, address, version, supervisor, healthy } = of;
  const says = reason ?? [address, version].filter((one) => one !== undefined).join(' · ');
  return (
    <tr aria-selected={isPicked}>
      <td>
        <button type="button" className="link" onClick={() => onPick(idOf(of))}>
          {type}
        </button>
        {isOther(name, type) && <small className="soft"> as {name}</small>}
      </td>
      <td>
        <Status is={state} />
        {drift && <small className="soft"> drifted</small>}
        {healthy === false && <Status is="failed">unwell</Status>}
      </td>
      <td title={host}>{short(host)}</td>
      <td>
        <Ago at={since} />
      </td>
      <td className="says roomy">{says}</td>
      <td className="roomy">
        {supervisor && short(supervisor.host)} {supervisor?.missedSince !== undefined && <Status is="suspect">missed</Status>}
      </td>
    </tr>
  );
}
