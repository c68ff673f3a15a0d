import { statSync } from 'node:fs';
import * as z from 'zod';
import { isEndpoint, isPrivate } from '../../../../lib/machine/endpoint.ts';
import { NotOurs, readGivenFile } from '../../../../lib/machine/own.ts';

/** The account of the agent on a Uyuni server, and the address of the server's API. */
export type Account = { readonly address: string; readonly login: string; readonly password: string };
/** An account, or why there is none. The reason never quotes the file. */
export type AccountFound = { readonly ok: true; readonly account: Account } | { readonly ok: false; readonly why: string };

const File = z.strictObject({
  address: z.string().default('http://127.0.0.1'),
  login: z.string().min(1),
  password: z.string().min(1),
});

/**
 * The account in a JSON file. It is refused while other users may read it, and if its address would carry the password
 * beyond this machine without TLS.
 */
export function accountIn(file: string): AccountFound {
  try {
    if ((statSync(file).mode & 0o077) !== 0) return none(`other users may read ${file}: run chmod 600 ${file}`);
    const read = File.safeParse(JSON.parse(readGivenFile(file)));
    if (!read.success) return none(`${file} is not a JSON object with login and password, and perhaps address`);
    const { address } = read.data;
    if (!isEndpoint(address)) return none(`the address in ${file} is not one of a server: give one such as http://127.0.0.1`);
    if (!isPrivate(address)) return none(`the address in ${file} would send the password without TLS beyond this machine: use https`);
    return { ok: true, account: read.data };
  } catch (error) {
    if (error instanceof NotOurs) return none(error.message);
    // The message of a parser may quote the file.
    const { code } = error as NodeJS.ErrnoException;
    return none(`${file} cannot be read (${typeof code === 'string' ? code : 'it is not JSON'})`);
  }
}

const none = (why: string): AccountFound => ({ ok: false, why });
