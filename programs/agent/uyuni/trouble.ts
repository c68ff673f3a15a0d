import type { DatabaseAddress } from './rhn-conf.ts';

/** Something that keeps the agent from its work on a database, in words; `passes`: it may be over by itself. */
export type Trouble = { readonly words: string; readonly passes: boolean };

/** What the network says of a database that is away, and PostgreSQL of one that stops or starts. */
const away = [
  'ENOENT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  '57P01',
  '57P02',
  '57P03',
  '53300',
];

/** What has happened, by the code of an error of PostgreSQL or of the network. Throws any other error. */
export function troubleOf(error: unknown, { host, database, user }: Pick<DatabaseAddress, 'host' | 'database' | 'user'>): Trouble {
  if (!(error instanceof Error)) throw error;
  const { code = '' } = error as { code?: string };
  const where = `the database ${database} at ${host}`;
  // The client's own errors have no code.
  const isCut = code === '' && /^Connection terminated|connection error|timeout/i.test(error.message);
  if (isCut || away.includes(code) || code.startsWith('08'))
    return { words: `${where} does not answer (${error.message}): PostgreSQL may be restarting`, passes: true };
  switch (code) {
    case '28P01':
    case '28000':
      return { words: `${where} refuses the password of ${user}: compare db_user and db_password in rhn.conf`, passes: true };
    case '3D000':
      return { words: `there is no database ${database} at ${host}: compare db_name in rhn.conf`, passes: true };
    case '53100':
      return { words: `the disk of ${where} is full (${error.message}): free some space`, passes: true };
    case '55P03':
    case '40P01':
    case '57014':
      return { words: `another transaction on ${where} holds a lock for too long (${error.message}): try again later`, passes: true };
    case '42501':
      return { words: `${user} may not do this in ${where} (${error.message}): the tables must belong to that user`, passes: false };
    default:
      if (code === '') throw error;
      return { words: `${where} has failed (${code}: ${error.message})`, passes: false };
  }
}
