import { Refusal } from '../../api/problem.ts';
import { deploymentOf } from '../../deployment/reads.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { zoneOf } from '../../zones/reads/zones.ts';
import type { Client } from '../client.ts';
import { knockSeconds } from '../intervals.ts';
import { clientHeaders } from '../routes.ts';
import { isHeld, placedOf, rowStatus, turnOfClient } from '../rows/status.ts';
import { byteAnswer } from './byte.ts';
import { withCoverage } from './coverage.ts';

/** The byte for whoever brings no token that holds: from the row, writing nothing and minting nothing. */
export async function byteFromRow(shell: Shell, client: Client | undefined, lost = false): Promise<Answer> {
  const zone = client?.standing === 'accepted' ? await zoneOf(shell, client.zone) : undefined;
  const confirmed = client?.standing === 'accepted' && zone ? await withCoverage(shell, client, zone) : undefined;
  const seen = confirmed?.client ?? client;
  const asked = { now: shell.now(), lost };
  const turnAt = seen && zone && turnOfClient(zone, seen, asked);
  return byteAnswer(rowStatus(seen, zone, asked), {
    shell,
    covered: confirmed?.covered ?? false,
    client,
    turnAt,
    held: seen && zone && isHeld(zone, placedOf(seen), asked),
  });
}

/**
 * Lets calls without a token that holds pass, unless they are switched off. Throws a {@link Refusal} then, which sends
 * a daemon to knock.
 */
export async function needOpenCalls(shell: Shell): Promise<void> {
  if ((await deploymentOf(shell))?.openCalls !== false) return;
  const seconds = String(knockSeconds(shell.random()));
  throw new Refusal('signature-missing', 'calls without a token are switched off here: a signed knock brings one', {
    headers: { [clientHeaders.knock]: '1', [clientHeaders.next]: seconds, 'retry-after': seconds },
  });
}
