import { recordFiles } from '../supervised/files.ts';
import { HeldDesired, Table } from './state.ts';

/** The files of the processes of this host. */
export const { readTable, writeTable, readHeldDesired, writeHeldDesired } = recordFiles({
  name: 'processes',
  instead: 'stop the processes of this host',
  table: Table,
  desired: HeldDesired,
});
