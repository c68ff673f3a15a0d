import { printable } from '../../../../lib/core/printable.ts';

/** Who edits the common content of a zone, and on which of its servers. */
export type Editing = { readonly who: string; readonly node: string };

/** What the pages of cluster mode say of this server, as it is now. */
export type Standing = {
  readonly fqdn: string;
  readonly zone: string;
  /** The address of the Cluster UI: of Muster itself, or a path of this server. */
  readonly clusterUi: string;
  /** Common content is locked here unless it is edited here. */
  readonly locksContent: boolean;
  /** The lock is open: common content is edited here. */
  readonly isOpen: boolean;
  readonly editing?: Editing | undefined;
};

/** Who edits, and where, in one sentence. */
export const whoEdits = ({ editing, zone }: Standing): string =>
  editing === undefined
    ? `At present no server of the zone ${zone} is open for editing.`
    : `${printable(editing.who)} edits the common content of the zone ${zone} at ${printable(editing.node)}.`;

/** What is locked, and who edits, for a person or a program that wanted to change it. */
export const lockedText = (what: string, standing: Standing): string =>
  `${what} belong to the common content of the zone ${standing.zone}, which is edited in one place at a time; ${standing.fqdn} is locked. ${whoEdits(standing)}`;
