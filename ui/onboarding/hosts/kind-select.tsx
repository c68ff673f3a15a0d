import type { Host } from './hosts.ts';

type Kind = Host['kind'];
const kinds: readonly Kind[] = ['uyuni', 'salt', 'storage'];

type Props = {
  readonly id: string;
  /** What it means that none is chosen; undefined where one must be. */
  readonly any?: string;
  readonly kind: Kind | undefined;
  readonly onKind: (kind: Kind | undefined) => void;
};

/** The kinds of nodes. */
export const KindSelect = ({ id, any, kind, onKind }: Props) => (
  <select id={id} value={kind ?? ''} onChange={(event) => onKind(kinds.find((one) => one === event.target.value))}>
    {any !== undefined && <option value="">{any}</option>}
    {kinds.map((one) => (
      <option key={one}>{one}</option>
    ))}
  </select>
);
