import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as z from 'zod';

/** A user of this host. */
export type User = { readonly name: string; readonly uid: number; readonly gid: number; readonly home: string };

const userForm = /^(?:([A-Za-z0-9][A-Za-z0-9_.-]*)=)?([A-Za-z_][A-Za-z0-9_.-]*\$?)$/;
/** `[NAME=]USER`: the user that services and processes run as; `NAME` is a service type or the prefix of a process. */
export const ServiceUser = z
  .string()
  .regex(userForm, 'a user such as muster-service, or a type or prefix with its user such as process=web')
  .transform((text) => {
    const [, of, user = ''] = userForm.exec(text) ?? [];
    return { ...(of !== undefined && { of }), user };
  });
export type ServiceUser = z.infer<typeof ServiceUser>;

/**
 * The user that something runs as, and the agent's own where `user` is absent; or the reason why it may not run at all.
 */
export type As = { readonly ok: true; readonly user?: User } | { readonly ok: false; readonly why: string };
/** Finds the user for a name: a service type, or the prefix of a process. */
export type RunsAs = (name: string) => As;

type Host = {
  /** The user id of the agent. */
  readonly uid: number;
  /** A user by name; undefined where there is none. */
  readonly find: (name: string) => User | undefined;
};

/**
 * The users by the configuration of this host, looked up at each start. An agent that is not root runs everything as
 * itself. An agent that is root needs a configured user, so that nothing runs as root by oversight.
 */
export const runsAs =
  (given: readonly ServiceUser[] = [], { uid, find }: Host = thisHost()): RunsAs =>
  (name) => {
    const configured = given.find(({ of }) => of === name) ?? given.find(({ of }) => of === undefined);
    if (!configured && uid !== 0) return { ok: true };
    if (!configured)
      return no(`no user is set for ${name}, and the agent is root: set service-user = ${name}=USER in the agent’s configuration`);
    const user = find(configured.user);
    if (!user)
      return no(`${name} cannot run as ${configured.user}: this host has no such user. Create it, or name another one by service-user`);
    if (user.uid === uid) return { ok: true };
    if (uid !== 0)
      return no(`${name} cannot run as ${configured.user}: only an agent that is root can change the user. Remove service-user`);
    return { ok: true, user };
  };

const no = (why: string): As => ({ ok: false, why });

const thisHost = (): Host => ({ uid: process.getuid?.() ?? 0, find: userNamed });

/** The user of this name in passwd(5), or in another directory of users of this host (getent(1)). */
export function userNamed(name: string): User | undefined {
  const own = readFileSync('/etc/passwd', 'utf8').split('\n');
  return own.map(userOf).find((user) => user?.name === name) ?? userOf(asked(name));
}

function userOf(line: string): User | undefined {
  const [name, , uid, gid, , home] = line.split(':');
  return name && home !== undefined ? { name, uid: Number(uid), gid: Number(gid), home } : undefined;
}

/** The line that getent prints; empty where it knows no such user, or is not installed. */
function asked(name: string): string {
  try {
    return execFileSync('getent', ['passwd', name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: askMs }).trim();
  } catch (error) {
    if ('status' in (error as object) || (error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** The limit of a lookup: a directory of users that does not answer must not delay the heartbeats. */
const askMs = 2_000;

/** The environment variables that tell a program which user it runs as. */
export const variablesOf = ({ name, home }: User): Readonly<Record<string, string>> => ({ HOME: home, USER: name, LOGNAME: name });
