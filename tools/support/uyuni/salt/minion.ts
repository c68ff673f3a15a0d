import { createHash } from 'node:crypto';
import { minionPemOf } from '../../minion-keys.ts';

/** A minion as its master sees it: its id, the machine that it runs on, and its public key in PEM. */
export type Minion = { readonly id: string; readonly machineId: string; readonly publicKey: string };

/** A minion by its id, whose key and machine go by its id unless they are named apart. */
export const aMinion = (id: string, { machine = id, key = id }: { machine?: string; key?: string } = {}): Minion => ({
  id,
  machineId: createHash('md5').update(`machine ${machine}`).digest('hex'),
  publicKey: minionPemOf(key),
});
