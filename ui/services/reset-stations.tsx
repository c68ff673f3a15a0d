import { useState } from 'react';
import { call } from '../api/call.ts';
import { Confirm } from '../kit/confirm.tsx';
import { Field } from '../kit/kit.tsx';
import { client } from '../live/queries.ts';
import type { Stations } from './asks.ts';

/** Gives the stations of a zone up without their majority; asks for the name of the zone, as this may divide a site. */
export function ResetStations({ of: { zone, quorum }, onClose }: { readonly of: Stations; readonly onClose: () => void }) {
  const [typed, setTyped] = useState('');
  return (
    <Confirm
      title={`Give up the stations of ${zone}`}
      action="Give them up"
      leave="Leave it as it is"
      isDanger
      isIncomplete={typed !== zone}
      does={() => call('resetStations', { params: { zone } })}
      done={({ because }) => {
        void client.invalidateQueries({ queryKey: ['stations'] });
        return because;
      }}
      onClose={onClose}
    >
      <p>
        For when a majority of them never comes back. The zone has none then, nothing waits for them, and others can be named. If the site
        is only divided, the part that is not heard may go on acting.
      </p>
      {quorum.quorate && <p className="note">A majority is heard now: “Name others…” changes the set without that risk.</p>}
      <Field label={`Type ${zone} to confirm`}>
        {(id) => <input id={id} value={typed} spellCheck={false} autoComplete="off" onChange={(event) => setTyped(event.target.value)} />}
      </Field>
    </Confirm>
  );
}
