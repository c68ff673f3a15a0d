import type { Reply } from '../api/call.ts';
import { Because, number, Status } from '../kit/kit.tsx';

type Zone = Reply<'status'>['zones'][number];

/** A zone at a glance: how many client systems, its nodes by status, and what is out of the ordinary. */
export function ZoneCard({ of, isPicked, onPick }: { readonly of: Zone; readonly isPicked: boolean; readonly onPick: () => void }) {
  const { name, systems, nodes, disrupted, frozen, forecast } = of;
  const here = systems ? systems.onboarded + systems.orphan : of.systemsAbout;
  const silent = systems?.silent ?? of.silentAbout ?? 0;
  const states = Object.entries(nodes).filter(([, n]) => n > 0);
  return (
    <button type="button" className="zone-card" aria-pressed={isPicked} onClick={onPick}>
      <b>{name}</b>
      <span className="big">
        {number(here)} <small>systems</small>
      </span>
      <span className="nodes">
        {states.length === 0 && <span className="soft">no nodes yet</span>}
        {states.map(([is, n]) => (
          <Status key={is} is={is}>
            {n} {is}
          </Status>
        ))}
        {silent > 0 && <Status is="silent">{number(silent)} systems silent</Status>}
      </span>
      {disrupted && <em className="bad">disrupted: guard-rails hold its nodes</em>}
      {frozen !== undefined && <em>frozen: {frozen}</em>}
      {forecast && (
        <em>
          <Because of={forecast.because} />
        </em>
      )}
    </button>
  );
}
