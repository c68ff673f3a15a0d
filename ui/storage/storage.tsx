import { useQuery } from '@tanstack/react-query';
import { Empty, Refused, Waiting } from '../kit/kit.tsx';
import { asks } from '../live/queries.ts';
import { go, type ViewProps } from '../router.tsx';
import { ClusterView } from './cluster-view.tsx';

/** A storage cluster: how far it is, what stands and runs where, what touches what, and what would go with what. */
export default function Storage({ search }: ViewProps) {
  const { data, error } = useQuery(asks.zones);
  if (error && !data) return <Refused error={error} />;
  if (!data) return <Waiting />;
  const zones = data.filter(({ kind }) => kind === 'storage').map(({ name }) => name);
  const zone = zones.find((name) => name === search['zone']) ?? zones[0];
  if (zone === undefined)
    return (
      <Empty>
        There is no storage zone that you may see. <code>muster zone create tier1 --kind storage</code> makes one.
      </Empty>
    );
  return (
    <div className="storage">
      <h1 className="unseen">Storage</h1>
      {zones.length > 1 && <Zones of={zones} picked={zone} />}
      <ClusterView key={zone} zone={zone} picked={search['pick']} lose={search['lose']} />
    </div>
  );
}

const Zones = ({ of, picked }: { readonly of: readonly string[]; readonly picked: string }) => (
  <nav className="zones" aria-label="Storage zones">
    {of.map((zone) => (
      <button key={zone} type="button" className="chip" aria-pressed={zone === picked} onClick={() => go('/storage', { zone })}>
        {zone}
      </button>
    ))}
  </nav>
);
