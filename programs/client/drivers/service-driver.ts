import type { Fqdn } from '../../../lib/core/ids.ts';
import { minuteMs, secondMs } from '../../../lib/core/time.ts';
import type { Ran } from '../../../lib/machine/command.ts';
import { Unusable } from '../../../lib/machine/command-line.ts';
import type { Folder } from '../../../lib/machine/folder.ts';
import type { Driver } from '../daemon.ts';
import { type Journal, journalOf, readJournal, removeJournal, restoreFiles, writeJournal } from './journal.ts';
import type { Kind } from './kinds.ts';
import type { Root } from './root.ts';
import type { Services } from './services.ts';
import { type Found, inWords, isRunning, type Step, stepsToStart, stepsToStop } from './steps.ts';

/** The machine that a driver works on, and its tools. `folder` is the daemon's own, for the journal. */
export type Machinery = {
  readonly root: Root;
  readonly folder: Folder;
  readonly services: Services;
  pause(ms: number): Promise<void>;
  say(line: string): void;
};

/** Drives software that reports to a node: its configuration, its caches and its services. */
export type ServiceDriver = Driver & {
  /** The steps that a start for this node would take, in words; without a node, those of a stop. Changes nothing. */
  wouldDo(fqdn: Fqdn | undefined): Promise<readonly string[]>;
  /** Undoes a run that was cut off; does nothing when there is none. */
  recover(): Promise<Ran>;
  /** The configured name of the node that the machine reports to now; undefined when nothing runs. */
  runsFor(): Promise<{ readonly name: string | undefined } | undefined>;
};

/**
 * How often a service is checked, how long it may take to come up, and how long it must stay up: one that cannot work
 * ends within a second or two. `keyMs`: how long to wait for the key of a minion that has none.
 */
const look = { everyMs: secondMs, limitMs: 2 * minuteMs, steadyMs: 3 * secondMs, keyMs: minuteMs } as const;

/** A driver of services. It undoes a start that fails half-way. Its methods do not reject for faults of the machine. */
export function serviceDriver(kind: Kind, machinery: Machinery): ServiceDriver {
  const { root, folder, services, say } = machinery;

  const start = async (fqdn: Fqdn): Promise<void> => {
    await recover();
    const found = await foundOn(kind, root, services);
    const planned = stepsToStart(kind, found, fqdn, { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 });
    if ('fault' in planned) throw new Unusable(`${kind.config}: ${planned.fault}`);
    if (planned.steps.length === 0) return say(`${kind.name} already works for ${fqdn}`);
    refuseMissingFiles(planned.steps);
    const journal = journalOf(kind.name, found, planned.steps, root);
    writeJournal(folder, journal);
    try {
      for (const step of planned.steps) await carry(step, machinery);
      for (const { unit } of found.units) await untilSteady(unit, machinery);
      if (kind.minion) await untilKeyed(kind.minion.publicKey, machinery);
    } catch (error) {
      say(`${whyOf(error)}; undoing`);
      await undo(journal, machinery, { resume: true });
      throw error;
    }
    say(`${kind.name} works for ${fqdn}`);
    removeJournal(folder);
  };

  const refuseMissingFiles = (steps: readonly Step[]): void => {
    for (const step of steps) {
      const missing = step.do === 'write' ? kind.requiredFiles(step.found.text).find((file) => !root.has(file)) : undefined;
      if (missing !== undefined) throw new Unusable(`${kind.config} needs ${missing}, which does not exist`);
    }
  };

  const stop = async (): Promise<void> => {
    const journal = readJournal(folder);
    // No resume: services that are about to be stopped are not brought up for a moment first.
    if (journal) await undo(journal, machinery, { resume: false });
    for (const step of stepsToStop(await foundOn(kind, root, services))) await carry(step, machinery);
  };

  const recover = async (): Promise<void> => {
    const journal = readJournal(folder);
    if (!journal) return;
    say('a run was cut off: undoing its changes');
    await undo(journal, machinery, { resume: true });
  };

  return {
    start: (fqdn) => tried(() => start(fqdn)),
    stop: () => tried(stop),
    recover: () => tried(recover),
    wouldDo: (fqdn) => wouldDo(kind, machinery, fqdn),
    isUp: async () => {
      const found = await unlessUnusable(foundOn(kind, root, services));
      const down = found?.units.find(({ state }) => state === 'inactive' || state === 'failed');
      return found && (down ? { ok: false, why: `${down.unit} is ${down.state}` } : { ok: true });
    },
    runsFor: async () => {
      const { units, config } = await foundOn(kind, root, services);
      return units.some(({ state }) => isRunning(state)) ? { name: config && kind.nodeIn(config.text) } : undefined;
    },
  };
}

async function foundOn(kind: Kind, root: Root, services: Services): Promise<Found> {
  const units = kind.units(root);
  if (units.length === 0) throw new Unusable(`${kind.name} is not installed in ${root.path}`);
  const states: Found['units'][number][] = [];
  for (const unit of units) states.push({ unit, state: await services.state(unit) });
  return { units: states, config: root.read(kind.config), caches: kind.caches.filter(root.has) };
}

async function carry(step: Step, { root, services, say }: Machinery): Promise<void> {
  say(inWords(step));
  switch (step.do) {
    case 'stop':
      return services.stop(step.unit);
    case 'start':
      return services.start(step.unit);
    case 'write':
      return root.write(step.file, step.found);
    case 'remove':
      return root.remove(step.file);
  }
}

/** Waits until a unit has been active for a while. Throws {@link Unusable} when it does not stay so. */
async function untilSteady(unit: string, { services, pause }: Pick<Machinery, 'services' | 'pause'>): Promise<void> {
  let activeMs = 0;
  for (let waitedMs = 0; activeMs < look.steadyMs; waitedMs += look.everyMs) {
    const state = await services.state(unit);
    if (state === 'failed' || state === 'inactive') throw new Unusable(`${unit} does not stay up: it is ${state}`);
    if (waitedMs >= look.limitMs) throw new Unusable(`${unit} has not come up within ${look.limitMs / secondMs} s: it is ${state}`);
    await pause(look.everyMs);
    activeMs = state === 'active' ? activeMs + look.everyMs : 0;
  }
}

/**
 * Waits until a minion has made its key, which the next knock names to Muster: without it the key would wait at the
 * node, unknown, until the machine knocks again. A busy machine takes longer than a service must stay up.
 */
async function untilKeyed(file: string, { root, pause, say }: Pick<Machinery, 'root' | 'pause' | 'say'>): Promise<void> {
  for (let waitedMs = 0; !root.has(file); waitedMs += look.everyMs) {
    if (waitedMs >= look.keyMs) return say(`there is no ${file}: the node cannot know the minion's key until this machine knocks again`);
    await pause(look.everyMs);
  }
}

/**
 * Restores files, and with `resume` also services. The journal is removed last, so that the next run tries again if a
 * file cannot be restored.
 */
async function undo(journal: Journal, machinery: Machinery, { resume }: { readonly resume: boolean }): Promise<void> {
  const { root, folder, services, say } = machinery;
  const states = new Map<string, Found['units'][number]>();
  for (const { unit } of journal.units) states.set(unit, { unit, state: await services.state(unit) });
  for (const step of stepsToStop({ units: [...states.values()] })) await carry(step, machinery);
  for (const file of restoreFiles(journal, root)) say(`${file} was changed by another program meanwhile: left as it is`);
  say(`put back: ${journal.files.map(({ file }) => file).join(', ') || 'no file had changed'}`);
  for (const { unit, ran } of resume ? journal.units : []) if (ran) await startAgain(unit, machinery);
  removeJournal(folder);
}

/**
 * Starts a unit that ran before. If it does not come up, the next run must still be able to try what the machine needs.
 */
async function startAgain(unit: string, machinery: Machinery): Promise<void> {
  try {
    await carry({ do: 'start', unit }, machinery);
  } catch (error) {
    machinery.say(whyOf(error));
  }
}

async function wouldDo(kind: Kind, { root, folder, services }: Machinery, fqdn: Fqdn | undefined): Promise<readonly string[]> {
  const first = readJournal(folder) ? ['undo the changes of a run that was cut off'] : [];
  const found = await foundOn(kind, root, services);
  if (fqdn === undefined) return [...first, ...stepsToStop(found).map(inWords)];
  const planned = stepsToStart(kind, found, fqdn, { uid: 0, gid: 0 });
  if ('fault' in planned) throw new Unusable(`${kind.config}: ${planned.fault}`);
  return [...first, ...planned.steps.map(inWords)];
}

/** Undefined when the service manager did not answer: that is no reason to start anything. */
async function unlessUnusable<T>(run: Promise<T>): Promise<T | undefined> {
  try {
    return await run;
  } catch (error) {
    whyOf(error);
    return undefined;
  }
}

async function tried(run: () => Promise<void>): Promise<Ran> {
  try {
    await run();
    return { ok: true };
  } catch (error) {
    return { ok: false, why: whyOf(error) };
  }
}

/** The message of a fault of the machine; throws any other error again. */
function whyOf(error: unknown): string {
  if (error instanceof Unusable || (error instanceof Error && 'syscall' in error)) return error.message;
  throw error;
}
