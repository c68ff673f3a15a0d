import { useState } from 'react';
import { call, type Sent } from '../api/call.ts';
import { Confirm } from '../kit/confirm.tsx';
import { Field } from '../kit/kit.tsx';
import { client } from '../live/queries.ts';
import type { SiteOrders } from './asks.ts';
import { type Bmc, bmcsIn, bmcText } from './bmcs.ts';

const minuteMs = 60_000;
const usualMs = 10 * minuteMs;
const autos = [
  ['off', 'No host by itself'],
  ['dry-run', 'Only try what it would do, for a host that is down'],
  ['on', 'Power-cycle a host that is down'],
] as const;

type Power = NonNullable<Sent<'editPower'>['body']>;

/** What a form sets, with the BMCs that it names. */
const powerIn = (form: FormData, bmcs: readonly Bmc[]): Power => ({
  everyMs: Math.round(Number(form.get('minutes')) * minuteMs),
  auto: autos.find(([auto]) => auto === form.get('auto'))?.[0] ?? 'off',
  bmcs: [...bmcs],
});

/** Sets how rarely each host is power-cycled, whether Muster does it by itself, and the BMCs that are in no facts. */
export function PowerSettings({ of: { zone, power, bmcs }, onClose }: { readonly of: SiteOrders; readonly onClose: () => void }) {
  const [text, setText] = useState(() => bmcs.map(bmcText).join('\n'));
  const { bmcs: named = [], fault } = bmcsIn(text, bmcs);
  return (
    <Confirm
      title={`How hosts of ${zone} are power-cycled`}
      action="Save"
      leave="Leave it as it is"
      isIncomplete={fault !== undefined}
      does={(form) => call('editPower', { params: { zone }, body: powerIn(form, named) })}
      done={({ because }) => {
        void client.invalidateQueries({ queryKey: ['stations'] });
        return because;
      }}
      onClose={onClose}
    >
      <Often everyMs={power?.everyMs ?? usualMs} auto={power?.auto ?? 'off'} />
      <Field
        label="BMCs that are in no facts"
        hint={
          fault === undefined ? 'One a line: HOST=USER@ADDRESS. The password is in a file of the station, under bmc/HOST.' : <b>{fault}</b>
        }
      >
        {(id) => <textarea id={id} rows={4} value={text} spellCheck={false} onChange={(event) => setText(event.target.value)} />}
      </Field>
    </Confirm>
  );
}

/** How rarely each host, and whether by itself. */
const Often = ({ everyMs, auto }: Pick<NonNullable<SiteOrders['power']>, 'everyMs' | 'auto'>) => (
  <>
    <Field label="Each host at most once in so many minutes">
      {(id) => <input id={id} name="minutes" type="number" min={1} max={1_440} step="any" required defaultValue={everyMs / minuteMs} />}
    </Field>
    <fieldset className="choices">
      <legend className="soft">By itself</legend>
      {autos.map(([value, does]) => (
        <label key={value}>
          <input type="radio" name="auto" value={value} defaultChecked={auto === value} />
          <span>{does}</span>
        </label>
      ))}
    </fieldset>
  </>
);
