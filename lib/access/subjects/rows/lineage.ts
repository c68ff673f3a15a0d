import * as z from 'zod';
import { secretIdForm } from '../../../identity/secret-text.ts';

/**
 * Who made something, and with which keys. `who` came in directly, at the issuer or as the operator. `keys` are the
 * keys used since then, each made with the one before it. Something made with a key that was itself made with another
 * has both.
 */
export const Lineage = z.strictObject({ who: z.string(), keys: z.array(z.string().regex(secretIdForm)).readonly() });
export type Lineage = z.infer<typeof Lineage>;

/** How long a chain of keys may be that were made one with the other: each is checked whenever the last one is used. */
export const generationsMax = 8;

/** The prefix of the names to which calls of an issuer's subjects are attributed. */
const admin = 'admin:';

/** The name to which calls of an issuer's subject are attributed. */
export const whoOf = (subject: string): string => `${admin}${subject}`;

/** The issuer's subject to whom calls are attributed; undefined for anybody else. */
export const subjectIn = (who: string): string | undefined => (who.startsWith(admin) ? who.slice(admin.length) : undefined);
