/** A role of a catalogue, and where it comes from. */
export type SomeRole<R> = { readonly origin: keyof typeof originWords; readonly role: R };

/** Where a role comes from, in words. */
export const originWords = { muster: 'Muster', put: 'put', over: 'put, replaces that of Muster' } as const;
