import { clientHeaders } from '../api/client-routes.ts';
import { Refusal } from '../api/problem.ts';
import type { Client } from '../clients/client.ts';
import { rowStatus } from '../clients/status.ts';
import type { Answer } from '../runtime/on-route.ts';
import type { Shell } from '../runtime/shell.ts';
import { byteAnswer } from './byte.ts';
import { withCoverage } from './coverage.ts';
import { knockSeconds } from './intervals.ts';
import { deploymentOf } from './settings.ts';
import { zoneOf } from './zones.ts';

/** The byte for whoever brings no token that holds: from the row, writing nothing and minting nothing. */
export async function byteFromRow(shell: Shell, client: Client | undefined): Promise<Answer> {
  const zone = client?.standing === 'accepted' ? await zoneOf(shell, client.zone) : undefined;
  const confirmed = client?.standing === 'accepted' && zone ? await withCoverage(shell, client, zone) : undefined;
  return byteAnswer(rowStatus(confirmed?.client ?? client, zone), { shell, covered: confirmed?.covered ?? false, client });
}

/** Lets calls without a token that holds pass, unless they are switched off. Throws a {@link Refusal} then, which sends a daemon to knock. */
export async function needOpenCalls(shell: Shell): Promise<void> {
  if ((await deploymentOf(shell))?.openCalls !== false) return;
  const seconds = String(knockSeconds(shell.random()));
  throw new Refusal('signature-missing', 'calls without a token are switched off here: a signed knock brings one', {
    headers: { [clientHeaders.knock]: '1', [clientHeaders.next]: seconds, 'retry-after': seconds },
  });
}
