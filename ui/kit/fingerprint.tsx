import { partsOf } from './pairs.ts';

type Props = {
  readonly of: string;
  /** What it is called by those who hear it; null where that is said already. */
  readonly label?: string | null;
  /** Large enough to be compared with the one on the screen of a machine. */
  readonly isLarge?: boolean;
};

/** A fingerprint in pairs, as a person compares it: in four parts of eight, the first of them bright. */
export const Fingerprint = ({ of, label = 'Fingerprint', isLarge = false }: Props) => (
  <code className={isLarge ? 'pairs is-large' : 'pairs'}>
    {label !== null && <span className="unseen">{label} </span>}
    {partsOf(of).map((part, n) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a fingerprint stay where they are
      <span key={n} className="part">
        {part}
      </span>
    ))}
  </code>
);
