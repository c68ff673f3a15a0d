import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as z from 'zod';
import type { Folder } from '../../../lib/machine/folder.ts';
import { interruptedExit, ocf, type Result } from '../services/command.ts';
import type { SiteCoordinator } from './coordinator.ts';
import type { Secrets } from './secrets.ts';

/**
 * An order to act on site, as the service that acts receives it. An older Muster also sends a command, which the agent
 * ignores.
 */
const Order = z.object({
  order: z.int().positive(),
  epoch: z.int().positive(),
  host: z.string(),
  dryRun: z.boolean(),
  /** The address of the BMC and the user to sign in there; absent from an older Muster. */
  bmc: z.string().optional(),
  user: z.string().optional(),
  secret: z.string(),
});
type Order = z.infer<typeof Order>;

/**
 * The exit code of an order that the agent must not carry out: nothing ran. Where a program itself ends with this code,
 * the agent reports 1.
 */
export const notAllowed = 77;

/** The options for carrying out orders on site. */
export type CarryOutOptions = {
  /** The folder that holds a password while the program runs. */
  readonly folder: Folder;
  readonly coordinator: Pick<SiteCoordinator, 'acts' | 'highest' | 'status'>;
  readonly secrets: Secrets;
  /** The program that power-cycles a host, in words of this host's own configuration; undefined or empty: none. */
  readonly program: readonly string[] | undefined;
  /** Runs a program in words, for `limitMs` at most; never rejects. */
  runs(words: readonly string[], limitMs: number): Promise<Result>;
};

/**
 * Carries out one order of Muster on site, if this host may: by the program of its own configuration, without a shell,
 * and for `limitMs` at most. Muster names the host and its BMC, but never the program. It learns how the program ended,
 * but not what it printed. Never rejects.
 */
export async function carryOut(data: string | undefined, limitMs: number, options: CarryOutOptions): Promise<Result> {
  const read = Order.safeParse(parsed(data));
  if (!read.success) return refused('this agent does not understand the order');
  const order = read.data;
  const { coordinator, secrets, program = [] } = options;
  if (order.epoch < coordinator.highest) return refused(`it is of epoch ${order.epoch}, and ${coordinator.highest} is known here`);
  if (coordinator.acts() !== order.epoch) return refused(`it is of epoch ${order.epoch}; this host ${coordinator.status().says}`);
  const { bmc, user } = order;
  if (bmc === undefined || user === undefined) return refused('the order does not name the BMC and its user: upgrade Muster');
  if (program.length === 0)
    return refused('this station has no power program: set power-command in its agent’s configuration, and restart the agent');
  const names = { host: order.host, bmc, user };
  const wrong = Object.entries(names).find(([, value]) => !plainWord.test(value));
  if (wrong)
    return refused(`the order’s ${wrong[0]} is not a plain word: use letters, digits and @ % + = : , . / _ -, without - at the beginning`);
  const filled = { program, names };
  if (!program.some((word) => word.includes('{passwordFile}'))) return ended({ ...filled, order }, limitMs, options);
  const secret = secrets.of(order.secret);
  if (!secret.ok) return refused(secret.why);
  return ended({ ...filled, order, password: secret.value }, limitMs, options);
}

/** One order with everything needed to carry it out. */
type Prepared = {
  readonly order: Order;
  readonly program: readonly string[];
  readonly names: Readonly<Record<'host' | 'bmc' | 'user', string>>;
  readonly password?: string;
};

/** Names from Muster that the program cannot take for an option, and that no shell it may call interprets. */
const plainWord = /^[A-Za-z0-9@%+=:,./_][A-Za-z0-9@%+=:,./_-]{0,252}$/;

const refused = (why: string): Result => ({ exit: notAllowed, says: why });

async function ended({ order, program, names, password }: Prepared, limitMs: number, options: CarryOutOptions): Promise<Result> {
  if (order.dryRun) return { exit: 0, says: would(order, program) };
  const { folder } = options;
  const file = passwordFile(order.order);
  const words = program.map((word) => filledIn(word, { ...names, passwordFile: join(folder.path, file) }));
  if (password === undefined) return run(words, limitMs, options);
  try {
    folder.write(file, `${password}\n`);
  } catch (error) {
    return refused(reasonOf(error));
  }
  const result = await run(words, limitMs, options);
  try {
    folder.remove(file);
    return result;
  } catch (error) {
    return { ...result, says: `${result.says}; the password is still in ${file} on the station (${reasonOf(error)})` };
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Fills in placeholders in one pass, so that no name from Muster is read as a placeholder itself. */
const filledIn = (word: string, names: Readonly<Record<string, string>>): string =>
  word.replace(/\{(host|bmc|user|passwordFile)\}/g, (_, name: string) => names[name]!);

/** The report of a dry run: it has only the name of the program, because its words belong to the host. */
const would = ({ host, bmc, user, secret }: Order, [program = '']: readonly string[]): string =>
  `would run ${basename(program)} for ${host}: BMC ${bmc}, user ${user}, password ${secret}`;

const passwordFile = (order: number): string => `site-order-${order}.password`;

/**
 * Removes the passwords left by an agent that was killed during an order. Throws what the file system throws, except
 * for a missing folder.
 */
export function forgetPasswords(folder: string): void {
  for (const name of filesIn(folder)) if (/^site-order-\d+\.password(\.part)?$/.test(name)) rmSync(join(folder, name), { force: true });
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Runs a program, and gives how it ended. Drops its output, in which it could print a password in any form. */
async function run(words: readonly string[], limitMs: number, { runs }: CarryOutOptions): Promise<Result> {
  const { exit } = await runs(words, limitMs);
  const isOwn = exit === notAllowed || exit === interruptedExit;
  return { ...(exit !== undefined && { exit: isOwn ? ocf.generic : exit }), says: outcomeOf(exit) };
}

/** The kind of an outcome, in words, by the exit codes of OCF and of shells. */
function outcomeOf(exit: number | undefined): string {
  if (exit === 0) return 'the power program succeeded';
  return `${failureOf(exit)}; its output is not reported, so run it on the station to see why`;
}

function failureOf(exit: number | undefined): string {
  if (exit === undefined) return 'the power program took too long and was ended';
  if (exit === ocf.notInstalled) return 'the power program is not installed';
  if (exit === ocf.permission) return 'the power program is not permitted';
  return exit > 128 ? `the power program was ended by signal ${exit - 128}` : 'the power program failed';
}

function parsed(data: string | undefined): unknown {
  try {
    return JSON.parse(data ?? 'null');
  } catch {
    return undefined;
  }
}
