import type { ReactNode } from 'react';
import { Fingerprint } from '../../kit/fingerprint.tsx';
import { Ago, Empty, number } from '../../kit/kit.tsx';
import { PickList } from '../picking/pick-list.tsx';
import type { Picking } from '../picking/use-picking.ts';
import type { NotAccepted } from './batches.ts';
import { type By, isHeld, refusalOf, type SystemGroup, type Waiting } from './groups.ts';

type Props = {
  readonly groups: readonly SystemGroup[];
  readonly by: By;
  readonly picking: Picking<Waiting>;
  /** Why some were not accepted, by their fingerprints. */
  readonly refused: ReadonlyMap<string, NotAccepted>;
  /** What a group suggests to accept it with. */
  readonly tagsOf: (group: SystemGroup) => ReactNode;
  readonly isPickable: boolean;
  readonly onHeld: (system: Waiting) => void;
};

/** Those that wait, in their groups. */
export default function SystemList({ groups, by, picking, refused, tagsOf, isPickable, onHeld }: Props) {
  if (groups.length === 0) return <Empty>None of them matches the filter.</Empty>;
  return (
    <PickList
      label="Client systems that wait"
      groups={groups}
      picking={picking}
      isPickable={isPickable}
      titleOf={({ title }) => title}
      nameOf={({ fqdn, fingerprint }) => `${fqdn}, fingerprint ${fingerprint.slice(0, 23)}`}
      head={(group) => <GroupHead of={group} tags={tagsOf(group)} />}
      row={(system, boxId) => (
        <Row of={system} boxId={boxId} isRefusalSaid={by !== 'zone'} result={refused.get(system.fp)} onHeld={onHeld} />
      )}
      oddOf={(system) => (isHeld(system) ? { label: 'held: compare and decide', does: () => onHeld(system) } : undefined)}
    />
  );
}

const GroupHead = ({ of, tags }: { readonly of: SystemGroup; readonly tags: ReactNode }) => (
  <div className="group-head">
    <h2>{of.title}</h2>
    <span className="soft">{number(of.items.length)}</span>
    {tags}
    {of.zone !== undefined && <span className="soft asks">asks for {of.zone}</span>}
    {of.refusal !== undefined && <em>onboarding token refused: {of.refusal}</em>}
  </div>
);

type RowProps = {
  readonly of: Waiting;
  readonly boxId: string;
  /** Its heading says already why its token was refused. */
  readonly isRefusalSaid: boolean;
  readonly result: NotAccepted | undefined;
  readonly onHeld: (system: Waiting) => void;
};

function Row({ of, boxId, isRefusalSaid, result, onHeld }: RowProps) {
  const { fqdn, fingerprint, zone, machineId, minion, firstSeenAt, facts } = of;
  const dot = fqdn.indexOf('.');
  return (
    <div className="system-row">
      <label className="name" htmlFor={boxId}>
        <b>{dot < 0 ? fqdn : fqdn.slice(0, dot)}</b>
        <span>{dot < 0 ? '' : fqdn.slice(dot)}</span>
      </label>
      <Fingerprint of={fingerprint} />
      <span className="asked">{zone ?? <span className="soft">no zone</span>}</span>
      <span className="machine" title={`machine id ${machineId}`}>
        <span>{[facts['os']?.replace(/ \(.*\)/, ''), facts['arch']].filter(Boolean).join(' · ')}</span>
        <code>{machineId.slice(0, 12)}</code>
      </span>
      <Ago at={firstSeenAt} />
      <div className="remarks">
        {minion && (
          <p className="soft">
            minion {minion.id} <Fingerprint of={minion.fingerprint} label="Fingerprint of the minion" />
          </p>
        )}
        <Remarks of={of} refusal={isRefusalSaid ? undefined : refusalOf(of)} onHeld={onHeld} />
        {result && <p className="bad">{result.because}</p>}
      </div>
    </div>
  );
}

/** What makes it worth a second look, each with the server's reason. */
function Remarks({ of, refusal, onHeld }: Pick<RowProps, 'of' | 'onHeld'> & { readonly refusal: string | undefined }) {
  const { sameMachineId, sameName, unsigned } = of;
  const shared = sameMachineId?.held ? sameMachineId : (sameName ?? sameMachineId);
  return (
    <>
      {shared && (
        <p className={shared.held ? 'odd held' : 'odd'}>
          {shared.because}{' '}
          <button type="button" onClick={() => onHeld(of)}>
            {isHeld(of) ? 'Compare and decide…' : 'Compare…'}
          </button>
        </p>
      )}
      {unsigned && <p className="odd">It never signed a knock: no machine has proved that it holds this key.</p>}
      {refusal !== undefined && <p className="odd">Its onboarding token was refused: {refusal}.</p>}
    </>
  );
}
