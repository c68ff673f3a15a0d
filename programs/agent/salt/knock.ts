import { minuteMs, secondMs } from '../../../lib/core/time.ts';
import { type Ran, runCommand } from '../../../lib/machine/command.ts';

/** The minions of client systems that a master has accepted. */
export type Minions = {
  /** The ids of minions by the names of their client systems on the node's list. */
  readonly ids: ReadonlyMap<string, string>;
  /** Whether Muster was asked about every accepted key, so that a client system without a minion here has none. */
  readonly isWhole: boolean;
};

/** Sends minions a job and does not wait for their answers. */
export type SendsJob = (ids: readonly string[]) => Promise<Ran>;

/**
 * The most minions of a job. Their ids are one argument of a command, which Linux limits to 128 KiB: 400 ids of 255
 * letters fit.
 */
const atOnce = 400;
/** How long `salt` may take to send a job: a second or so, unless its master hangs. */
const limitMs = 20 * secondMs;

/**
 * Sends a job by `salt`, or a command line that knows its options. Only safe ids may be given, which hold no comma.
 * The job is not waited for: a minion that is away, or whose command hangs, holds up no other.
 */
export const jobBySalt =
  (salt: string, command: string): SendsJob =>
  (ids) =>
    runCommand(salt, ['--async', '--list', ids.join(','), 'cmd.run_bg', command], { limitMs });

/**
 * How long to wait for the minions of all keys: Muster is asked about 15,000 keys in 80 s, and an order that is carried
 * out is not repeated.
 */
const unknownMs = 2 * minuteMs;
const lookEveryMs = 5 * secondMs;

/**
 * A release hook that makes client systems knock through their minions. While the minions of some may not be known yet
 * it waits, and then fails, so that their release is tried again. It also fails at the first job that cannot be sent.
 */
export const knockBy =
  (minions: () => Minions | undefined, send: SendsJob, pause: (ms: number) => Promise<void>) =>
  async (fps: readonly string[]): Promise<Ran> => {
    let left = fps;
    for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
      const known = minions();
      const ran = await sentTo(
        left.flatMap((fp) => known?.ids.get(fp) ?? []),
        send,
      );
      left = left.filter((fp) => !known?.ids.has(fp));
      if (!ran.ok || left.length === 0 || known?.isWhole) return ran;
      if (waitedMs >= unknownMs) return { ok: false, why: `the minions of ${left.length} client systems are not known yet` };
      await pause(lookEveryMs);
    }
  };

async function sentTo(ids: readonly string[], send: SendsJob): Promise<Ran> {
  for (let at = 0; at < ids.length; at += atOnce) {
    const ran = await send(ids.slice(at, at + atOnce));
    if (!ran.ok) return ran;
  }
  return { ok: true };
}
