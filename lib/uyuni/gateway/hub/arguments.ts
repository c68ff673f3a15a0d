import { type Typed, textOf, wholeOf } from '../typed.ts';
import { badArguments } from './refusal.ts';

/** A login and password. */
export type Credentials = { readonly login: string; readonly password: string };

/** Whom `hub.login` and its like sign in. Throws `HubRefused` for other arguments than two texts. */
export function credentialsIn(method: string, params: readonly Typed[]): Credentials {
  const [login, password] = params.map(textOf);
  if (params.length !== 2 || login === undefined || password === undefined) throw badArguments(method, 'it takes a login and a password');
  return { login, password };
}

/** Which servers a call names, and as whom it signs in there, each by its own; undefined: as the caller. */
export type Attaching = { readonly ids: readonly number[]; readonly as: readonly Credentials[] | undefined };

/** What `hub.attachToServers` takes after the key. Throws `HubRefused` for anything else. */
export function attachingIn(method: string, params: readonly Typed[]): Attaching {
  const [servers, logins, passwords] = params;
  const ids = serverIdsIn(method, servers);
  if (params.length === 1) return { ids, as: undefined };
  if (params.length !== 3) throw badArguments(method, 'it takes servers, or servers with a list of logins and one of passwords');
  const [own, secrets] = [textsIn(method, logins, ids.length), textsIn(method, passwords, ids.length)];
  return { ids, as: own.map((login, n) => ({ login, password: secrets[n] ?? '' })) };
}

function textsIn(method: string, list: Typed | undefined, count: number): string[] {
  const texts = list !== undefined && 'items' in list ? list.items.map(textOf) : [];
  const known = texts.filter((text) => text !== undefined);
  if (known.length !== count || texts.length !== count)
    throw badArguments(method, `it takes a login and a password for each of ${count} servers`);
  return known;
}

/** The server that a call to one names, and the arguments for it. Throws `HubRefused`. */
export function oneIn(method: string, [server, ...params]: readonly Typed[]): { readonly id: number; readonly params: readonly Typed[] } {
  const id = server && wholeOf(server);
  if (id === undefined) throw badArguments(method, 'after the session it takes the number of a server');
  return { id, params };
}

/** The servers that a call to several names, and the arguments for each, in the same order. Throws `HubRefused`. */
export function severalIn(
  method: string,
  [servers, ...lists]: readonly Typed[],
): readonly { readonly id: number; readonly params: readonly Typed[] }[] {
  const ids = serverIdsIn(method, servers);
  const items = lists.map((list, n) => {
    if (!('items' in list)) throw badArguments(method, `argument ${n + 1} is no list with a value for each server`);
    if (list.items.length !== ids.length)
      throw badArguments(method, `argument ${n + 1} has ${list.items.length} values for ${ids.length} servers`);
    return list.items;
  });
  return ids.map((id, n) => ({ id, params: items.map((list) => list[n]).filter((one) => one !== undefined) }));
}

/** A server that is named twice would be called twice, or with the arguments of one of both. */
function serverIdsIn(method: string, list: Typed | undefined): number[] {
  if (list === undefined || !('items' in list)) throw badArguments(method, 'after the session it takes a list of numbers of servers');
  const ids = list.items.map((item) => {
    const id = wholeOf(item);
    if (id === undefined) throw badArguments(method, 'the list of servers has something that is no number');
    return id;
  });
  if (new Set(ids).size < ids.length) throw badArguments(method, 'a server is named twice');
  return ids;
}
