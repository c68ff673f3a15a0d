import { type FormEvent, useState } from 'react';
import { call } from '../api/call.ts';
import { Dialog, Field, Refused } from '../kit/kit.tsx';
import { say } from '../kit/toasts.tsx';
import { client } from '../live/queries.ts';
import type { SiteOrders } from './asks.ts';
import { bmcsIn, bmcText } from './bmcs.ts';

const minuteMs = 60_000;
const autos = [
  ['off', 'No host by itself'],
  ['dry-run', 'Only try what it would do, for a host that is down'],
  ['on', 'Power-cycle a host that is down'],
] as const;

/** Sets how rarely each host is power-cycled, whether Muster does it by itself, and the BMCs that are in no facts. */
export function PowerSettings({ of: { zone, power, bmcs }, onClose }: { readonly of: SiteOrders; readonly onClose: () => void }) {
  const [minutes, setMinutes] = useState(String((power?.everyMs ?? 10 * minuteMs) / minuteMs));
  const [auto, setAuto] = useState(power?.auto ?? 'off');
  const [text, setText] = useState(() => bmcs.map(bmcText).join('\n'));
  const [refused, setRefused] = useState<unknown>();
  const read = bmcsIn(text, bmcs);
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (read.fault !== undefined) return;
    try {
      const body = { everyMs: Math.round(Number(minutes) * minuteMs), auto, bmcs: [...read.bmcs] };
      say((await call('editPower', { params: { zone }, body })).because);
      await client.invalidateQueries({ queryKey: ['stations'] });
      onClose();
    } catch (error) {
      setRefused(error);
    }
  };
  return (
    <Dialog label="How hosts are power-cycled" onClose={onClose}>
      <h2>How hosts of {zone} are power-cycled</h2>
      <form onSubmit={(event) => void save(event)}>
        <Field label="Each host at most once in so many minutes">
          {(id) => (
            <input
              id={id}
              type="number"
              min={1}
              max={1_440}
              step="any"
              required
              value={minutes}
              onChange={(event) => setMinutes(event.target.value)}
            />
          )}
        </Field>
        <fieldset className="choices">
          <legend className="soft">By itself</legend>
          {autos.map(([value, does]) => (
            <label key={value}>
              <input type="radio" name="auto" checked={auto === value} onChange={() => setAuto(value)} />
              <span>{does}</span>
            </label>
          ))}
        </fieldset>
        <Field
          label="BMCs that are in no facts"
          hint={
            read.fault === undefined ? (
              'One a line: HOST=USER@ADDRESS. The password is in a file of the station, under bmc/HOST.'
            ) : (
              <b>{read.fault}</b>
            )
          }
        >
          {(id) => <textarea id={id} rows={4} value={text} spellCheck={false} onChange={(event) => setText(event.target.value)} />}
        </Field>
        <Refused error={refused} />
        <div className="actions">
          <button type="submit" className="primary" disabled={read.fault !== undefined}>
            Save
          </button>
          <button type="button" onClick={onClose}>
            Leave it as it is
          </button>
        </div>
      </form>
    </Dialog>
  );
}
