import { join } from 'node:path';
import * as z from 'zod';
import { type Folder, folderAt } from '../../lib/machine/folder.ts';
import { exitCodes, Failure } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** A deployment by a name of the user's own: where it is, and the zone that commands are about. */
export const Context = z.strictObject({ endpoint: z.string(), zone: z.string().optional() });
export type Context = z.infer<typeof Context>;

/** All contexts of a user, and which of them commands use. */
export const Contexts = z.strictObject({ current: z.string().optional(), contexts: z.record(z.string(), Context) });
export type Contexts = z.infer<typeof Contexts>;

const file = 'contexts.json';

/**
 * The folder of this user's configuration: `muster/` below XDG_CONFIG_HOME, else ~/.config
 * (https://specifications.freedesktop.org/basedir-spec/). Undefined for a user without a home.
 */
export function configFolder(env: Terminal['env']): Folder | undefined {
  const home = env['HOME'] || env['USERPROFILE'];
  const base = env['XDG_CONFIG_HOME'] || (home && join(home, '.config'));
  return base ? folderAt(join(base, 'muster')) : undefined;
}

/** The contexts of this user; none where there is no file. Throws a {@link Failure} where it holds something else. */
export function readContexts(env: Terminal['env']): Contexts {
  const folder = configFolder(env);
  const text = folder?.read(file);
  if (!folder || text === undefined) return { contexts: {} };
  const read = Contexts.safeParse(parsed(text));
  if (read.success) return read.data;
  throw new Failure(
    exitCodes.failed,
    `${join(folder.path, file)} does not contain contexts of this program`,
    'Remove the file, and create the contexts again',
  );
}

/** Stores the contexts of this user. Throws a {@link Failure} for a user without a home. */
export function writeContexts(env: Terminal['env'], contexts: Contexts): void {
  const folder = configFolder(env);
  if (!folder) throw new Failure(exitCodes.failed, 'contexts cannot be saved: HOME is not set', 'Set HOME or XDG_CONFIG_HOME');
  folder.write(file, `${JSON.stringify(contexts, undefined, 2)}\n`);
}

/** The context that commands use: the one that is named, else MUSTER_CONTEXT, else the current one. */
export function contextOf(named: string | undefined, env: Terminal['env']): Context | undefined {
  const asked = named ?? (env['MUSTER_CONTEXT'] || undefined);
  const { current, contexts } = readContexts(env);
  const name = asked ?? current;
  if (name === undefined) return undefined;
  const context = contexts[name];
  if (!context) throw new Failure(exitCodes.usage, `unknown context ${name}`, 'List the contexts: context list');
  return context;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
