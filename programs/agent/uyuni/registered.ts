import * as z from 'zod';
import { CannotOffer } from '../adoption/adopter.ts';
import type { ReadsRegistered } from '../adoption/salt-systems.ts';
import { type DatabaseAddress, databaseIn, NoRhnConf } from './rhn-conf.ts';
import { connectTo } from './session.ts';
import { troubleOf } from './trouble.ts';

/** A server that has no host name for a system calls it by a name of its own. */
const sql = `SELECT m.minion_id AS minion, s.id::bigint AS number, coalesce(nullif(s.hostname, ''), s.name, '') AS name,
  coalesce(s.machine_id, '') AS machine
  FROM rhnserver s JOIN suseminioninfo m ON m.server_id = s.id`;

const Row = z.strictObject({ minion: z.string(), number: z.int().nonnegative(), name: z.string(), machine: z.string() });

/** Reads the systems of the server whose configuration this is, found anew each time. */
export const registeredIn =
  (rhnConf: string): ReadsRegistered =>
  async () => {
    let address: DatabaseAddress | undefined;
    try {
      address = databaseIn(rhnConf);
      const session = await connectTo(address);
      try {
        const rows = z.array(Row).parse(await session.rows(sql));
        return new Map(rows.map(({ minion, number, name, machine: machineId }) => [minion, { number, name, machineId }]));
      } finally {
        await session.close();
      }
    } catch (error) {
      if (error instanceof NoRhnConf) throw new CannotOffer(error.message, { cause: error });
      if (address === undefined || error instanceof z.ZodError) throw error;
      throw new CannotOffer(troubleOf(error, address).words, { cause: error });
    }
  };
