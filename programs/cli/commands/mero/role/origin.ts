/** A role of a catalogue and whence it is. */
export type SomeRole<R> = { readonly origin: keyof typeof originWords; readonly role: R };

/** Whence a role is, in words. */
export const originWords = { muster: 'Muster', put: 'put', over: 'put over that of Muster' } as const;
