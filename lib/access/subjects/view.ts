import type { EpochMs } from '../../core/time.ts';
import type { SubjectView } from '../api-keys/routes.ts';
import type { Subject } from './subject.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/** A subject as the API and the CLI show it. */
export const subjectView = ({ subject, lockedAt, lockedBy, madeEndedAt }: Subject): SubjectView => ({
  subject,
  status: lockedAt === undefined ? 'unlocked' : 'locked',
  ...(lockedAt !== undefined && { lockedAt: iso(lockedAt) }),
  ...(lockedBy !== undefined && { lockedBy }),
  ...(madeEndedAt !== undefined && { madeEndedAt: iso(madeEndedAt) }),
});
