import { useState } from 'react';
import { CloseButton, count, Panel, Refused, short, Waiting } from '../kit/kit.tsx';
import { Past } from '../preview/past.tsx';
import type { Outcome as Shown } from '../preview/preview.ts';
import type { Read } from '../preview/use-preview.ts';
import { LoseDialog } from './lose-dialog.tsx';

export type LossOf = NonNullable<Shown['storage']>;

type Props = {
  readonly zone: string;
  readonly lose: string;
  readonly read: Read;
  readonly onLose: (lose: string | undefined) => void;
};

/**
 * What would go if something were lost, as Muster computes it on a copy; the boxes that would go are struck out beside
 * it. It stays as it was read, also while the cluster changes.
 */
export function Loss({ zone, lose, read: { outcome, error, isPast, showNow }, onLose }: Props) {
  const [isAsking, setAsking] = useState(false);
  return (
    <Panel
      title={<>If {lose.split(',').map(wordOf).join(' and ')} were lost</>}
      className="loss"
      actions={<CloseButton label="Close what if" onClose={() => onLose(undefined)} />}
    >
      <Refused error={error} />
      {!outcome && !error && <Waiting what="Playing it through" />}
      {isPast && <Past onShow={showNow} />}
      {outcome && <Outcome of={outcome} />}
      <div className="actions">
        <button type="button" onClick={() => setAsking(true)}>
          Something else…
        </button>
      </div>
      {isAsking && <LoseDialog zone={zone} was={lose} onLose={onLose} onClose={() => setAsking(false)} />}
    </Panel>
  );
}

/** A part of a loss in words: a host by its first label, a place by its kind and name. */
function wordOf(part: string): string {
  const [name, value] = part.trim().split('=', 2) as [string, string | undefined];
  if (value === undefined) return short(name);
  return value.toLowerCase().startsWith(name) ? value : `${name} ${value}`;
}

/** How many rules are shown that would hold a loss: with many hosts there is one for each. */
const guardsMax = 4;

function Outcome({ of }: { readonly of: Shown }) {
  const { storage, stations, moved, waiting, guards, because, isComplete } = of;
  return (
    <>
      {storage ? <Goes of={storage} /> : <p>The zone has no storage cluster.</p>}
      {stations && (
        <p className={stations.isQuorate ? 'note good' : 'note bad'}>
          {stations.heard} of {count(stations.stations, 'station')} would be heard, {stations.needed} are needed:{' '}
          {stations.isQuorate ? 'a majority would still decide.' : 'nothing would be decided until more are.'}
        </p>
      )}
      {moved.systemsAbout + waiting.systemsAbout > 0 && (
        <p>
          About {count(moved.systemsAbout, 'client system')} would move, and {waiting.systemsAbout} would wait.
        </p>
      )}
      {guards.length > 0 && <h3>What would hold it</h3>}
      {guards.slice(0, guardsMax).map((guard) => (
        <p key={guard.because} className="note">
          {guard.because}
          {guard.overruledBy !== undefined && <code> {guard.overruledBy}</code>}
        </p>
      ))}
      {guards.length > guardsMax && <p className="soft">and {guards.length - guardsMax} more of that kind</p>}
      <details>
        <summary>How Muster would conclude that</summary>
        <ul className="plain-list">
          {because.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
        {!isComplete && <p className="soft">More would happen after that.</p>}
      </details>
    </>
  );
}

/** What a storage cluster would lose: in one sentence, its liveness, and then thing by thing. */
function Goes({ of: { hosts, totals, liveness, reached, level, processes, services } }: { readonly of: LossOf }) {
  const byHost = Map.groupBy(processes, ({ host }) => host);
  return (
    <>
      <p className="headline">
        <b>{count(hosts.length, 'host')}</b>, <b>{count(totals.processes, 'process', 'processes')}</b>,{' '}
        <b>{count(totals.services, 'service')}</b> and <b>{count(totals.devices, 'device')}</b> would go.
      </p>
      <Liveness of={liveness} isStopped={level < 0} />
      <p>
        {reached >= level
          ? level >= 0 && `It would stay at level ${level}.`
          : `${reached < 0 ? 'No level would hold' : `Only level ${reached} would hold`}: it must be at level ${level}.`}
      </p>
      {byHost.size > hostsMax ? (
        <details>
          <summary>Host by host</summary>
          <Hosts of={byHost} />
        </details>
      ) : (
        <Hosts of={byHost} />
      )}
      {totals.processes > processes.length && <p className="soft">The first {processes.length} processes are listed.</p>}
      {services.length > 0 && (
        <p>
          Other services there:{' '}
          {[...Map.groupBy(services, ({ type }) => type)].map(([type, some]) => `${type} × ${some.length}`).join(', ')}
        </p>
      )}
    </>
  );
}

/** What would be lost of the liveness of a cluster. */
function Liveness({ of, isStopped }: { readonly of: readonly string[]; readonly isStopped: boolean }) {
  if (of.length > 0)
    return (
      <div className="note bad">
        <b>The cluster would not stay alive.</b>
        {of.map((one) => (
          <p key={one}>{one}</p>
        ))}
      </div>
    );
  return isStopped ? (
    <p className="note">The cluster is stopped: it has no liveness to lose.</p>
  ) : (
    <p className="note good">The cluster would stay alive: what is left serves all that is stored.</p>
  );
}

/** How many hosts a loss lists at once; more are folded away. */
const hostsMax = 8;

type Lost = LossOf['processes'][number];

const Hosts = ({ of }: { readonly of: ReadonlyMap<string, readonly Lost[]> }) =>
  [...of].map(([host, some]) => (
    <details key={host}>
      <summary>
        {short(host)}: {count(some.length, 'process', 'processes')}
      </summary>
      <ul className="plain-list">
        {some.map(({ process, type, services, devices, level }) => (
          <li key={process}>
            <b>{type}</b> <code>{process}</code>
            {level !== undefined && ` level ${level}`} · {services.map((one) => one.type.replace(/^CST_/, '')).join(', ')}
            {devices > 0 && ` · ${count(devices, 'device')}`}
          </li>
        ))}
      </ul>
    </details>
  ));
