import { showFingerprint } from '../../lib/core/ids.ts';
import { fingerprintOf } from '../../lib/identity/fingerprint.ts';
import type { Folder } from '../../lib/machine/folder.ts';
import { readLeaving, readLedger, readList } from './ledger.ts';

/** The ledger in a folder without its private keys; undefined when there is none. */
export function ledgerView(folder: Folder) {
  const ledger = readLedger(folder);
  if (!ledger) return undefined;
  const { privateKey: _secret, nextKey, oldKey, version: _version, desired, ...visible } = ledger;
  const list = readList(folder);
  const leaving = readLeaving(folder, ledger);
  return {
    ...visible,
    fingerprint: showFingerprint(fingerprintOf(ledger.publicKey)),
    ...((nextKey || oldKey) && { rotating: true }),
    desired: desired.rev,
    releaseOrders: desired.release.filter(({ mapVersion }) => mapVersion > desired.released).length,
    ...(list && { systems: list.systems.length, listVersion: list.version, mapVersion: list.mapVersion }),
    ...(leaving && { leaving }),
  };
}

/** A value as people read it: a moment in ISO format. */
const textOf = (name: string, value: unknown): string => {
  if (name === 'keySince') return new Date(value as number).toISOString();
  return typeof value === 'object' && value !== null ? Object.values(value).join(' ') : String(value);
};

/** The view as lines of a name and a value, aligned. */
export function ledgerLines(view: NonNullable<ReturnType<typeof ledgerView>>): string {
  const rows = Object.entries(view).map(([name, value]) => [name, textOf(name, value)] as const);
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('');
}
