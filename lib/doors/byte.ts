import { clientHeaders } from '../api/client-routes.ts';
import type { Client } from '../clients/client.ts';
import { type Status, statusBytes } from '../clients/status.ts';
import type { Answer } from '../runtime/on-route.ts';
import type { Shell } from '../runtime/shell.ts';
import { nextSeconds } from './intervals.ts';

/** The byte, and when to call next. */
export function byteAnswer(
  of: Status,
  { shell, covered, lostS, client }: { shell: Shell; covered: boolean; lostS?: number | undefined; client?: Client | undefined },
): Answer {
  const next = nextSeconds(of, { now: shell.now(), random: shell.random(), covered, lostS, client });
  return { status: 200, text: statusBytes[of], headers: { [clientHeaders.next]: String(next), 'content-type': 'text/plain' } };
}
