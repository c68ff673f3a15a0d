import { type Defect, pointerOf } from '../../../core/defect.ts';
import { type Expansion, expand } from '../expand/expand.ts';
import type { Facts } from '../facts.ts';
import { defectsOfAddresses } from './addresses.ts';
import { defectsOfDevices, devicesIn } from './devices.ts';
import { defectsOfProcesses } from './processes.ts';
import { remarksOn } from './remarks.ts';
import { readForm } from './schema.ts';
import { defectsOfSites } from './unique.ts';
import { part } from './walk.ts';

/**
 * Facts without a defect, their expansion and the remarks on them; or everything that is wrong with them, each at its
 * path.
 */
export type Checked =
  | { readonly ok: true; readonly facts: Facts; readonly expansion: Expansion; readonly remarks: readonly Defect[] }
  | { readonly ok: false; readonly defects: readonly Defect[] };

/**
 * Checks the content of a facts file. All defects are reported at once, except that a lack of room on a node is found
 * only when all else is right.
 */
export function checkFacts(value: unknown): Checked {
  const file = part(value, []);
  const form = readForm(value);
  const found = [
    ...form.defects,
    ...defectsOfSites(file),
    ...defectsOfDevices(file, devicesIn(file)),
    ...defectsOfProcesses(file),
    ...defectsOfAddresses(file),
  ];
  if (!form.facts || found.length > 0) return { ok: false, defects: [...unlikeBefore(found)] };
  const expanded = expand(form.facts);
  return expanded.ok
    ? { ok: true, facts: form.facts, expansion: expanded.expansion, remarks: remarksOn(file) }
    : { ok: false, defects: expanded.defects };
}

/** Drops a defect that repeats another at the same place. */
function* unlikeBefore(defects: readonly Defect[]): Iterable<Defect> {
  const seen = new Set<string>();
  for (const defect of defects) {
    const line = `${pointerOf(defect.path)} ${defect.says}`;
    if (!seen.has(line)) yield defect;
    seen.add(line);
  }
}
