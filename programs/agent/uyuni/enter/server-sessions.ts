import { type DatabaseAddress, databaseIn, NoRhnConf, sessionsIn } from '../rhn-conf.ts';
import { connectTo } from '../session.ts';
import { troubleOf } from '../trouble.ts';
import { type Minted, mintSession } from './mint-session.ts';
import type { EnterRules } from './rules.ts';

/** Makes a session for the pages of the server with this configuration, which is read anew each time. */
export async function sessionFor(login: string, { rhnConf, organisation }: EnterRules): Promise<Minted> {
  let address: DatabaseAddress | undefined;
  try {
    const sessions = sessionsIn(rhnConf);
    address = databaseIn(rhnConf);
    const session = await connectTo(address);
    try {
      return await mintSession(session, login, { ...sessions, use: 'pages', organisation });
    } finally {
      await session.close();
    }
  } catch (error) {
    if (error instanceof NoRhnConf) return { ok: false, why: error.message };
    if (address === undefined) throw error;
    return { ok: false, why: troubleOf(error, address).words };
  }
}
