import { contract } from '../../../lib/contract.ts';
import { minuteMs, plusMs } from '../../../lib/core/time.ts';
import type { Around, Cluster } from '../cluster.ts';
import type { SimulatedHost } from './host.ts';
import { Person } from './people.ts';

/** When the upgrade begins, in ms: the node has its slots by then. */
const beginsAfterMs = 2 * minuteMs;
/** How long its client systems are to be kept for it, in ms. */
const heldMs = 2 * minuteMs;

/** Somebody upgrades a host and has its node held for it, and the machine stays off until everything is healed. */
export function upgradeInVain(around: Around, cluster: Cluster, host: SimulatedHost, isOver: () => boolean): void {
  const { kernel } = around;
  const upgrader = new Person('upgrader', around, cluster, isOver);
  kernel.after(beginsAfterMs, `${host.name} is upgraded`, () => {
    const id = host.software()?.node;
    if (id === undefined || isOver()) return;
    const body = { mode: 'hold', until: new Date(plusMs(kernel.now, heldMs)).toISOString() } as const;
    void upgrader.ask(contract.leaveNode, { params: { id }, body }).then(() => host.stop(true));
  });
}
