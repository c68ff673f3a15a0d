import type { AdminCall } from '../../access/verify-admin.ts';
import { needsEverywhere } from '../../access/zones-of-caller.ts';
import { Refusal } from '../../api/problem.ts';
import { type Plan, type RowRef, write } from '../../core/decision.ts';
import type { ZoneName } from '../../core/ids.ts';
import type { Ref } from '../../core/ref.ts';
import { clusterRef } from '../../mero/clusters/cluster.ts';
import { garbageRef } from '../../mero/loads/load.ts';
import { applyPlan, type Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { gateOf } from '../changes/gate.ts';
import { type AskedZone, bodyRefs, planZone } from '../create.ts';
import { gateRef, shutBecause } from '../gate/gate.ts';
import { slotsMin } from '../map/rows/slots.ts';
import { ensureDefaultZone, zoneNow } from '../reads/zones.ts';
import { defaultZoneNumber, type ZoneHead, zoneRef } from '../zone.ts';
import { viewOfZone } from './zones.ts';

/** The last number given to a zone. The row is never removed, because a number is never reused. */
type ZoneNumbers = { readonly last: number };
const numbersRef: Ref<ZoneNumbers> = { noun: 'zone-numbers', id: 'deployment' };

/** Creates a zone. Returns an existing zone of this name if it has the requested settings, and refuses otherwise. */
export async function createZone({ body, request, caller }: AdminCall<'createZone'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'admin');
  await ensureDefaultZone(shell);
  const { name, ...asked } = body;
  const { changes } = await applyPlan(shell, { id: request.id }, (reading) => planCreation(shell, reading, name, asked));
  await zoneNow(shell, name);
  return { status: changes.length > 0 ? 201 : 200, body: await viewOfZone(shell, name, caller) };
}

async function planCreation(shell: Shell, reading: Reading, name: ZoneName, asked: AskedZone): Promise<Plan> {
  const headRow = await reading.row(zoneRef(name));
  const head = stateOf(headRow, shell.now());
  if (head) {
    const shut = shutBecause((await gateOf(shell, reading, name))!.gate);
    if (shut !== undefined) throw new Refusal('refused', `${shut}; delete it again to finish the deletion`);
    refuseOther(head, asked);
    return { changes: [], because: ['the zone already exists'] };
  }
  if (asked.kind === 'storage' && stateOf(await reading.row(garbageRef(name)), shell.now())?.ended)
    throw new Refusal('not-yet', `data of the previous storage zone ${name} is still being removed; try again in a minute`);
  const numbersRow = await reading.row(numbersRef);
  const number = await freeNumber(reading, numbersRow?.body.last ?? defaultZoneNumber);
  const refs: RowRef[] = [zoneRef(name), gateRef(number), clusterRef(name), ...bodyRefs(name, slotsMin)];
  const revs = new Map((await reading.rows(refs)).map((row, i) => [nameOf(refs[i]!), row?.rev ?? 0]));
  const version = headRow ? headRow.body.version + 1 : 0;
  const plan = planZone(name, number, shell.now(), slotsMin, { asked, left: { revOf: (ref) => revs.get(nameOf(ref)) ?? 0, version } });
  const numbers = write<ZoneNumbers, never>({ last: number }, `zone ${name} is number ${number}`);
  return { ...plan, changes: [...plan.changes, { ref: numbersRef, readRev: numbersRow?.rev ?? 0, decision: numbers }] };
}

const nameOf = ({ noun, id }: RowRef): string => `${noun} ${id}`;

/** The next number that no zone has or had, including numbers that were given by other means. */
async function freeNumber(reading: Reading, last: number): Promise<number> {
  for (let number = last + 1; ; number++) if (!(await reading.row(gateRef(number)))) return number;
}

/** Throws a {@link Refusal} when the existing zone of this name differs from the requested settings. */
function refuseOther(head: ZoneHead, asked: AskedZone): void {
  for (const [field, value] of Object.entries(asked) as [keyof AskedZone, unknown][])
    if (value !== undefined && head[field] !== value)
      throw new Refusal('refused', `zone ${head.name} already exists, and its ${field} is ${head[field]}`, {
        errors: [{ pointer: `/${field}`, detail: `it is ${head[field]}` }],
      });
}
