import { getAsset, isSea } from 'node:sea';
import * as z from 'zod';
import { Endpoint } from '../lib/machine/command-line.ts';

/** The name under which a single executable carries what is built into it. */
export const builtInAsset = 'built-in.json';

/** What an agent falls back to where nobody says otherwise. */
export const BuiltIn = z.strictObject({
  /** Where Muster is. */
  endpoint: Endpoint.optional(),
  /** The configuration file that is read where it exists. */
  config: z.string().min(1).optional(),
  /** The folder of the ledger. */
  home: z.string().min(1).optional(),
});
export type BuiltIn = z.infer<typeof BuiltIn>;

/** What was built into this executable; nothing where the agent runs from its sources. */
export const builtIn = (): BuiltIn => (isSea() ? BuiltIn.parse(JSON.parse(getAsset(builtInAsset, 'utf8'))) : {});
