import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { capital, Facts, Status as Mark } from '../kit/kit.tsx';
import { Link } from '../router.tsx';
import { Why } from '../why/why.tsx';
import { processOf, type Status } from './asks.ts';
import type { Touched } from './touch.ts';
import { nameIn, type Thing, type Vertex } from './tree.ts';

type Props = {
  readonly zone: string;
  readonly id: string;
  readonly status: Status;
  readonly vertex: Vertex | undefined;
  readonly thing: Thing | undefined;
  readonly touched: Touched;
};

/** Anything but a host or a process: what the graph says of it, and why what it belongs to is as it is. */
export function OtherFacts({ zone, id, status, vertex, thing, touched }: Props) {
  const kind = thing?.kind ?? vertex?.kind;
  const process = [...touched.above].find((one) => one.startsWith('process '));
  const isPartOfProcess = (kind === 'service' || kind === 'device') && process !== undefined;
  return (
    <>
      <Facts of={factsOf({ id, vertex, thing, status })} />
      {kind === 'instance' && (
        <p>
          <Link to="/services" search={{ zone, pick: nameIn(id) }}>
            Its place among the services
          </Link>
        </p>
      )}
      {isPartOfProcess && <ProcessState zone={zone} fid={nameIn(process)} />}
      {kind === 'instance' && <Why kind="service" id={nameIn(id)} zone={zone} />}
      {isPartOfProcess && <Why kind="process" id={nameIn(process)} zone={zone} />}
      {!isPartOfProcess && kind !== 'instance' && <Why kind="cluster" id={zone} />}
    </>
  );
}

function ProcessState({ zone, fid }: { readonly zone: string; readonly fid: string }) {
  const { data } = useQuery(processOf(zone, fid));
  return data === undefined ? null : (
    <p>
      Its process, {data.endpoint}, is <Mark is={data.state} />
    </p>
  );
}

const terabyte = 1_000_000_000_000;

/** What the graph and the status say, by names that people use. */
function factsOf({
  id,
  vertex,
  thing,
  status,
}: Pick<Props, 'id' | 'vertex' | 'thing' | 'status'>): readonly (readonly [string, ReactNode])[] {
  const facts = Object.entries(vertex?.facts ?? {}).map(([name, value]): [string, ReactNode] =>
    name === 'size' && typeof value === 'number' ? ['Size', `${(value / terabyte).toFixed(1)} TB`] : [capital(name), String(value)],
  );
  const { counts = {} } = thing ?? {};
  return [
    [
      'Fid',
      vertex?.label.startsWith('0x') ? (
        <code key="fid">{vertex.label}</code>
      ) : thing?.kind === 'service' ? (
        <code key="fid">{nameIn(id)}</code>
      ) : undefined,
    ],
    ['Principal', status.principal === nameIn(id) ? 'resource manager' : undefined],
    ['Hosts', counts.host],
    ['Processes', counts.process],
    ['Devices', counts.device],
    ...facts,
  ];
}
