import { getAsset, isSea } from 'node:sea';
import * as z from 'zod';
import { ServiceTypeName } from '../../lib/core/ids.ts';
import { Endpoint } from '../../lib/machine/command-line.ts';

/** The name under which a single executable carries what is built into it. */
export const builtInAsset = 'built-in.json';

/** Types of services as a host lists those that it runs: `TYPE[,TYPE]`, or `none`. */
export const AllowedTypes = z.string().transform((text, context): readonly string[] => {
  const names = text.split(',').map((name) => name.trim());
  if (names.length === 1 && names[0] === 'none') return [];
  const wrong = names.find((name) => !ServiceTypeName.safeParse(name).success);
  if (wrong === undefined) return names;
  context.addIssue(`“${wrong}” is no type of service: give names such as built-in,process, or none`);
  return z.NEVER;
});

/** What a power program is told of the host that it is for; the file holds the password of its BMC. */
const placeholders = ['host', 'bmc', 'user', 'passwordFile'];

/** What power-cycles a host, in words that blanks part and no shell reads; or `none`. */
export const PowerProgram = z.string().transform((text, context): readonly string[] => {
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length === 1 && words[0] === 'none') return [];
  const named = [...text.matchAll(/\{(\w*)\}/g)].map(([, name]) => name!);
  const unknown = named.find((name) => !placeholders.includes(name));
  if (unknown !== undefined) context.addIssue(`{${unknown}} is not known: {${placeholders.join('} {')}} are`);
  else if (!named.includes('host') && !named.includes('bmc')) context.addIssue('it names {host} or {bmc}, at least once; or it is none');
  else if (/[{}]/.test(words[0]!)) context.addIssue('its first word is the program itself');
  else return words;
  return z.NEVER;
});

/** What an agent falls back to where nobody says otherwise. */
export const BuiltIn = z.strictObject({
  /** Where Muster is. */
  endpoint: Endpoint.optional(),
  /** The configuration file that is read where it exists. */
  config: z.string().min(1).optional(),
  /** The folder of the ledger. */
  home: z.string().min(1).optional(),
  /** Which types of services a host runs. */
  allowService: z.array(z.string()).optional(),
  /** What power-cycles a host, in words. */
  powerCommand: z.array(z.string()).optional(),
});
export type BuiltIn = z.infer<typeof BuiltIn>;

/** What was built into this executable; nothing where the agent runs from its sources. */
export const builtIn = (): BuiltIn => (isSea() ? BuiltIn.parse(JSON.parse(getAsset(builtInAsset, 'utf8'))) : {});
