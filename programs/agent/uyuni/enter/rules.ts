import * as z from 'zod';
import { NotOurs, readGivenFile } from '../../../../lib/machine/own.ts';
import { rhnConfDefault } from '../rhn-conf.ts';

const Login = z.string().min(1).max(64);

const File = z.strictObject({
  /** What a person of the issuer is known by: the subject, which never changes, or the name. */
  by: z.enum(['subject', 'name']).default('subject'),
  /** The login of each. API keys and the operator are in it as `key:ID` and `operator`. */
  logins: z.record(z.string(), Login).default({}),
  /** A person of the issuer who is not in it has the login of the same name. */
  same: z.boolean().default(false),
  /** The organisation on the server whose logins may be entered; any if absent. */
  organisation: z.string().min(1).optional(),
  /** Where the page of Muster is besides the address that the agent calls. */
  origins: z.array(z.url({ protocol: /^https?$/ }).transform((url) => new URL(url).origin)).default([]),
  rhnConf: z.string().min(1).default(rhnConfDefault),
});
/** Who enters the server of this host, and as whom. */
export type EnterRules = z.infer<typeof File>;
/** The rules, or why there are none. */
export type RulesFound = { readonly ok: true; readonly rules: EnterRules } | { readonly ok: false; readonly why: string };

/** A person who wants to enter: to whom calls are attributed, the issuer's subject if it is one, and the name. */
export type Person = { readonly who: string; readonly subject?: string | undefined; readonly name: string };

/** The rules in a JSON file, which nobody else may write. It is read each time, so that a change counts at once. */
export function rulesIn(file: string): RulesFound {
  try {
    const read = File.safeParse(JSON.parse(readGivenFile(file)));
    return read.success ? { ok: true, rules: read.data } : { ok: false, why: `${file} is not right: ${z.prettifyError(read.error)}` };
  } catch (error) {
    if (error instanceof NotOurs) return { ok: false, why: error.message };
    const { code } = error as NodeJS.ErrnoException;
    return { ok: false, why: `${file} cannot be read (${typeof code === 'string' ? code : 'it is not JSON'})` };
  }
}

/**
 * The login of a person; undefined for one whom the rules do not know. Only an issuer vouches for a name: that of an
 * API key is whatever its maker wrote.
 */
export function loginOf({ by, logins, same }: EnterRules, { who, subject, name }: Person): string | undefined {
  if (subject === undefined) return own(logins, who);
  const known = by === 'name' ? name : subject;
  return own(logins, known) ?? (same && Login.safeParse(known).success ? known : undefined);
}

const own = (logins: EnterRules['logins'], name: string): string | undefined => (Object.hasOwn(logins, name) ? logins[name] : undefined);
