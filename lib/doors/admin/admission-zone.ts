import type { ZoneName } from '../../ids.ts';
import type { Shell } from '../../runtime/shell.ts';
import { defaultZone } from '../../zones/create.ts';
import type { AdminCaller } from '../verify-admin.ts';
import { ensureDefaultZone } from '../zones.ts';
import { foundZone } from './found.ts';

/** The zone that hosts are to be admitted into; the zone `default` when none is given, which is made if need be. Throws a Refusal for one that there is not. */
export async function admissionZone(shell: Shell, given: ZoneName | undefined, caller: AdminCaller): Promise<ZoneName> {
  const zone = given ?? defaultZone;
  if (zone === defaultZone) await ensureDefaultZone(shell);
  await foundZone(shell, zone, caller);
  return zone;
}
