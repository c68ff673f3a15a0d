/** Where one client system is: the node it is onboarded on now, since when (ms), and how often it has changed nodes. */
export type Whereabouts = { readonly node?: string; readonly since: number; readonly moves: number };
/** What the fleet sees when it looks: its client systems by fingerprint, and the calls they have made by name. */
export type Look = { readonly systems: Readonly<Record<string, Whereabouts>>; readonly calls: Readonly<Record<string, number>> };

/** What the fleet is told; `seenFiles` names for each node the file in which its agent reads whom it sees. */
export type ToFleet =
  | { readonly do: 'start'; readonly endpoint: string; readonly systems: number; readonly seenFiles: Readonly<Record<string, string>> }
  | { readonly do: 'look' };
/** What the fleet says. `knockUrl` takes the fingerprints that are to knock now. */
export type FromFleet = { readonly is: 'ready'; readonly knockUrl: string } | ({ readonly is: 'look' } & Look);
