import type { DateTime, Value } from '../../../../lib/uyuni/xml-rpc/value.ts';
import type { Database } from '../database.ts';
import type { KeyFolders } from '../salt/key-folders.ts';
import { faults } from './faults.ts';

/** The kinds of arguments, as the server's documentation names them. */
type Kinds = {
  int: number;
  string: string;
  boolean: boolean;
  date: DateTime;
  struct: { readonly [name: string]: Value };
  'int[]': readonly number[];
  'string[]': readonly string[];
  'struct[]': readonly { readonly [name: string]: Value }[];
};
export type Kind = keyof Kinds;

/** The person who calls. */
export type Caller = {
  readonly id: number;
  readonly login: string;
  readonly org: number;
  readonly readOnly: boolean;
  readonly roles: readonly string[];
};

/** What a method works on: its transaction, who calls, and the server beside the database. */
export type Call = { readonly database: Database; readonly caller: Caller; readonly keys: KeyFolders };

/** The arguments of a method by their names, which are those of the JSON interface. */
type Params = Readonly<Record<string, Kind>>;
type ArgumentsOf<P extends Params> = { readonly [N in keyof P]: Kinds[P[N]] };

/** A method that is played. `reads`: a GET in the JSON interface, and allowed to read-only users. */
export type Method = {
  readonly name: string;
  readonly reads: boolean;
  readonly params: Params;
  play(call: Call, values: Readonly<Record<string, Value>>): Promise<Value>;
};

type Play<P extends Params> = (call: Call, values: ArgumentsOf<P>) => Promise<Value>;

/** A method that changes nothing. */
export const reads = <const P extends Params>(name: string, params: P, play: Play<P>): Method => methodOf(name, true, params, play);
/** A method that changes something. */
export const writes = <const P extends Params>(name: string, params: P, play: Play<P>): Method => methodOf(name, false, params, play);

const methodOf = <P extends Params>(name: string, isRead: boolean, params: P, play: Play<P>): Method => ({
  name,
  reads: isRead,
  params,
  // The dispatch has made each argument one of its kind.
  play: (call, values) => play(call, values as ArgumentsOf<P>),
});

/** Refuses who has none of these roles; an organisation's administrator has every role of the organisation. */
export function wantRole({ roles }: Caller, ...wanted: readonly string[]): void {
  if (!roles.some((role) => role === 'org_admin' || wanted.includes(role))) throw faults.permission(wanted[0] ?? 'org_admin');
}
