import { secondMs } from '../../../lib/core/time.ts';
import type { KeyPair } from '../../../lib/identity/key-pair.ts';
import { someLoad } from '../../support/actors.ts';
import { aCountedSite, type CountedSite } from '../sites/counted-site.ts';
import { nodeIdAt } from '../zone.ts';
import { aSeededTable, nodeKeyAt, type ScaleSize, speaking } from './seed.ts';

/** Read and write units of one operation in all functions, and of publishing its results. */
export type ScaleUnits = { readonly reads: number; readonly writes: number };

/** A deployment of a size on which operations are played one by one. */
export type ScaleSite = CountedSite & {
  readonly size: ScaleSize;
  readonly played: Map<string, ScaleUnits>;
  /** Plays an operation where nothing else is left to do, and notes its usage under its name. */
  readonly play: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** The same without settling first, so that work left over from before is part of it. */
  readonly goOn: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** The usage of some work that is no operation by itself. */
  readonly unitsOf: (work: () => Promise<unknown>) => Promise<ScaleUnits>;
  /**
   * Lets some seconds pass: the nodes that speak send heartbeats, the sweep runs, commits are published, and readers
   * have read the zone.
   */
  readonly settle: () => Promise<void>;
  /** Nodes that send heartbeats while time passes. */
  readonly beating: Set<number>;
  readonly sendHeartbeat: (index: number, more?: object) => Promise<unknown>;
};

/** A deployment of a size, a moment after it was seeded. */
export function aScaleSite(size: ScaleSize): ScaleSite {
  const site = aCountedSite(aSeededTable(size));
  const { meter } = site.shell.table;
  const played = new Map<string, ScaleUnits>();
  const beating = new Set(Array.from({ length: speaking }, (_, index) => index));
  const seqs = new Map<number, number>();
  const sendHeartbeat = async (index: number, more: object = {}): Promise<void> => {
    const seq = (seqs.get(index) ?? 0) + 1;
    seqs.set(index, seq);
    const body = { id: site.shell.newId(), incarnation: 1, seq, load: someLoad, tableHash: 'x'.repeat(43), ...more };
    await site.call('POST', `/nodes/${nodeIdAt(index)}/heartbeat`, { body, by: nodeKeyAt(index) });
    await site.consume('heartbeats');
  };
  const settle = async (): Promise<void> => {
    site.shell.step(6 * secondMs);
    for (const index of beating) await sendHeartbeat(index);
    await site.consume('reports');
    await site.sweep();
    await site.publish();
    await site.call('GET', '/api/v1/status');
  };
  const unitsOf = async (work: () => Promise<unknown>): Promise<ScaleUnits> => {
    const before = { ...meter };
    await work();
    await site.publish();
    return { reads: meter.readUnits - before.readUnits, writes: meter.writeUnits - before.writeUnits };
  };
  const goOn = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    let result: T | undefined;
    const used = await unitsOf(async () => {
      result = await work();
    });
    played.set(name, used);
    return result as T;
  };
  const play = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    await settle();
    return goOn(name, work);
  };
  return { ...site, size, played, play, goOn, unitsOf, settle, beating, sendHeartbeat };
}

/** A call that a machine signs. */
export const signedCall = (site: CountedSite, by: KeyPair) => (method: string, path: string, body?: unknown) =>
  site.call(method, path, { by, ...(body !== undefined && { body }) });
