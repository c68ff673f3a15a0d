import { useState } from 'react';
import { call } from '../api/call.ts';
import { Dialog, Field } from '../kit/kit.tsx';
import { doing } from '../kit/toasts.tsx';
import { client } from '../live/queries.ts';
import type { Stations } from './asks.ts';

/** Gives the stations of a zone up without their majority; asks for the name of the zone, as this may divide a site. */
export function ResetStations({ of: { zone, quorum }, onClose }: { readonly of: Stations; readonly onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const reset = async (): Promise<void> => {
    if (!(await doing(call('resetStations', { params: { zone } }), ({ because }) => because))) return;
    await client.invalidateQueries({ queryKey: ['stations'] });
    onClose();
  };
  return (
    <Dialog label="Give the stations up" onClose={onClose}>
      <h2>Give up the stations of {zone}</h2>
      <p>
        For when a majority of them never comes back. The zone has none then, nothing waits for them, and others can be named. If the site
        is only divided, the part that is not heard may go on acting.
      </p>
      {quorum.quorate && <p className="note">A majority is heard now: “Name others…” changes the set without that risk.</p>}
      <Field label={`Type ${zone} to confirm`}>
        {(id) => <input id={id} value={typed} spellCheck={false} autoComplete="off" onChange={(event) => setTyped(event.target.value)} />}
      </Field>
      <div className="actions">
        <button type="button" className="danger" disabled={typed !== zone} onClick={() => void reset()}>
          Give them up
        </button>
        <button type="button" onClick={onClose}>
          Leave it as it is
        </button>
      </div>
    </Dialog>
  );
}
