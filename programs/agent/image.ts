import { parseSecret, type SecretFault } from '../../lib/identity/secret-text.ts';
import { Endpoint, Unusable } from '../../lib/machine/command-line.ts';
import type { Folder } from '../../lib/machine/folder.ts';
import { readGivenFile } from '../../lib/machine/own.ts';

/** The address of Muster when none is given: on this machine. */
export const endpointDefault = 'http://127.0.0.1:8080';

/*
 * Files that an image of a host may carry in the agent's folder, so that every machine that boots from it becomes a
 * node: the address of Muster, and a token. An image never carries a key: each host makes its own, and two hosts with
 * one key would look like a cloned machine.
 */
const endpointFile = 'endpoint';
const tokenFile = 'token';

const faults: Readonly<Record<SecretFault, string>> = {
  'no-secret': 'not a join token: join tokens begin with mjt_',
  mistyped: 'a mistyped join token: a letter is wrong or missing',
};
const faultOf = (text: string): string | undefined => {
  const read = parseSecret(text, 'mjt');
  return typeof read === 'string' ? faults[read] : undefined;
};

/** The address of Muster, and its origin; a `built-in` address is the executable's own. */
export type FoundEndpoint = { readonly endpoint: string; readonly by: 'given' | 'folder' | 'built-in' | 'nobody' };

/**
 * The address of Muster: as given, else from the folder, else as built in, else on this machine. Throws {@link
 * Unusable} when the folder's file holds no address.
 */
export function findEndpoint(folder: Folder, given: string | undefined, builtIn?: string): FoundEndpoint {
  if (given !== undefined) return { endpoint: given, by: 'given' };
  const text = folder.read(endpointFile)?.trim();
  if (text === undefined)
    return builtIn === undefined ? { endpoint: endpointDefault, by: 'nobody' } : { endpoint: builtIn, by: 'built-in' };
  const read = Endpoint.safeParse(text);
  if (!read.success) throw new Unusable(`${folder.path}/${endpointFile} does not hold an address: write one such as ${endpointDefault}`);
  return { endpoint: read.data, by: 'folder' };
}

/**
 * The join token: as given, else from the file given, else from the folder; undefined when there is none. Throws
 * {@link Unusable} for a text that is not a token, and what reading the file throws.
 */
export function tokenOf(
  folder: Folder,
  { token, tokenFile: file }: { readonly token?: string; readonly tokenFile?: string },
): string | undefined {
  const text = (token ?? (file === undefined ? folder.read(tokenFile) : readGivenFile(file)))?.trim();
  if (text === undefined || text === '') return undefined;
  const fault = faultOf(text);
  // The error does not repeat the text: most of it may be a valid secret.
  if (fault !== undefined) throw new Unusable(`${token !== undefined ? 'the token' : (file ?? `${folder.path}/${tokenFile}`)} is ${fault}`);
  return text;
}
