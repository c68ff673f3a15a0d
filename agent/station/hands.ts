import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { interruptedExit, ocf, type Result } from '../services/command.ts';
import type { SiteCoordinator } from './coordinator.ts';
import type { Secrets } from './secrets.ts';

/** An order to act on site, as it stands in the message of the service that does so. */
const Order = z.object({
  order: z.int().positive(),
  epoch: z.int().positive(),
  host: z.string(),
  dryRun: z.boolean(),
  command: z.array(z.string().min(1)).min(1),
  secret: z.string(),
});
type Order = z.infer<typeof Order>;

/** The exit code of an order that the agent must not carry out, so that nothing ran. A command's own that is this comes out as 1. */
export const notAllowed = 77;

/** What orders on site are carried out with. */
export type HandsOptions = {
  /** Where a password stands for as long as a command runs. */
  readonly folder: string;
  readonly coordinator: Pick<SiteCoordinator, 'acts' | 'highest' | 'status'>;
  readonly secrets: Secrets;
  /** Runs a command in words, for so many ms at the most; never rejects. */
  runs(words: readonly string[], limitMs: number): Promise<Result>;
};

/** Carries out one order of Muster's on site, if this host may: in its own words, without a shell, and for as long as it may take; never rejects. */
export async function carryOut(data: string | undefined, limitMs: number, options: HandsOptions): Promise<Result> {
  const read = Order.safeParse(parsed(data));
  if (!read.success) return refused('this agent does not understand the order');
  const order = read.data;
  const { coordinator, secrets } = options;
  if (order.epoch < coordinator.highest) return refused(`it is of epoch ${order.epoch}, and ${coordinator.highest} is known here`);
  if (coordinator.acts() !== order.epoch) return refused(`it is of epoch ${order.epoch}; this host ${coordinator.status().says}`);
  if (!order.command.some((word) => word.includes(placeholder)))
    return order.dryRun ? would(order.command) : run(order.command, limitMs, options);
  const secret = secrets.of(order.secret);
  if (!secret.ok) return refused(secret.why);
  if (order.dryRun) return would(order.command);
  return withPassword(order, secret.value, limitMs, options);
}

const placeholder = '{passwordFile}';
const refused = (why: string): Result => ({ exit: notAllowed, says: why });
const would = (command: readonly string[]): Result => ({ exit: 0, says: `would run: ${command.join(' ')}` });

/** The password is in a file that the agent's user alone may read, until the command has ended; if that prints it, nobody is told. */
async function withPassword({ order, command }: Order, password: string, limitMs: number, options: HandsOptions): Promise<Result> {
  const file = join(options.folder, passwordFile(order));
  try {
    rmSync(file, { force: true });
    writeFileSync(file, `${password}\n`, { flag: 'wx', mode: 0o600 });
    const words = command.map((word) => word.replaceAll(placeholder, file));
    const { says, ...rest } = await run(words, limitMs, options);
    return { ...rest, says: says.replaceAll(password, '***') };
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  } finally {
    rmSync(file, { force: true });
  }
}

const passwordFile = (order: number): string => `site-order-${order}.password`;

/** Removes what an agent left of passwords that was killed at an order. Throws what the file system throws, but not that there is no folder. */
export function forgetPasswords(folder: string): void {
  for (const name of filesIn(folder)) if (/^site-order-\d+\.password$/.test(name)) rmSync(join(folder, name), { force: true });
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function run(words: readonly string[], limitMs: number, { runs }: HandsOptions): Promise<Result> {
  const { exit, says } = await runs(words, limitMs);
  const isOwn = exit === notAllowed || exit === interruptedExit;
  return { ...(exit !== undefined && { exit: isOwn ? ocf.generic : exit }), says };
}

function parsed(data: string | undefined): unknown {
  try {
    return JSON.parse(data ?? 'null');
  } catch {
    return undefined;
  }
}
