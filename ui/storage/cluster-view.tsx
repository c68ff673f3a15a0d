import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import { useKeys } from '../kit/keys.ts';
import { count, Empty, Refused, Waiting } from '../kit/kit.tsx';
import { usePreview } from '../preview/use-preview.ts';
import { go } from '../router.tsx';
import { clusterOf, devicesMax, graphOf, type Status, shapeOf } from './asks.ts';
import { Boxes } from './boxes.tsx';
import { Head } from './head.tsx';
import { Ladder } from './ladder.tsx';
import { goneWith } from './lose.ts';
import { Picked } from './picked.tsx';
import { Pools } from './pools.tsx';
import { touchedBy, waysOf } from './touch.ts';
import { type Graph, thingsById, treeOf } from './tree.ts';

/** What would be lost loads when it is asked. */
const Loss = lazy(async () => ({ default: (await import('./loss.tsx')).Loss }));

type Asked = { readonly zone: string; readonly picked: string | undefined; readonly lose: string | undefined };

/** The cluster of a zone, once its status is there. */
export function ClusterView(asked: Asked) {
  const { data: status, error } = useQuery(clusterOf(asked.zone));
  const devices = (status?.loaded?.devices ?? 0) <= devicesMax;
  const graph = useQuery({
    ...graphOf(asked.zone, status ? shapeOf(status) : '', devices),
    enabled: status !== undefined,
    placeholderData: keepPreviousData,
  });
  if (error && !status) return <Refused error={error} />;
  if (!status) return <Waiting />;
  return (
    <>
      <Head status={status} onLose={(lose) => go('/storage', { ...asked, pick: asked.picked, picked: undefined, lose })} />
      <Refused error={graph.error} />
      {graph.data ? <Whole {...asked} status={status} graph={graph.data} /> : !graph.error && <Waiting what="Reading the graph" />}
      {!devices && (
        <p className="note">
          The cluster has {count(status.loaded?.devices ?? 0, 'device')}: they are left out here. <code>muster graph show</code> finds any
          of them.
        </p>
      )}
      {graph.data?.isWhole === false && <p className="note">The cluster is larger than this page reads: hosts at its end are left out.</p>}
    </>
  );
}

/** Levels, boxes, and what is picked beside them. */
function Whole({ zone, picked, lose, status, graph }: Asked & { readonly status: Status; readonly graph: Graph }) {
  const { things, byId, touched } = useTree(graph, status, picked);
  const read = usePreview(zone, lose === undefined ? undefined : { lose });
  const loss = read.outcome?.storage;
  const lost = useMemo(() => goneWith(things, new Set(loss?.hosts)), [things, loss]);
  const at = (next: { readonly pick?: string | undefined; readonly lose?: string | undefined }): void =>
    go('/storage', { zone, pick: picked, lose, ...next }, { replace: true });
  const pick = (id: string | undefined): void => at({ pick: id });
  useKeys({ Escape: () => at(picked === undefined ? { lose: undefined } : { pick: undefined }) });
  if (things.length === 0) return <Nothing status={status} />;
  const vertex = picked === undefined ? undefined : graph.vertices.find(({ id }) => id === picked);
  return (
    <div className="storage-split">
      <Ladder status={status} loss={loss} onPick={pick} />
      <div className="boxes-side">
        <Pools graph={graph} touched={touched} picked={picked} onPick={pick} />
        <Boxes key={zone} things={things} picked={picked} touched={touched} lost={lost} onPick={pick} />
      </div>
      {(picked !== undefined || lose !== undefined) && (
        <aside className="sheet" aria-label="What is picked">
          {lose !== undefined && (
            <Suspense fallback={<Waiting />}>
              <Loss zone={zone} lose={lose} read={read} onLose={(next) => at({ lose: next })} />
            </Suspense>
          )}
          {picked !== undefined && touched && (
            <Picked
              {...{ zone, status, touched, vertex, byId, lose }}
              id={picked}
              onPick={pick}
              onLose={(next) => at({ lose: next, pick: lose === undefined ? undefined : picked })}
            />
          )}
        </aside>
      )}
    </div>
  );
}

/** The boxes of a cluster, and what the picked one touches. */
function useTree(graph: Graph, status: Status, picked: string | undefined) {
  const things = useMemo(() => treeOf(graph, status), [graph, status]);
  const byId = useMemo(() => thingsById(things), [things]);
  const ways = useMemo(() => waysOf(graph), [graph]);
  const touched = useMemo(() => (picked === undefined ? undefined : touchedBy(ways, picked)), [ways, picked]);
  return { things, byId, touched };
}

const Nothing = ({ status }: { readonly status: Status }) => (
  <Empty>
    {status.loaded === undefined ? 'No facts are loaded into this zone, and no host of it has called in. ' : 'The cluster has no hosts. '}
    <code>muster mero bootstrap -f facts.yaml --zone {status.zone}</code> brings it up.
  </Empty>
);
