import { statSync } from 'node:fs';
import * as z from 'zod';
import { NotOurs, readGivenFile } from '../../../lib/machine/own.ts';

/** The password for a name from Muster, or why there is none. */
export type SecretFound = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly why: string };
/** Finds passwords that Muster never sees. */
export type Secrets = { of(name: string): SecretFound };

const File = z.record(z.string(), z.string().min(1));

/**
 * The passwords in a JSON file, as `muster facts convert --secrets` writes it. The agent reads the file when it needs a
 * password, and refuses it while other users may read it.
 */
export const secretsIn = (file: string | undefined): Secrets => ({
  of: (name) => {
    if (file === undefined) return missing('this agent has no file of passwords: give one by --secrets FILE');
    try {
      if ((statSync(file).mode & 0o077) !== 0) return missing(`other users may read ${file}: run chmod 600 ${file}`);
      const read = File.safeParse(JSON.parse(readGivenFile(file)));
      if (!read.success) return missing(`${file} is not a JSON object of passwords by name`);
      const value = Object.hasOwn(read.data, name) ? read.data[name] : undefined;
      return value === undefined ? missing(`${file} has no secret ${name}`) : { ok: true, value };
    } catch (error) {
      if (error instanceof NotOurs) return missing(error.message);
      // The message of a parser may quote the file.
      const { code } = error as NodeJS.ErrnoException;
      return missing(`${file} cannot be read (${typeof code === 'string' ? code : 'it is not JSON'})`);
    }
  },
});

const missing = (why: string): SecretFound => ({ ok: false, why });
