import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { may, mayAnywhere, type Rights } from '../../api/rights.ts';
import { number } from '../../kit/kit.tsx';
import { asks } from '../../live/queries.ts';
import type { Picking } from '../picking/use-picking.ts';
import { acceptance, useAcceptance } from './accepting.ts';
import { suggestionsOf, type Waiting } from './groups.ts';
import { badTags } from './labels.ts';
import { TagFields } from './tag-fields.tsx';
import type { Labels } from './use-labels.ts';
import { ZoneField } from './zone-field.tsx';

type Props = {
  readonly picking: Picking<Waiting>;
  readonly labels: Labels;
  readonly rights: Rights | undefined;
  readonly onBan: () => void;
  readonly onDone: () => void;
};

/** Into which zone, and with what, the picked ones are accepted. */
export function AcceptForm({ picking, labels, rights, onBan, onDone }: Props) {
  const { running } = useAcceptance();
  const { items, unseen } = picking;
  const zones = (useQuery(asks.zones).data ?? []).filter(({ name }) => may(rights, 'accept', name)).map(({ name }) => name);
  const isBad = badTags([...labels.tags, ...labels.groups]).length > 0;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (items.length === 0 || running || isBad) return;
    const { zone, tags, groups, ownTags } = labels;
    void acceptance.accept({ systems: items, zone, tags, groups, ownTags });
    picking.clear();
    // The focus goes back to where the keys of the list count.
    document.getElementById('main')?.focus({ preventScroll: true });
    onDone();
  };
  return (
    <form className="accept-form" onSubmit={submit}>
      <h2>{items.length === 0 ? 'Pick machines' : `Accept ${number(items.length)}`}</h2>
      <PickedNotes items={items} unseen={unseen} />
      {mayAnywhere(rights, 'accept') && (
        <>
          <ZoneField items={items} zones={zones} zone={labels.zone} onZone={(zone) => labels.set({ zone })} />
          <TagFields labels={labels} suggestions={suggestionsOf(items)} />
        </>
      )}
      <Buttons n={items.length} isRunning={running !== undefined} {...{ isBad, rights, onBan }} onNone={picking.clear} />
      <PickKeys does="accept" ends="ban" />
    </form>
  );
}

type ButtonsProps = Pick<Props, 'rights' | 'onBan'> & {
  readonly n: number;
  readonly isRunning: boolean;
  readonly isBad: boolean;
  readonly onNone: () => void;
};

const Buttons = ({ n, isRunning, isBad, rights, onBan, onNone }: ButtonsProps) => (
  <div className="actions">
    {mayAnywhere(rights, 'accept') && (
      <button type="submit" className="primary" aria-disabled={n === 0 || isRunning || isBad}>
        {isRunning ? 'Accepting…' : n === 0 ? 'Accept' : `Accept ${number(n)}`} <kbd>a</kbd>
      </button>
    )}
    {mayAnywhere(rights, 'ban') && (
      <button type="button" className="danger" disabled={n === 0} onClick={onBan}>
        Ban… <kbd>b</kbd>
      </button>
    )}
    {n > 0 && (
      <button type="button" className="quiet" onClick={onNone}>
        None
      </button>
    )}
  </div>
);

function PickedNotes({ items, unseen }: { readonly items: readonly Waiting[]; readonly unseen: number }) {
  const unsigned = items.filter((system) => system.unsigned).length;
  if (items.length === 0)
    return <p className="soft">Compare each fingerprint with the one that its machine shows: muster-client fingerprint</p>;
  return (
    <>
      {unseen > 0 && <p className="note">The filter hides {number(unseen)} of them.</p>}
      {unsigned > 0 && (
        <p className="note">
          {number(unsigned)} never signed a knock. Whoever knows such a fingerprint can knock with it: to compare it proves nothing.
        </p>
      )}
    </>
  );
}

/** The keys of a list in which one picks. */
export const PickKeys = ({ does, ends }: { readonly does: string; readonly ends: string }) => (
  <p className="soft pick-keys">
    <kbd>j</kbd> <kbd>k</kbd> move · <kbd>x</kbd> pick · <kbd>*</kbd> the group, all · <kbd>a</kbd> {does} · <kbd>b</kbd> {ends} ·{' '}
    <kbd>/</kbd> filter
  </p>
);
