import * as z from 'zod';
import { refOf } from '../../core/ref.ts';
import { EpochMs } from '../../core/time.ts';

/** Whose count the numbers of reports are: an agent makes one at random when it remembers nothing of a server. */
export const SourceId = z.string().regex(/^[A-Za-z0-9_-]{8,64}$/, 'a source is 8 to 64 letters, digits, - or _');

/** How far the changes of a node's server were taken in: the last report, and when it came. */
export const TakenChanges = z.strictObject({ source: SourceId, seq: z.int().positive(), at: EpochMs });
export type TakenChanges = z.infer<typeof TakenChanges>;

/** How far the changes of a node's server were taken in, by the id of the node. */
export const changesRef = refOf('changes', TakenChanges);
