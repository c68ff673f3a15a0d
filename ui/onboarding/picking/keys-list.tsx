import { Fingerprint } from '../../kit/fingerprint.tsx';
import { count } from '../../kit/kit.tsx';

type Key = { readonly fp: string; readonly fqdn: string; readonly fingerprint: string };

/** How many keys are named before something is done to them. */
const namedMax = 8;

/** The keys that something is about to be done to, each with its name. */
export const Keys = ({ of }: { readonly of: readonly Key[] }) => (
  <ul className="banning">
    {of.slice(0, namedMax).map(({ fp, fqdn, fingerprint }) => (
      <li key={fp}>
        <b>{fqdn}</b> <Fingerprint of={fingerprint} />
      </li>
    ))}
    {of.length > namedMax && <li className="soft">and {count(of.length - namedMax, 'other')}</li>}
  </ul>
);
