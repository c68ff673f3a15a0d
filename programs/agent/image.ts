import { parseSecret, type SecretFault } from '../../lib/identity/secret-text.ts';
import { Endpoint, Unusable } from '../../lib/machine/command-line.ts';
import type { Folder } from '../../lib/machine/folder.ts';
import { readGivenFile } from '../../lib/machine/own.ts';

/** Where Muster is when nobody says: on this machine. */
export const endpointDefault = 'http://127.0.0.1:8080';

/*
 * What an image of a host may carry in the agent's folder, so that whatever boots from it becomes a node: where Muster
 * is, and a token. Never a key: each host makes its own, and two with one key would look like a cloned machine.
 */
const endpointFile = 'endpoint';
const tokenFile = 'token';

const faults: Readonly<Record<SecretFault, string>> = {
  'no-secret': 'not a join token: those begin with mjt_',
  mistyped: 'a join token with a letter wrong or missing',
};
const faultOf = (text: string): string | undefined => {
  const read = parseSecret(text, 'mjt');
  return typeof read === 'string' ? faults[read] : undefined;
};

/** Where Muster is, and who says so; a `built-in` address is the executable's own. */
export type FoundEndpoint = { readonly endpoint: string; readonly by: 'given' | 'folder' | 'built-in' | 'nobody' };

/**
 * Where Muster is: as given, else as the folder says, else as built in, else on this machine. Throws {@link Unusable}
 * when the folder's file holds no address.
 */
export function findEndpoint(folder: Folder, given: string | undefined, builtIn?: string): FoundEndpoint {
  if (given !== undefined) return { endpoint: given, by: 'given' };
  const text = folder.read(endpointFile)?.trim();
  if (text === undefined)
    return builtIn === undefined ? { endpoint: endpointDefault, by: 'nobody' } : { endpoint: builtIn, by: 'built-in' };
  const read = Endpoint.safeParse(text);
  if (!read.success) throw new Unusable(`${folder.path}/${endpointFile} holds no address such as ${endpointDefault}`);
  return { endpoint: read.data, by: 'folder' };
}

/**
 * The join token: as given, else from the file given, else from the folder; undefined when there is none. Throws
 * {@link Unusable} for what is none, and what a file that cannot be read throws.
 */
export function tokenOf(
  folder: Folder,
  { token, tokenFile: file }: { readonly token?: string; readonly tokenFile?: string },
): string | undefined {
  const text = (token ?? (file === undefined ? folder.read(tokenFile) : readGivenFile(file)))?.trim();
  if (text === undefined || text === '') return undefined;
  const fault = faultOf(text);
  // The text itself is not repeated: most of it may be a secret that is good.
  if (fault !== undefined) throw new Unusable(`${token !== undefined ? 'the token' : (file ?? `${folder.path}/${tokenFile}`)} is ${fault}`);
  return text;
}
