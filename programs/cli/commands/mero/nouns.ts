import { cep } from '../halon/debug/cep.ts';
import { eq } from '../halon/debug/eq.ts';
import { node as debugNode } from '../halon/debug/node.ts';
import { rc } from '../halon/debug/rc.ts';
import { add as halonNodeAdd } from '../halon/node/add.ts';
import { powerCycle as halonPowerCycle } from '../halon/node/power-cycle.ts';
import { remove as halonNodeRemove } from '../halon/node/remove.ts';
import { disableTraces, enableTraces } from '../halon/node/traces.ts';
import { deleteRole as halonRoleDelete } from '../halon/role/delete.ts';
import { list as halonRoleList } from '../halon/role/list.ts';
import { put as halonRolePut } from '../halon/role/put.ts';
import type { Noun } from '../tree.ts';
import { add as nodeAdd } from './node/add.ts';
import { remove as nodeRemove } from './node/remove.ts';
import { start as nodeStart } from './node/start.ts';
import { stop as nodeStop } from './node/stop.ts';
import { add as processAdd } from './process/add.ts';
import { configuration } from './process/configuration.ts';
import { remove as processRemove } from './process/remove.ts';
import { start as processStart } from './process/start.ts';
import { stop as processStop } from './process/stop.ts';
import { deleteRole } from './role/delete.ts';
import { list as roleList } from './role/list.ts';
import { put as rolePut } from './role/put.ts';
import { show as roleShow } from './role/show.ts';

/** Single processes of a storage cluster. */
const process: Noun = {
  name: 'process',
  does: 'Single processes of a storage cluster',
  verbs: [processAdd, configuration, processStart, processStop, processRemove],
};
/** Hosts of a storage cluster with all of their processes. */
const node: Noun = {
  name: 'node',
  does: 'Hosts of a storage cluster, with all of their processes',
  verbs: [nodeAdd, nodeStart, nodeStop, nodeRemove],
};
/** The Mero roles of a storage zone. */
const role: Noun = { name: 'role', does: 'Mero roles: the processes that hosts get', verbs: [roleList, roleShow, rolePut, deleteRole] };
/** Nouns under `mero` about single processes, hosts and roles. */
export const meroNouns = { process, node, role } as const;

/** Nouns under `halon`. */
export const halonNouns = {
  node: {
    name: 'node',
    does: 'Hosts of a storage zone: add, remove, power-cycle and trace them',
    verbs: [halonNodeAdd, halonNodeRemove, halonPowerCycle, enableTraces, disableTraces],
  },
  role: {
    name: 'role',
    does: 'Halon roles: the hosts that are stations, and the services that run on hosts',
    verbs: [halonRoleList, halonRolePut, halonRoleDelete],
  },
  debug: {
    name: 'debug',
    alias: 'info',
    does: 'The inner state of Muster: its queues and consumers, the coordination of a zone, and the assignments of a node',
    verbs: [eq, rc, cep, debugNode],
  },
} as const satisfies Record<string, Noun>;
