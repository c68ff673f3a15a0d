import { CloseButton, Status as Mark, Panel } from '../kit/kit.tsx';
import type { Status } from './asks.ts';
import { lossOf } from './lose.ts';
import { HostFacts } from './picked-host.tsx';
import { OtherFacts } from './picked-other.tsx';
import { ProcessFacts } from './picked-process.tsx';
import type { Touched } from './touch.ts';
import { Touches } from './touches.tsx';
import { nameIn, type Thing, type Vertex } from './tree.ts';

type Props = {
  readonly zone: string;
  readonly id: string;
  readonly status: Status;
  readonly touched: Touched;
  readonly vertex: Vertex | undefined;
  readonly byId: ReadonlyMap<string, Thing>;
  readonly lose: string | undefined;
  readonly onPick: (id: string | undefined) => void;
  readonly onLose: (lose: string) => void;
};

/** The thing that is picked: its facts, what can be done, what it touches, and why it is as it is. */
export function Picked(props: Props) {
  const { id, vertex, byId, touched, onPick } = props;
  const thing = byId.get(id);
  const kind = thing?.kind ?? vertex?.kind ?? 'thing';
  return (
    <Panel
      title={
        <>
          <small>{kind === 'instance' ? 'service of Muster' : kind}</small> {thing?.name ?? nameIn(id)}{' '}
          {thing?.state !== undefined && <Mark is={thing.extended === 'suspect' ? 'suspect' : thing.state} />}
        </>
      }
      actions={<CloseButton label="Let go" title="Escape" onClose={() => onPick(undefined)} />}
    >
      {vertex === undefined && thing === undefined ? (
        <p>There is no such thing in the graph of this zone any more.</p>
      ) : (
        <>
          {thing?.extended !== undefined && thing.extended !== 'suspect' && <p>{thing.extended}</p>}
          <WhatIf {...props} thing={thing} />
          <Facts {...props} thing={thing} />
          <Touches touched={touched} byId={byId} onPick={onPick} />
        </>
      )}
    </Panel>
  );
}

function WhatIf({ thing, lose, status, onLose }: Props & { readonly thing: Thing | undefined }) {
  const loss = thing && lossOf(thing);
  if (thing === undefined || loss === undefined) return null;
  const host = thing.kind === 'host' ? status.hosts?.find((one) => one.host === loss) : undefined;
  if (thing.kind === 'host' && host?.node === undefined)
    return <p className="soft">No node of this name has called in: alone it cannot be supposed to be lost. Its enclosure can.</p>;
  const parts = lose?.split(',') ?? [];
  if (parts.includes(loss)) return null;
  return (
    <div className="actions">
      <button type="button" className={lose === undefined ? 'primary' : ''} onClick={() => onLose([...parts, loss].join(','))}>
        {lose === undefined ? 'What if it were lost?' : 'And if this were lost, too?'}
      </button>
    </div>
  );
}

function Facts({ zone, id, status, vertex, thing, touched }: Props & { readonly thing: Thing | undefined }) {
  const kind = thing?.kind ?? vertex?.kind;
  if (kind === 'process') return <ProcessFacts zone={zone} fid={nameIn(id)} />;
  if (kind === 'host') return <HostFacts zone={zone} host={nameIn(id)} node={status.hosts?.find((one) => one.host === nameIn(id))?.node} />;
  return <OtherFacts {...{ zone, id, status, vertex, thing, touched }} />;
}
