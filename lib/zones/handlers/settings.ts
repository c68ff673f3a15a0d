import { apply } from '../../runtime/apply.ts';
import type { Shell } from '../../runtime/shell.ts';
import { forgetZone } from '../reads/zones.ts';
import { decideZoneSettings, type ZoneSettings, type ZoneSettingsCommand } from '../settings.ts';
import { zoneRef } from '../zone.ts';

/** Applies the given settings to an existing zone; the zone's plan runs at the next sweep. `id` is the call's. */
export async function setZone(shell: Shell, name: string, settings: ZoneSettings, id: string): Promise<void> {
  if (Object.values(settings).every((value) => value === undefined)) return;
  const command: ZoneSettingsCommand = { type: 'set', id, ...settings };
  await apply(shell, zoneRef(name), command, decideZoneSettings);
  forgetZone(shell, name);
}
