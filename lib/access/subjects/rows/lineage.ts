import * as z from 'zod';
import { secretIdForm } from '../../../identity/secret-text.ts';

/**
 * By whom something was made: `who` came in by themselves, at the issuer or as the operator, and `keys` are what was
 * shown since, each made with the one before it. What was made with a key that was made with another has both.
 */
export const Lineage = z.strictObject({ who: z.string(), keys: z.array(z.string().regex(secretIdForm)).readonly() });
export type Lineage = z.infer<typeof Lineage>;

/** How many keys may be made one with the other: each is looked at whenever the last one is shown. */
export const generationsMax = 8;

/** The prefix of whom an issuer vouches for, as calls are put down to them. */
const admin = 'admin:';

/** Whom calls of an issuer's subject are put down to. */
export const whoOf = (subject: string): string => `${admin}${subject}`;

/** The issuer's subject whom calls are put down to; undefined for anybody else. */
export const subjectIn = (who: string): string | undefined => (who.startsWith(admin) ? who.slice(admin.length) : undefined);
