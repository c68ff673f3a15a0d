import type { ApiKey } from '../../lib/access/api-keys/api-key.ts';
import { onItsWayMs } from '../../lib/audit/verify-rows.ts';
import { plusMs } from '../../lib/core/time.ts';
import { aShell } from '../../tools/support/a-shell.ts';
import { verified } from '../support/audited.ts';
import type { Judge } from './invariants/index.ts';
import type { Kernel } from './kernel.ts';
import type { World } from './world/world.ts';

/** What begins every finding about an API key that is there, and of whose beginning the audit does not speak. */
const unmade = (id: string): string => `api-key ${id} was not created by Muster:`;

/** The API keys that are in the table before a history begins: an auditor is right to ask who made them. */
export const keysGiven = ({ cluster }: World): string[] =>
  [...cluster.store.rows.rows.values()].filter(({ key }) => key.sk === 'api-key').map(({ body }) => (body as ApiKey).id);

/**
 * Once a history is over, an auditor looks at everything. Nobody but Muster has written since it began, so there is
 * nothing to be found, apart from the keys that were given. He looks when whatever was on its way into the audit must
 * have arrived. It takes no step, and draws nothing.
 */
export async function verifyAudit(
  { cluster }: World,
  kernel: Kernel,
  { judge, given }: { judge: Judge; given: readonly string[] },
): Promise<void> {
  const at = plusMs(kernel.now, onItsWayMs + 1);
  const { faults } = await verified({ ...aShell(), table: cluster.store.calm, now: () => at });
  const found = faults.filter(({ what }) => !given.some((id) => what.startsWith(unmade(id))));
  for (const fault of found) judge.violated('the-audit-verifies', JSON.stringify(fault));
}
