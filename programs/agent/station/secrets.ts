import { statSync } from 'node:fs';
import * as z from 'zod';
import { NotOurs, readGivenFile } from '../../../lib/machine/own.ts';

/** A password by the name that Muster has for it, or why there is none. */
export type SecretFound = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly why: string };
/** What knows passwords that Muster never sees. */
export type Secrets = { of(name: string): SecretFound };

const File = z.record(z.string(), z.string().min(1));

/**
 * The passwords in a file of JSON, as `muster facts convert --secrets` writes it: read when one is needed, and refused
 * while others may read it.
 */
export const secretsIn = (file: string | undefined): Secrets => ({
  of: (name) => {
    if (file === undefined) return missing('this agent was given no secrets (--secrets FILE)');
    try {
      if ((statSync(file).mode & 0o077) !== 0) return missing(`${file} may be read by others than its owner: chmod 600 it`);
      const read = File.safeParse(JSON.parse(readGivenFile(file)));
      if (!read.success) return missing(`${file} holds no passwords by their names`);
      const value = Object.hasOwn(read.data, name) ? read.data[name] : undefined;
      return value === undefined ? missing(`${file} has no secret ${name}`) : { ok: true, value };
    } catch (error) {
      if (error instanceof NotOurs) return missing(error.message);
      // What a parser says may quote the file.
      const { code } = error as NodeJS.ErrnoException;
      return missing(`${file} cannot be read (${typeof code === 'string' ? code : 'it is no JSON'})`);
    }
  },
});

const missing = (why: string): SecretFound => ({ ok: false, why });
