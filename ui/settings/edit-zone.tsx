import { type FormEvent, useState } from 'react';
import { call, type Reply, type Sent } from '../api/call.ts';
import { Dialog, Field, Refused } from '../kit/kit.tsx';
import { closing, useOrder } from '../kit/order.tsx';
import { client } from '../live/queries.ts';
import type { Order } from '../preview/preview.ts';
import { type Read, usePreview } from '../preview/use-preview.ts';
import { WouldBe } from '../preview/would-be.tsx';

type Zone = Reply<'listZones'>['items'][number];
type Edit = NonNullable<Sent<'editZone'>['body']>;

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/** What a form asks for, as the API takes it; only what differs from what is set. */
function editIn(form: FormData, of: Zone): Edit {
  const textOf = (name: string): string => String(form.get(name) ?? '');
  const minutes = (name: string): number | null => (textOf(name) === '' ? null : Math.round(Number(textOf(name)) * minuteMs));
  const seconds = (name: string): number | null => (textOf(name) === '' ? null : Math.round(Number(textOf(name)) * secondMs));
  const admission = textOf('admission') as NonNullable<Zone['admission']>;
  const all = {
    mode: textOf('mode') as 'production' | 'recovery',
    meanwhile: textOf('meanwhile') as 'hold' | 'elsewhere',
    readmit: textOf('readmit') as 'auto' | 'admin',
    remapAfterMs: minutes('remap'),
    rtoMs: minutes('rto'),
    unsignedClients: form.get('unsigned') !== null,
    admission,
    ...(admission !== 'fixed' && { admitAtMostEveryMs: seconds('ceiling'), readyWithinMs: seconds('ready') }),
  };
  const now = {
    ...of,
    remapAfterMs: of.remapAfterMs ?? null,
    rtoMs: of.rtoMs ?? null,
    meanwhile: of.meanwhile ?? 'hold',
    unsignedClients: of.unsignedClients ?? false,
    admission: of.admission ?? 'fixed',
    admitAtMostEveryMs: of.admitAtMostEveryMs ?? null,
    readyWithinMs: of.readyWithinMs ?? null,
  };
  return Object.fromEntries(Object.entries(all).filter(([name, value]) => now[name as keyof typeof all] !== value));
}

/** The part of an edit that bears on where client systems are; undefined when none does. */
function orderOf({ mode, meanwhile, remapAfterMs }: Edit): Order | undefined {
  const order: Order = {
    ...(mode !== undefined && { mode }),
    ...(meanwhile !== undefined && { meanwhile }),
    ...(remapAfterMs !== undefined && { remapAfterMs: remapAfterMs ?? 'usual' }),
  };
  return Object.keys(order).length === 0 ? undefined : order;
}

/** Changes the settings of a zone; what bears on where client systems are is first shown. */
export function EditZone({ of: now, onClose }: { readonly of: Zone; readonly onClose: () => void }) {
  // As it was when the form was opened: what another operator sets meanwhile is no edit of this one.
  const [of] = useState(now);
  const [edit, setEdit] = useState<Edit>();
  const { isBusy, error, order } = useOrder();
  const read = usePreview(of.name, edit && orderOf(edit));
  const save = (give: () => Promise<unknown>): void => void order(give, closing(onClose, said(of)));
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const wanted = editIn(new FormData(event.currentTarget), of);
    if (Object.keys(wanted).length === 0) onClose();
    else if (orderOf(wanted) === undefined) save(setting(of, wanted));
    else setEdit(wanted);
  };
  return (
    <Dialog label={`Change ${of.name}`} onClose={onClose} isWide={edit !== undefined}>
      <h2>Change {of.name}</h2>
      {edit === undefined ? (
        <ZoneForm of={of} onSubmit={submit} onClose={onClose} />
      ) : (
        <Looked read={read} isBusy={isBusy} onSet={() => save(() => read.order(setting(of, edit)))} onClose={onClose} />
      )}
      <Refused error={error} />
    </Dialog>
  );
}

const setting =
  ({ name: zone }: Zone, body: Edit) =>
  (): Promise<unknown> =>
    call('editZone', { params: { zone }, body });

const said =
  ({ name }: Zone) =>
  (): string => {
    void client.invalidateQueries({ queryKey: ['zones'] });
    return `${name} is set`;
  };

type LookedProps = { readonly read: Read; readonly isBusy: boolean; readonly onSet: () => void; readonly onClose: () => void };

const Looked = ({ read, isBusy, onSet, onClose }: LookedProps) => (
  <>
    <WouldBe of={read} about={[]} />
    <div className="actions">
      <button type="button" className="primary" disabled={!read.isCurrent} aria-disabled={isBusy} onClick={onSet}>
        Set it
      </button>
      <button type="button" onClick={onClose}>
        Leave it as it is
      </button>
    </div>
  </>
);

type FormProps = { readonly of: Zone; readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void; readonly onClose: () => void };

function ZoneForm({ of, onSubmit, onClose }: FormProps) {
  const minutes = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / minuteMs);
  return (
    <form onSubmit={onSubmit}>
      <Choice label="Mode" name="mode" now={of.mode} of={['production', 'recovery']} />
      <Field label="Minutes for which a lost node keeps its client systems" hint="Empty is the default of its kind">
        {(id) => <input id={id} name="remap" type="number" min="0" max="1440" step="any" defaultValue={minutes(of.remapAfterMs)} />}
      </Field>
      <Choice label="In recovery mode, they meanwhile" name="meanwhile" now={of.meanwhile ?? 'hold'} of={['hold', 'elsewhere']} />
      <Field label="Minutes within which a loss must be recovered from" hint="Empty is any time">
        {(id) => <input id={id} name="rto" type="number" min="0.02" step="any" defaultValue={minutes(of.rtoMs)} />}
      </Field>
      <Choice label="Dropped nodes rejoin" name="readmit" now={of.readmit} of={['auto', 'admin']} />
      <AdmissionFields of={of} />
      <label>
        <input type="checkbox" name="unsigned" defaultChecked={of.unsignedClients ?? false} /> Let in client systems that never sign
      </label>
      <div className="actions">
        <button type="submit" className="primary">
          Show what would happen
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}

function AdmissionFields({ of }: { readonly of: Zone }) {
  const seconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / secondMs);
  return (
    <>
      <Choice
        label="Nodes admit at rates that are"
        name="admission"
        now={of.admission ?? 'fixed'}
        of={['fixed', 'adapts', 'adapts-at-once']}
      />
      <Field label="Where they adapt, at most one client system per so many seconds" hint="Empty is 1">
        {(id) => (
          <input id={id} name="ceiling" type="number" min="0.05" max="60" step="any" defaultValue={seconds(of.admitAtMostEveryMs)} />
        )}
      </Field>
      <Field label="Seconds within which nine of ten must have their first job" hint="Empty is 120">
        {(id) => <input id={id} name="ready" type="number" min="5" max="3600" step="any" defaultValue={seconds(of.readyWithinMs)} />}
      </Field>
    </>
  );
}

type ChoiceProps = { readonly label: string; readonly name: string; readonly now: string; readonly of: readonly string[] };

const Choice = ({ label, name, now, of }: ChoiceProps) => (
  <Field label={label}>
    {(id) => (
      <select id={id} name={name} defaultValue={now}>
        {of.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    )}
  </Field>
);
