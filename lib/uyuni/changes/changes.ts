import * as z from 'zod';
import { ZoneName } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { EpochMs } from '../../core/time.ts';
import { SourceId } from '../outbox/source.ts';

/** How far the changes of a node's server were taken in: the last report, and when it came. */
export const TakenChanges = z.strictObject({ zone: ZoneName, source: SourceId, seq: z.int().positive(), at: EpochMs });
export type TakenChanges = z.infer<typeof TakenChanges>;

/** How far the changes of a node's server were taken in, by the id of the node. */
export const changesRef = refOf('changes', TakenChanges);
