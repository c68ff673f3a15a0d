import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as z from 'zod';

/** A user of this host. */
export type User = { readonly name: string; readonly uid: number; readonly gid: number; readonly home: string };

const userForm = /^(?:([A-Za-z0-9][A-Za-z0-9_.-]*)=)?([A-Za-z_][A-Za-z0-9_.-]*\$?)$/;
/** `[NAME=]USER`: as whom services and processes run; `NAME` is a type of service or the prefix of a process. */
export const ServiceUser = z
  .string()
  .regex(userForm, 'a user such as muster-service, or a type or prefix with its user such as process=web')
  .transform((text) => {
    const [, of, user = ''] = userForm.exec(text) ?? [];
    return { ...(of !== undefined && { of }), user };
  });
export type ServiceUser = z.infer<typeof ServiceUser>;

/**
 * As whom something runs: another user than the agent's, or the agent's own where there is none; or why it may not run
 * at all.
 */
export type As = { readonly ok: true; readonly user?: User } | { readonly ok: false; readonly why: string };
/** As whom what goes by a name is run here: a type of service, or the prefix of a process. */
export type RunsAs = (name: string) => As;

type Host = {
  /** Whose the agent is. */
  readonly uid: number;
  /** A user by name; undefined where there is none. */
  readonly find: (name: string) => User | undefined;
};

/**
 * As whom things run by the configuration of this host, read at each start. An agent that is not root runs all of them
 * as itself. One that is root is told as whom: nothing runs as root because nobody has thought of it.
 */
export const runsAs =
  (given: readonly ServiceUser[] = [], { uid, find }: Host = thisHost()): RunsAs =>
  (name) => {
    const said = given.find(({ of }) => of === name) ?? given.find(({ of }) => of === undefined);
    if (!said && uid !== 0) return { ok: true };
    if (!said)
      return no(`the agent is root, and nobody says as whom ${name} runs: its owner says service-user = ${name}=USER in its configuration`);
    const user = find(said.user);
    if (!user) return no(`${name} is to run as ${said.user}, and this host has no such user: make it, or name another by service-user`);
    if (user.uid === uid) return { ok: true };
    if (uid !== 0) return no(`${name} is to run as ${said.user}, which only an agent that is root can do: take service-user out`);
    return { ok: true, user };
  };

const no = (why: string): As => ({ ok: false, why });

const thisHost = (): Host => ({ uid: process.getuid?.() ?? 0, find: userNamed });

/** The user of this name in passwd(5), or wherever else this host keeps users (getent(1)). */
export function userNamed(name: string): User | undefined {
  const own = readFileSync('/etc/passwd', 'utf8').split('\n');
  return own.map(userOf).find((user) => user?.name === name) ?? userOf(asked(name));
}

function userOf(line: string): User | undefined {
  const [name, , uid, gid, , home] = line.split(':');
  return name && home !== undefined ? { name, uid: Number(uid), gid: Number(gid), home } : undefined;
}

/** What getent says; nothing where it knows no such user, or is not there. */
function asked(name: string): string {
  try {
    return execFileSync('getent', ['passwd', name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: askMs }).trim();
  } catch (error) {
    if ('status' in (error as object) || (error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** A directory of users that does not answer must not hold up the heartbeats. */
const askMs = 2_000;

/** What a program of another user is told of whom it runs as. */
export const variablesOf = ({ name, home }: User): Readonly<Record<string, string>> => ({ HOME: home, USER: name, LOGNAME: name });
