import { exitCodes } from '../../../lib/machine/command-line.ts';
import { type Check, checkLines, missing, well } from '../doctor/check.ts';
import type { Outcome } from '../processes/commands.ts';
import { examineInstallation, examineServer } from './examine.ts';
import { install, remove } from './install.ts';
import type { UyuniGiven } from './options.ts';
import { fillOf, holderOf } from './outbox.ts';
import { type DatabaseAddress, databaseIn, NoRhnConf } from './rhn-conf.ts';
import { connectTo, type Session } from './session.ts';
import { troubleOf } from './trouble.ts';

/** Installs the outbox in the database of the server on this host. */
export const uyuniInstall = ({ rhnConf }: UyuniGiven): Promise<Outcome> =>
  withDatabase(rhnConf, async (session) => {
    const outcome = await install(session);
    switch (outcome.is) {
      case 'done':
        return { code: exitCodes.done, talk: 'the outbox is installed' };
      case 'already':
        return { code: exitCodes.done, talk: 'the outbox is installed already' };
      case 'refused':
        return { code: missingCode, data: checkLines(outcome.missing), talk: 'nothing was installed: this database lacks what is listed' };
    }
  });

/** Removes the outbox from the database of the server on this host. */
export const uyuniRemove = ({ rhnConf }: UyuniGiven): Promise<Outcome> =>
  withDatabase(rhnConf, async (session) => {
    const { is } = await remove(session);
    return { code: exitCodes.done, talk: is === 'already' ? 'there is no outbox' : 'the outbox is removed' };
  });

/** Checks what the outbox needs, whether it is whole, how full it is, and what holds it back. */
export const uyuniCheck = ({ rhnConf, json }: UyuniGiven): Promise<Outcome> =>
  withDatabase(rhnConf, async (session) => {
    const installation = await examineInstallation(session);
    const isThere = installation.some(({ check, is }) => check === 'outbox' && is === 'well');
    const checks = [...(await examineServer(session)), ...installation, ...(isThere ? await flow(session) : [])];
    const data = json ? `${JSON.stringify(checks, undefined, 2)}\n` : checkLines(checks);
    return { code: checks.some(({ is }) => is === 'missing') ? missingCode : exitCodes.done, data };
  });

/** The exit code when something is missing, as that of the doctor. */
const missingCode = 1;

async function flow(session: Session): Promise<readonly Check[]> {
  const { rows, bytes, isFull } = await fillOf(session);
  const holder = await holderOf(session);
  const fill = `${rows} waiting, in ${Math.ceil(bytes / 1024)} KiB`;
  return [
    isFull ? missing('rows', `${fill}: the outbox is full`, 'start the agent: everything will be looked at') : well('rows', fill),
    holder === undefined
      ? well('delay', 'no transaction holds rows back')
      : well(
          'delay',
          `process ${holder.pid} (${holder.application || holder.user || 'unknown'}) has been writing for ${Math.round(holder.forMs / 1000)} s`,
        ),
  ];
}

async function withDatabase(rhnConf: string, work: (session: Session) => Promise<Outcome>): Promise<Outcome> {
  let address: DatabaseAddress;
  try {
    address = databaseIn(rhnConf);
  } catch (error) {
    if (error instanceof NoRhnConf) return { code: exitCodes.unusable, talk: error.message };
    throw error;
  }
  let session: Session | undefined;
  try {
    session = await connectTo(address);
    return await work(session);
  } catch (error) {
    const { words, passes } = troubleOf(error, address);
    const code = session === undefined ? exitCodes.unreachable : passes ? exitCodes.busy : exitCodes.software;
    return { code, talk: words };
  } finally {
    if (session?.isOpen()) await session.close();
  }
}
