import type { Reply } from '../api/call.ts';
import { capital, count, number, short } from '../kit/kit.tsx';
import { spanText, useNow } from '../kit/time.ts';
import { changing } from './preview.ts';

type Shown = Reply<'previewZone'>;

/** What would happen, node by node, as the planner computed it on a copy. `about`: the nodes that it is about, by id. */
export function Preview({ of, about }: { readonly of: Shown; readonly about: readonly string[] }) {
  const { moved, waiting, others, guards, because, stations, storage, isComplete, mapVersion } = of;
  const elsewhere = others.reduce((sum, { slots }) => sum + slots, 0);
  return (
    <div className="preview">
      <p className="headline">
        <b>{count(moved.systemsAbout, 'client system')}</b> in <b>{count(moved.slots, 'slot')}</b> would move to{' '}
        <b>{count(moved.nodes, 'node')}</b>; <b>{count(elsewhere, 'slot')}</b> of others would move.
        {waiting.slots > 0 && (
          <>
            {' '}
            <b>{count(waiting.systemsAbout, 'client system')}</b> in {count(waiting.slots, 'slot')} would wait where they are.
          </>
        )}
      </p>
      {guards.map((guard) => (
        <p key={guard.because} className="note">
          {guard.rule !== undefined && <b>Rule {guard.rule} would hold this: </b>}
          {guard.because}
          {guard.overruledBy !== undefined && <code> {guard.overruledBy}</code>}
        </p>
      ))}
      <Bars of={of} about={about} />
      <When of={of} />
      {storage && <Storage of={storage} />}
      {stations && !stations.isQuorate && (
        <p className="note bad">
          Only {stations.heard} of {stations.stations} stations would be heard, of {stations.needed} that are needed: nothing would be
          decided until more are.
        </p>
      )}
      <p className="soft">
        Computed from map version {mapVersion} by the planner itself, and thrown away: {because.join('; ')}.
        {!isComplete && ' More would move after that.'}
      </p>
    </div>
  );
}

function Bars({ of: { nodes }, about }: { readonly of: Shown; readonly about: readonly string[] }) {
  const { shown, same } = changing(nodes, about);
  const most = Math.max(1, ...shown.flatMap(({ systemsAbout: { before, after } }) => [before, after]));
  return (
    <ul className="bars">
      {shown.map(({ node, fqdn, systemsAbout: { before, after }, room }) => (
        <li key={node} className={about.includes(node) ? 'goes' : ''}>
          <span title={fqdn}>{short(fqdn)}</span>
          <span className="bar" aria-hidden="true">
            <i style={{ width: `${(Math.min(before, after) / most) * 100}%` }} />
            <i className={after >= before ? 'more' : 'less'} style={{ width: `${(Math.abs(after - before) / most) * 100}%` }} />
          </span>
          <span className="number">
            {number(before)} → {number(after)}
            {room !== undefined && <small> room for {number(room)}</small>}
          </span>
        </li>
      ))}
      {same > 0 && <li className="soft">{count(same, 'node')} would stay as they are.</li>}
    </ul>
  );
}

function When({ of: { forecast } }: { readonly of: Shown }) {
  const now = useNow();
  return (
    <p>
      {capital(forecast.because)}.
      {forecast.allPlacedAt !== undefined && (
        <> All client systems would have their node in about {spanText(Date.parse(forecast.allPlacedAt) - now)}.</>
      )}
    </p>
  );
}

/** What a storage cluster would lose. */
export function Storage({ of: { totals, levels, reached, level, liveness, services } }: { readonly of: NonNullable<Shown['storage']> }) {
  const lost = levels.filter((one) => one.lost > 0).map((one) => `${one.lost} of ${one.of} at level ${one.level}`);
  return (
    <div className={liveness.length > 0 ? 'note bad' : 'note'}>
      <p>
        <b>{count(totals.processes, 'process', 'processes')}</b> with {count(totals.services, 'service')} and{' '}
        {count(totals.devices, 'device')} would go
        {lost.length > 0 && <>: {lost.join(', ')}</>}. The cluster would reach level {reached}; it must be at {level}.
      </p>
      {liveness.map((one) => (
        <p key={one}>{one}</p>
      ))}
      {services.length > 0 && <p>{count(services.length, 'other service')} that Muster runs there would go, too.</p>}
    </div>
  );
}
