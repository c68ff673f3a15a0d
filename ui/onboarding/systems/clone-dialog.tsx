import { useEffect, useRef, useState } from 'react';
import { may, type Rights } from '../../api/rights.ts';
import { Fingerprint } from '../../kit/fingerprint.tsx';
import { Ago, Dialog, Status } from '../../kit/kit.tsx';
import { acceptance } from './accepting.ts';
import { BanDialog } from './ban-dialog.tsx';
import { isHeld, type Waiting } from './groups.ts';
import type { Labels } from './use-labels.ts';

type Key = NonNullable<Waiting['sameMachineId']>['keys'][number];
type Props = {
  readonly system: Waiting;
  readonly rights: Rights | undefined;
  readonly labels: Labels;
  readonly onClose: () => void;
};

/**
 * Keys that report one machine id or name, side by side: which of them is the machine, and which a clone of it, a person
 * says.
 */
export function CloneDialog({ system, rights, labels, onClose }: Props) {
  const [banning, setBanning] = useState<Key>();
  const least = useRef<HTMLButtonElement>(null);
  // The first button of the dialog would ban: what changes nothing has the focus.
  useEffect(() => least.current?.focus(), []);
  const { fp, zone, sameMachineId, sameName, machineId } = system;
  const shared = [sameMachineId, sameName].filter((one) => one !== undefined);
  const keys = [...new Map(shared.flatMap((one) => one.keys).map((key) => [key.fp, key])).values()];
  const title = sameMachineId
    ? 'One machine id, several keys'
    : sameName?.noName
      ? 'A name that names no machine'
      : 'One name, several keys';
  const accept = (): void => {
    const { tags, groups, ownTags } = labels;
    void acceptance.accept({ systems: [system], zone: labels.zone, tags, groups, ownTags, duplicates: true });
    onClose();
  };
  if (banning) return <BanDialog systems={[banning]} onClose={() => setBanning(undefined)} onBanned={onClose} />;
  return (
    <Dialog label={title} onClose={onClose} isWide>
      <h2>{title}</h2>
      {shared.map(({ because }) => (
        <p key={because}>{because}.</p>
      ))}
      <p className="soft">
        A clone has the machine id of its image: give it one of its own, and a name, and let it knock again. A machine that was installed
        anew has a new key: <code>muster system replace OLD {fp.slice(0, 8)}</code> puts it in the place of the old one, with all that one
        had, and bans that. Machine id <code>{machineId}</code>
      </p>
      <ul className="keys-of-one">
        <ThisKey of={system} />
        {keys.map((key) => (
          <OtherKey key={key.fp} of={key} onBan={may(rights, 'ban', key.zone) ? () => setBanning(key) : undefined} />
        ))}
      </ul>
      <div className="actions">
        <button type="button" ref={least} onClick={onClose}>
          Let it wait
        </button>
        {may(rights, 'accept', zone) && (
          <button type="button" className="primary" onClick={accept}>
            Accept {fp.slice(0, 8)} as a machine of its own
          </button>
        )}
      </div>
    </Dialog>
  );
}

const ThisKey = ({ of }: { readonly of: Waiting }) => (
  <li className="this">
    <b>{of.fqdn}</b> <Status is="new">waits{isHeld(of) ? ', held' : ''}</Status>
    <Fingerprint of={of.fingerprint} />
    <p className="soft">
      <span>
        this one · first seen <Ago at={of.firstSeenAt} suffix=" ago" /> · last <Ago at={of.seenAt} suffix=" ago" />
      </span>
    </p>
  </li>
);

const OtherKey = ({ of, onBan }: { readonly of: Key; readonly onBan: (() => void) | undefined }) => (
  <li>
    <b>{of.fqdn}</b> <Status is={of.status}>{of.status === 'new' ? 'waits' : of.status}</Status>
    {of.zone !== undefined && <span className="soft"> {of.zone}</span>}
    <Fingerprint of={of.fingerprint} />
    <p className="soft">
      <span>
        {of.first ? 'came first' : 'came later'} · last seen <Ago at={of.seenAt} suffix=" ago" />
      </span>
      {onBan && of.status !== 'deleted' && (
        <button type="button" className="danger" onClick={onBan}>
          Ban this one…
        </button>
      )}
    </p>
  </li>
);
