import { resolve } from 'node:path';
import * as z from 'zod';
import { wiring } from '../../infra/wiring.ts';
import { MusterError } from '../../lib/core/errors.ts';
import { issuerFrom } from '../../lib/ports/issuer/settings.ts';
import { embeddedEnv } from '../../lib/runtime/env.ts';
import { usualRates } from '../../lib/runtime/rates.ts';
import { type Host, startHost } from './host.ts';
import { listeningFrom } from './listening.ts';
import { asksForHelp, helpText, optionsIn } from './options.ts';
import { tryNext } from './try-next.ts';

/**
 * Exit codes. `taken`: something on this machine is in use; try again later. `usage`: the environment is wrong.
 * `failed`: a person must repair something.
 */
const exitCodes = { taken: 75, usage: 2, failed: 1 } as const;

// Files that are made in the state folder are for its owner alone.
process.umask(0o077);
const args = process.argv.slice(2);
if (asksForHelp(args)) {
  console.log(helpText());
  process.exit(0);
}
const { host, home } = await start();
const started = { root: resolve(import.meta.dirname, '../..'), cwd: process.cwd(), url: host.url, home };
console.log(`Muster is at ${host.url}, its state in ${home}

${tryNext(started, await linkToShow(host))}

  Ctrl-C stops it; nothing that was answered is lost.`);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void stop(host));
stopWithLauncher(host);

/**
 * A link by which another person signs in. It gives its first user all rights for 12 h, so it is printed only for a
 * person at a terminal: standard output may go to a log.
 */
async function linkToShow({ signInLink }: Host): Promise<string | undefined> {
  return process.stdout.isTTY ? signInLink() : undefined;
}

/** npm does not pass SIGTERM on through its shell: started by it, Muster ends when that shell does. */
function stopWithLauncher(running: Host): void {
  const launcher = process.ppid;
  if (process.env['npm_lifecycle_event'] === undefined || launcher === 1) return;
  const looking = setInterval(() => {
    if (process.ppid === launcher) return;
    clearInterval(looking);
    void stop(running);
  }, 500);
  looking.unref();
}

async function start(): Promise<{ readonly host: Host; readonly home: string }> {
  try {
    const env = embeddedEnv(optionsIn(args));
    const sweepPeriodMs = wiring.functions['sweep']!.everySeconds!.embedded * 1000;
    const running = await startHost({
      port: env.MUSTER_PORT,
      listening: listeningFrom(env),
      ...(env.MUSTER_RATES === 'usual' && { rates: usualRates }),
      home: env.MUSTER_HOME,
      deployment: env.MUSTER_DEPLOYMENT,
      beatMinMs: env.MUSTER_BEAT_MIN_MS,
      admitEveryMs: env.MUSTER_ADMIT_EVERY_MS,
      logLevel: env.MUSTER_LOG,
      sweepPeriodMs,
      issuer: issuerFrom(env),
      webhooksToLoopback: env.MUSTER_WEBHOOKS_LOOPBACK === 'on',
    });
    return { host: running, home: env.MUSTER_HOME };
  } catch (error) {
    return process.exit(complain(error));
  }
}

async function stop(running: Host): Promise<void> {
  await running.stop();
  console.log('Muster has stopped.');
  process.exit(0);
}

function exitCodeOf({ code }: MusterError): number {
  if (code === 'state.locked' || code === 'port.busy') return exitCodes.taken;
  return code === 'listen.refused' || code === 'usage' ? exitCodes.usage : exitCodes.failed;
}

/** Prints in one line what is wrong, and gives the exit code for it. */
function complain(error: unknown): number {
  if (error instanceof MusterError) {
    console.error(`muster: ${error.message}`);
    return exitCodeOf(error);
  }
  if (error instanceof z.ZodError) {
    console.error(`muster: ${error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')}`);
    return exitCodes.usage;
  }
  console.error(`muster: ${error instanceof Error ? error.message : String(error)}`);
  return exitCodes.failed;
}
