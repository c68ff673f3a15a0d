import * as z from 'zod';
import { Client, ClientAlias } from '../../lib/clients/client.ts';
import { MachineIdKeys } from '../../lib/clients/rows/machine-id.ts';
import { SystemsHead, SystemsPage } from '../../lib/clients/systems/rows/list.ts';
import { Deployment } from '../../lib/deployment/deployment.ts';
import { SweepRow } from '../../lib/deployment/rows/sweep.ts';
import { Desired } from '../../lib/nodes/desired/desired.ts';
import { DigestRow } from '../../lib/nodes/digests/digest.ts';
import { Host } from '../../lib/nodes/hosts/host.ts';
import { Node } from '../../lib/nodes/node.ts';
import type { Row } from '../../lib/ports/table/table.ts';
import { Counts, Delta, MapPage, Members, Revoked, ZoneHead } from '../../lib/zones/zone.ts';

/** The schema of a row by its key, `noun/kind of row`; rows of other kinds have none that they are read by. */
const schemas: Readonly<Record<string, z.ZodType>> = {
  'node/node': Node,
  'node/host': Host,
  'node/desired': Desired,
  'node/digest': DigestRow,
  'node/systems': SystemsHead,
  'node/list': SystemsPage,
  'client/client': z.union([Client, ClientAlias]),
  'machine-id/machine-id': MachineIdKeys,
  'zone/head': ZoneHead,
  'zone/map': MapPage,
  'zone/delta': Delta,
  'zone/members': Members,
  'zone/revoked': Revoked,
  'zone/counts': Counts,
  'deployment/deployment': Deployment,
  'deployment/sweep': SweepRow,
};

const kindOf = ({ key }: Row): string => `${key.pk.split('#')[0]}/${key.sk.split('#')[0]}`;

/** The kinds of row that have a schema here. */
export const kindsRead: readonly string[] = Object.keys(schemas);

/** The rows that today's schemas do not take any more, each with the first fault. */
export const unreadable = (rows: readonly Row[]): string[] =>
  rows.flatMap((row) => {
    const issue = schemas[kindOf(row)]?.safeParse(row.body).error?.issues[0];
    return issue ? [`${kindOf(row)} ${row.key.pk}: /${issue.path.join('/')} ${issue.message}`] : [];
  });

/** The kinds of the rows that have a schema here, each once. */
export const kindsIn = (rows: readonly Row[]): string[] => [...new Set(rows.map(kindOf))].filter((kind) => kind in schemas).sort();
