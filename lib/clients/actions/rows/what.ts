import * as z from 'zod';

/** The most advisories that one action applies. */
export const advisoriesMax = 50;
/** The longest script, in characters: it is in a row that every agent reads. */
export const scriptMax = 16_384;

/** The name of a user or group of a client system. */
const Account = z.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/, 'the name of a user or group, such as root');

/**
 * What servers are to do with client systems: apply the highstate, update all packages, apply errata by the names of
 * their advisories, reboot, or run a script.
 */
export const What = z.discriminatedUnion('do', [
  z.strictObject({
    do: z.literal('highstate'),
    /** Salt only reports what it would change. */
    test: z.boolean().default(false),
  }),
  z.strictObject({ do: z.literal('packages') }),
  z.strictObject({
    do: z.literal('errata'),
    advisories: z
      .array(z.string().regex(/^[\w.:-]{1,100}$/, 'the name of an advisory, such as SUSE-2031-17'))
      .min(1)
      .max(advisoriesMax),
  }),
  z.strictObject({ do: z.literal('reboot') }),
  z.strictObject({
    do: z.literal('command'),
    /** A script with its `#!` line, as the server hands it to the client systems. */
    script: z.string().min(1).max(scriptMax),
    user: Account.default('root'),
    group: Account.default('root'),
    /** How long it may run on each client system, in seconds. */
    timeoutSeconds: z.int().min(1).max(86_400).default(600),
  }),
]);
export type What = z.infer<typeof What>;

/** An action in words: `apply the highstate`. */
export function inWords(what: What): string {
  switch (what.do) {
    case 'highstate':
      return what.test ? 'test the highstate' : 'apply the highstate';
    case 'packages':
      return 'update all packages';
    case 'errata':
      return `apply ${what.advisories.length === 1 ? '1 erratum' : `${what.advisories.length} errata`}`;
    case 'reboot':
      return 'reboot';
    case 'command':
      return 'run a command';
  }
}
