import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { may } from '../api/rights.ts';
import { Confirm } from '../kit/confirm.tsx';
import { asks, client } from '../live/queries.ts';
import { usePreview } from '../preview/use-preview.ts';
import { WouldBe } from '../preview/would-be.tsx';

type Zone = Reply<'listZones'>['items'][number];
type Asked = 'moves' | 'expiry' | 'all' | 'off' | 'calm';

const titles: Readonly<Record<Asked, string>> = {
  moves: 'Freeze moves?',
  expiry: 'Freeze expiry?',
  all: 'Freeze everything?',
  off: 'Unfreeze it?',
  calm: 'End the disruption?',
};
const says: Readonly<Record<Asked, string>> = {
  moves: 'No slot moves until it is unfrozen.',
  expiry: 'No node is given up for being silent or away until it is unfrozen.',
  all: 'No slot moves, and no node is given up, until it is unfrozen.',
  off: 'Slots move again, and nodes that stay silent are given up.',
  calm: 'The nodes that are silent now are lost, and their client systems go elsewhere.',
};

/** What holds a zone, and what an operator may freeze in it. */
export function GuardRails({ of: { name, frozen, disrupted, darkRacks } }: { readonly of: Zone }) {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const [asked, ask] = useState<Asked>();
  const mayFreeze = may(rights, 'freezeZone', name);
  return (
    <>
      {disrupted && (
        <p className="note bad">
          {disrupted.silent} of {disrupted.nodes} nodes fell silent at once: rule {disrupted.rule} holds them.
        </p>
      )}
      {darkRacks && <p className="note">All nodes fell silent in rack {darkRacks.join(', ')}: they are held.</p>}
      {frozen !== undefined && <p className="note">Frozen: {frozen}.</p>}
      {mayFreeze && (
        <div className="actions">
          {frozen === undefined
            ? (['moves', 'expiry', 'all'] as const).map((what) => (
                <button key={what} type="button" onClick={() => ask(what)}>
                  Freeze {what}…
                </button>
              ))
            : button('Unfreeze…', () => ask('off'))}
          {disrupted && button('End the disruption…', () => ask('calm'))}
        </div>
      )}
      {asked && <Order zone={name} asked={asked} onClose={() => ask(undefined)} />}
    </>
  );
}

const button = (title: string, press: () => void) => (
  <button type="button" onClick={press}>
    {title}
  </button>
);

function order(zone: string, asked: Asked): Promise<{ readonly because: string }> {
  const params = { zone };
  if (asked === 'calm') return call('calmZone', { params });
  return asked === 'off' ? call('unfreezeZone', { params }) : call('freezeZone', { params, body: { what: asked } });
}

/** Asks before guard-rails are set, and shows what would happen if they were. */
function Order({ zone, asked, onClose }: { readonly zone: string; readonly asked: Asked; readonly onClose: () => void }) {
  // The planner plays no end of a disruption: what it means is said.
  const isPlayed = asked !== 'calm';
  const read = usePreview(zone, isPlayed ? { freeze: asked } : undefined);
  return (
    <Confirm
      title={titles[asked]}
      action={titles[asked].slice(0, -1)}
      isDanger={asked === 'calm'}
      isIncomplete={isPlayed && !read.isCurrent}
      does={() => (isPlayed ? read.order(() => order(zone, asked)) : order(zone, asked))}
      done={({ because }) => {
        void client.invalidateQueries({ queryKey: ['zones'] });
        return because;
      }}
      onClose={onClose}
    >
      <p>{says[asked]}</p>
      <WouldBe of={read} about={[]} />
    </Confirm>
  );
}
