/**
 * The position of one client system: the node on which it is onboarded now, since when (ms), and how often it has
 * changed nodes.
 */
export type Whereabouts = { readonly node?: string; readonly since: number; readonly moves: number };
/** The fleet at one look: its client systems by fingerprint, and the calls they have made by name. */
export type Look = { readonly systems: Readonly<Record<string, Whereabouts>>; readonly calls: Readonly<Record<string, number>> };

/**
 * The messages to the fleet; `seenFiles` names for each node the file from which its agent reads its client systems.
 */
export type ToFleet =
  | { readonly do: 'start'; readonly endpoint: string; readonly systems: number; readonly seenFiles: Readonly<Record<string, string>> }
  | { readonly do: 'look' };
/** The messages from the fleet. `knockUrl` takes the fingerprints that should knock now. */
export type FromFleet = { readonly is: 'ready'; readonly knockUrl: string } | ({ readonly is: 'look' } & Look);
