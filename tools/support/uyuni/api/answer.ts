import type { Value } from '../../../../lib/uyuni/xml-rpc/value.ts';
import type { Database } from '../database.ts';
import type { KeyFolders } from '../salt/key-folders.ts';
import { byNames, byPosition, type Found } from './dispatch.ts';
import { ApiFault, faults } from './faults.ts';
import type { Caller } from './method.ts';
import { methods } from './methods.ts';
import { callerOf, login, logout, type SessionSecrets } from './sessions.ts';
import type { Troubles } from './troubles.ts';

/** What answers calls: a database, the keys of Salt beside it, and the secrets of the server's sessions. */
export type Answering = {
  readonly database: Database;
  readonly keys: KeyFolders;
  readonly secrets: SessionSecrets;
  readonly troubles: Troubles;
};

/** What needs no session. */
const open: Readonly<Record<string, Value>> = {
  'api.getVersion': '29',
  'api.systemVersion': '2026.06',
  'api.productName': 'Uyuni',
};

/** The answer to a call by position, whose first argument is the session key. Throws {@link ApiFault}. */
export async function answer(on: Answering, called: string, params: readonly Value[]): Promise<Value> {
  const known = open[called];
  if (known !== undefined) return known;
  const [first, ...rest] = params;
  if (called === 'auth.login') return begin(on, first, rest);
  if (typeof first !== 'string') throw faults.noSuchMethod(called, called, []);
  if (called === 'auth.logout') {
    await logout(on.database, on.secrets, first);
    return 1;
  }
  const caller = await callerOf(on.database, on.secrets, first);
  return carryOut(on, caller, byPosition(methods, called, rest));
}

async function begin(
  { database, secrets, troubles }: Answering,
  name: Value | undefined,
  [password, duration]: readonly Value[],
): Promise<string> {
  if (troubles.refusesLogin || typeof name !== 'string' || typeof password !== 'string') throw faults.wrongLogin();
  return login(database, secrets, { login: name, password, ...(typeof duration === 'number' && { durationS: duration }) });
}

/** Begins a session by a login of the JSON interface. Throws {@link ApiFault}. */
export const beginByNames = (on: Answering, { login: name, username, password }: Readonly<Record<string, Value>>): Promise<string> =>
  begin(on, name ?? username, [password ?? null]);

/**
 * The value that a call by names is answered with; undefined where no method has these names. `isRead`: it came as a
 * GET, which only reads. Throws {@link ApiFault}.
 */
export async function answerByNames(
  on: Answering,
  call: {
    readonly called: string;
    readonly key: string | undefined;
    readonly isRead: boolean;
    readonly values: Readonly<Record<string, Value>>;
  },
): Promise<Value | undefined> {
  const known = open[call.called];
  if (known !== undefined) return known;
  const caller = await callerOf(on.database, on.secrets, call.key ?? '');
  const found = byNames(methods, call.called, call.values);
  if (!found || (call.isRead && !found.method.reads)) return undefined;
  return carryOut(on, caller, found);
}

/** Each call is one transaction, which is rolled back when the call fails. */
async function carryOut({ database, keys }: Answering, caller: Caller, { method, values }: Found): Promise<Value> {
  if (caller.readOnly && !method.reads) throw faults.readOnly(method.name.slice(method.name.lastIndexOf('.') + 1));
  try {
    return await database.transaction((inside) => method.play({ database: inside, caller, keys }, values));
  } catch (error) {
    if (error instanceof ApiFault) throw error;
    throw faults.internal(error instanceof Error ? error.message : String(error));
  }
}
