import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { Dialog, Field, Refused, Waiting } from '../kit/kit.tsx';
import { useOrder } from '../kit/order.tsx';
import { previewOf } from '../preview/preview.ts';
import { Preview } from '../preview/preview.tsx';

type Given = { readonly by: string; readonly force: boolean };

/** Has another machine take a node's place: asks which, shows what would happen, and then orders it. */
export function ReplaceDialog({ node, onClose }: { readonly node: Reply<'getNode'>; readonly onClose: () => void }) {
  const { id, fqdn, zone, status } = node;
  const [given, setGiven] = useState<Given>();
  const { isBusy, error, order } = useOrder();
  const preview = useQuery({ ...previewOf(zone, { replace: id, with: given?.by ?? '' }), enabled: given !== undefined });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setGiven({ by: String(form.get('by')).trim(), force: form.get('force') !== null });
  };
  const press = async ({ by, force }: Given): Promise<void> => {
    const does = () => call('replaceNode', { params: { id }, body: { by, force } });
    if (await order(does, ({ because }) => `${fqdn}: ${because}`)) onClose();
  };
  return (
    <Dialog label={`Replace ${fqdn}`} onClose={onClose} isWide>
      <h2>Replace {fqdn}</h2>
      {/* What is shown, and then ordered, is what the form says: once that is another, it is shown anew. */}
      <form onSubmit={submit} onChange={() => setGiven(undefined)}>
        <Field label="By" hint="A node of the zone without client systems, or a host in the pool: its name, id or fingerprint.">
          {(field) => <input id={field} name="by" required spellCheck={false} autoComplete="off" />}
        </Field>
        {status === 'up' && (
          <label>
            <input type="checkbox" name="force" /> It is up and may serve: take its place all the same
          </label>
        )}
        <div className="actions">
          <button type="submit">Show what would happen</button>
        </div>
      </form>
      <Refused error={preview.error} />
      {preview.isLoading && <Waiting what="Asking the planner" />}
      {given && preview.data && <Preview of={preview.data} about={[id]} />}
      <Refused error={error} />
      <div className="actions">
        {given && preview.data && !preview.error && (
          <button type="button" className="danger" disabled={isBusy} onClick={() => void press(given)}>
            Replace it by {given.by}
          </button>
        )}
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
