import * as z from 'zod';

/** Whose count the numbers of reports are: an agent makes one at random when it remembers nothing of a server. */
export const SourceId = z.string().regex(/^[A-Za-z0-9_-]{8,64}$/, 'a source is 8 to 64 letters, digits, - or _');
