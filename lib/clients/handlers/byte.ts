import type { EpochMs } from '../../core/time.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { Client } from '../client.ts';
import { nextSeconds } from '../intervals.ts';
import { clientHeaders } from '../routes.ts';
import { type Status, statusBytes } from '../rows/status.ts';

type ByteInputs = {
  readonly shell: Shell;
  readonly covered: boolean;
  readonly lostS?: number | undefined;
  readonly client?: Client | undefined;
  readonly turnAt?: EpochMs | undefined;
  readonly soonestAt?: EpochMs | undefined;
  readonly held?: boolean | undefined;
};

/** The status byte, and when to call next. */
export function byteAnswer(of: Status, { shell, ...inputs }: ByteInputs): Answer {
  const next = nextSeconds(of, { now: shell.now(), random: shell.random(), ...inputs });
  return { status: 200, text: statusBytes[of], headers: { [clientHeaders.next]: String(next), 'content-type': 'text/plain' } };
}
