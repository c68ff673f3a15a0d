import { type FormEvent, useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { Dialog, Field, Refused } from '../kit/kit.tsx';
import { closing, useOrder } from '../kit/order.tsx';
import { usePreview } from '../preview/use-preview.ts';
import { WouldBe } from '../preview/would-be.tsx';

type Node = Reply<'getNode'>;
type Given = { readonly by: string; readonly force: boolean };

/** Has another machine take a node's place: asks which, shows what would happen, and then orders it. */
export function ReplaceDialog({ node, onClose }: { readonly node: Node; readonly onClose: () => void }) {
  const { id, fqdn, zone } = node;
  const [given, setGiven] = useState<Given>();
  const { isBusy, error, order } = useOrder();
  const read = usePreview(zone, given && { replace: id, with: given.by });
  const press = (body: Given): void =>
    void order(
      () => read.order(() => call('replaceNode', { params: { id }, body })),
      closing(onClose, ({ because }) => `${fqdn}: ${because}`),
    );
  return (
    <Dialog label={`Replace ${fqdn}`} onClose={onClose} isWide>
      <h2>Replace {fqdn}</h2>
      <ByForm of={node} onGiven={setGiven} />
      <WouldBe of={read} about={[id]} />
      <Refused error={error} />
      <div className="actions">
        {given && read.outcome && (
          <button type="button" className="danger" disabled={!read.isCurrent} aria-disabled={isBusy} onClick={() => press(given)}>
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

type FormProps = { readonly of: Node; readonly onGiven: (given: Given | undefined) => void };

/** Asks by what. What is shown, and then ordered, is what the form says: once that is another, it is shown anew. */
function ByForm({ of: { status }, onGiven }: FormProps) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    onGiven({ by: String(form.get('by')).trim(), force: form.get('force') !== null });
  };
  return (
    <form onSubmit={submit} onChange={() => onGiven(undefined)}>
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
  );
}
