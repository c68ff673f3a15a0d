import { recordFiles } from '../supervised/files.ts';
import { HeldDesired, Table } from './state.ts';

/** The files of the services of this host. */
export const { readTable, writeTable, readHeldDesired, writeHeldDesired } = recordFiles({
  name: 'services',
  instead: 'end the services of this host',
  table: Table,
  desired: HeldDesired,
});
