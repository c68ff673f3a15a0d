import { getAsset, isSea } from 'node:sea';
import * as z from 'zod';
import { ServiceTypeName } from '../../lib/core/ids.ts';
import { Endpoint } from '../../lib/machine/command-line.ts';

/** The name of the asset in a single executable that holds its built-in settings. */
export const builtInAsset = 'built-in.json';

/** Types of services as a host lists those that it runs: `TYPE[,TYPE]`, or `none`. */
export const AllowedTypes = z.string().transform((text, context): readonly string[] => {
  const names = text.split(',').map((name) => name.trim());
  if (names.length === 1 && names[0] === 'none') return [];
  const wrong = names.find((name) => !ServiceTypeName.safeParse(name).success);
  if (wrong === undefined) return names;
  context.addIssue(`“${wrong}” is not a service type: give names such as built-in,process, or none`);
  return z.NEVER;
});

/** The placeholders that a power program gets for its host; the file holds the password of the host's BMC. */
const placeholders = ['host', 'bmc', 'user', 'passwordFile'];

/** The command that power-cycles a host, as words separated by blanks, run without a shell; or `none`. */
export const PowerProgram = z.string().transform((text, context): readonly string[] => {
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length === 1 && words[0] === 'none') return [];
  const named = [...text.matchAll(/\{(\w*)\}/g)].map(([, name]) => name!);
  const unknown = named.find((name) => !placeholders.includes(name));
  if (unknown !== undefined) context.addIssue(`{${unknown}} is not a placeholder: use {${placeholders.join('} {')}}`);
  else if (!named.includes('host') && !named.includes('bmc')) context.addIssue('name {host} or {bmc} at least once, or give none');
  else if (/[{}]/.test(words[0]!)) context.addIssue('the first word must be the program itself, without a placeholder');
  else return words;
  return z.NEVER;
});

/** The settings that an agent falls back to when none are given. */
export const BuiltIn = z.strictObject({
  /** The address of Muster. */
  endpoint: Endpoint.optional(),
  /** The configuration file that is read where it exists. */
  config: z.string().min(1).optional(),
  /** The folder of the ledger. */
  home: z.string().min(1).optional(),
  /** Which types of services a host runs. */
  allowService: z.array(z.string()).optional(),
  /** The command that power-cycles a host, in words. */
  powerCommand: z.array(z.string()).optional(),
});
export type BuiltIn = z.infer<typeof BuiltIn>;

/** The settings built into this executable; empty where the agent runs from its sources. */
export const builtIn = (): BuiltIn => (isSea() ? BuiltIn.parse(JSON.parse(getAsset(builtInAsset, 'utf8'))) : {});
