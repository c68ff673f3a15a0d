import { installationSql, removalSql } from '../../../lib/uyuni/outbox/installation.ts';
import { schema } from '../../../lib/uyuni/outbox/names.ts';
import type { Bounds } from '../../../lib/uyuni/outbox/trigger.ts';
import type { Check } from '../doctor/check.ts';
import { examineInstallation, examineServer } from './examine.ts';
import type { Session } from './session.ts';

/** How installing or removing has ended. `refused`: nothing was done, because these things are missing. */
export type Outcome = { readonly is: 'done' | 'already' } | { readonly is: 'refused'; readonly missing: readonly Check[] };

/** How to install: how large the outbox may grow, and how long to wait for a table that the server is writing to. */
export type InstallOptions = Bounds & { readonly lockLimitMs?: number };

/** While a trigger waits for its table, each later writer of that table waits behind it. */
const lockLimit = 3_000;

const isMissing = ({ is }: Check): boolean => is === 'missing';

/**
 * Installs the outbox, all of it or nothing, where it is not there as this version has it. Throws errors of PostgreSQL,
 * among them 55P03 when a table stays locked: then it may be tried again.
 */
export async function install(session: Session, { lockLimitMs = lockLimit, ...bounds }: InstallOptions = {}): Promise<Outcome> {
  const missing = (await examineServer(session)).filter(isMissing);
  if (missing.length > 0) return { is: 'refused', missing };
  if (!(await examineInstallation(session)).some(isMissing)) return { is: 'already' };
  await session.transaction(async () => {
    await session.rows(`SET LOCAL lock_timeout = ${lockLimitMs}`);
    await session.rows(`${removalSql};\n${installationSql(bounds)}`);
  });
  return { is: 'done' };
}

/** Removes the outbox with its triggers, all of it or nothing. Throws as {@link install} does. */
export async function remove(session: Session, { lockLimitMs = lockLimit }: Pick<InstallOptions, 'lockLimitMs'> = {}): Promise<Outcome> {
  const [found] = await session.rows('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  if (found === undefined) return { is: 'already' };
  await session.transaction(async () => {
    await session.rows(`SET LOCAL lock_timeout = ${lockLimitMs}`);
    await session.rows(removalSql);
  });
  return { is: 'done' };
}
