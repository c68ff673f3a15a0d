import * as z from 'zod';
import { refOf } from '../../core/ref.ts';
import { EpochMs, secondMs } from '../../core/time.ts';

/** A subject of the issuer, as its tokens name it: some visible characters, in one line. */
export const SubjectName = z
  .string()
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,128}$/u, 'a subject is 1 to 128 visible characters in one line');

/** The record of a subject of the issuer that was locked here once. */
export const Subject = z.strictObject({
  subject: SubjectName,
  /** Since when its tokens are refused; absent once it is unlocked. */
  lockedAt: EpochMs.optional(),
  lockedBy: z.string().optional(),
  /** Everything that it made until then has ended, even after it is unlocked. */
  madeEndedAt: EpochMs.optional(),
});
export type Subject = z.infer<typeof Subject>;

/**
 * How long after a lock things that the subject makes still end with it, in ms: some environments learn of the lock
 * after 5 s, and clocks differ.
 */
export const heardWithinMs = 10 * secondMs;

/** The row of a subject of the issuer. */
export const subjectRef = refOf('subject', Subject);
