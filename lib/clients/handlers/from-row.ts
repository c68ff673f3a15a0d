import { Refusal } from '../../api/problem.ts';
import { deploymentOf } from '../../deployment/reads.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { zoneOf } from '../../zones/reads/zones.ts';
import type { Client } from '../client.ts';
import { knockSeconds } from '../intervals.ts';
import { clientHeaders } from '../routes.ts';
import { isHeld, placedOf, rowStatus, turnTimesOf } from '../rows/status.ts';
import { byteAnswer } from './byte.ts';
import { withCoverage } from './coverage.ts';

/** The status byte for a call without a valid token: from the row, without writing or minting anything. */
export async function byteFromRow(shell: Shell, client: Client | undefined, lost = false): Promise<Answer> {
  const zone = client?.standing === 'accepted' ? await zoneOf(shell, client.zone) : undefined;
  const confirmed = client?.standing === 'accepted' && zone ? await withCoverage(shell, client, zone) : undefined;
  const seen = confirmed?.client ?? client;
  const asked = { now: shell.now(), lost };
  return byteAnswer(rowStatus(seen, zone, asked), {
    shell,
    covered: confirmed?.covered ?? false,
    client,
    ...(seen && zone && turnTimesOf(zone, seen, asked)),
    held: seen && zone && isHeld(zone, placedOf(seen), asked),
  });
}

/**
 * Lets calls without a valid token pass, unless they are switched off. Then it throws a {@link Refusal}, which makes a
 * daemon knock.
 */
export async function needOpenCalls(shell: Shell): Promise<void> {
  if ((await deploymentOf(shell))?.openCalls !== false) return;
  const seconds = String(knockSeconds(shell.random()));
  throw new Refusal('signature-missing', 'calls without a token are switched off: send a signed knock to get one', {
    headers: { [clientHeaders.knock]: '1', [clientHeaders.next]: seconds, 'retry-after': seconds },
  });
}
