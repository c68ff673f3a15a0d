import { Refusal } from '../../api/problem.ts';
import { plusMs } from '../../core/time.ts';
import { subjectList } from '../../ports/table/keys.ts';
import { apply } from '../../runtime/apply.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { madeWith } from '../api-keys/handlers/made-with.ts';
import { forgetSubject } from '../known-keys.ts';
import { listPage } from '../list-page.ts';
import type { AdminCall } from '../verify-admin.ts';
import { needsEverywhere } from '../zones-of-caller.ts';
import { decideSubject, type SubjectCommand } from './decide.ts';
import { type Lineage, subjectIn, whoOf } from './rows/lineage.ts';
import { heardWithinMs, type Subject, subjectRef } from './subject.ts';
import { subjectView } from './view.ts';

/** Subjects of the issuer that were locked once. */
export async function listSubjects({ query, caller }: AdminCall<'listSubjects'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'security');
  return listPage<Subject>(shell, { list: subjectList, signature: 'subjects' }, query, subjectView);
}

/**
 * Refuses a subject of the issuer from now on, although its tokens are still valid there; `withMade` also ends what it
 * made. Throws a {@link Refusal} for the caller's own subject, which could not undo the lock.
 */
export async function lockSubject({ body, request, caller }: AdminCall<'lockSubject'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'security');
  const { subject, withMade, dryRun } = body;
  if (subjectIn(caller.actor!.who) === subject)
    throw new Refusal('refused', `${subject} is your own subject, and could not undo the lock: have somebody else lock it`);
  const isMeant = ({ who }: Lineage): boolean => who === whoOf(subject);
  if (dryRun) {
    const made = withMade ? await madeWith(shell, isMeant) : [];
    return { status: 200, body: { subject: { subject, status: 'locked' }, made: made.map(({ view }) => view) } };
  }
  const order: SubjectCommand = { type: 'lock', id: request.id, subject, by: caller.actor!.who, withMade };
  const { state } = await apply(shell, subjectRef(subject), order, decideSubject);
  forgetSubject(shell, subject);
  // Anything made after the lock has reached every environment was not made by the locked subject.
  const until = plusMs(shell.now(), heardWithinMs);
  const made = withMade ? await madeWith(shell, (madeBy, createdAt) => isMeant(madeBy) && createdAt <= until) : [];
  for (const { end } of made) await end(shell, request.id);
  return { status: 200, body: { subject: subjectView(state!), made: made.map(({ view }) => view) } };
}

/** Accepts a subject's tokens again. Everything that ended with the lock stays ended. */
export async function unlockSubject({ body, request, caller }: AdminCall<'unlockSubject'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'security');
  const { subject } = body;
  const order: SubjectCommand = { type: 'unlock', id: request.id };
  const { state } = await apply(shell, subjectRef(subject), order, decideSubject);
  forgetSubject(shell, subject);
  return { status: 200, body: state ? subjectView(state) : { subject, status: 'unlocked' } };
}
