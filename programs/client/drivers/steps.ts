import type { Fqdn } from '../../../lib/core/ids.ts';
import type { Kind } from './kinds.ts';
import type { FileFound } from './root.ts';
import type { ServiceState } from './services.ts';

/** One step of a run on a machine. */
export type Step =
  | { readonly do: 'stop' | 'start'; readonly unit: string }
  | { readonly do: 'write'; readonly file: string; readonly node: Fqdn; readonly found: FileFound }
  | { readonly do: 'remove'; readonly file: string };

/** A machine as it was found: its units in their order, and the files that tie it to a node. */
export type Found = {
  readonly units: readonly { readonly unit: string; readonly state: ServiceState }[];
  readonly config: FileFound | undefined;
  /** The caches of the kind that exist. */
  readonly caches: readonly string[];
};

/** Whether a unit runs, or is about to. */
export const isRunning = (state: ServiceState): boolean => state === 'active' || state === 'activating';

/** The mode and owner of a new configuration: ours, and readable by all, as packages ship theirs. */
const ownedBy = (uid: number, gid: number): Omit<FileFound, 'text'> => ({ mode: 0o644, uid, gid });

/**
 * The steps that bring a machine up for a node; none when it already works for that node. The units are stopped first,
 * so that nothing reports to one node by the key of another. `fault` is the reason why it is impossible.
 */
export function stepsToStart(
  kind: Kind,
  found: Found,
  fqdn: Fqdn,
  us: { readonly uid: number; readonly gid: number },
): { readonly steps: readonly Step[] } | { readonly fault: string } {
  const rewritten = kind.rewrite(found.config?.text, fqdn);
  if ('fault' in rewritten) return rewritten;
  const { text } = rewritten;
  const isNamed = text === found.config?.text;
  if (isNamed && found.units.every(({ state }) => isRunning(state))) return { steps: [] };
  const whose = found.config ?? ownedBy(us.uid, us.gid);
  return {
    steps: [
      ...stepsToStop(found),
      ...(isNamed ? [] : [{ do: 'write', file: kind.config, node: fqdn, found: { ...whose, text } } as const]),
      ...found.caches.map((file) => ({ do: 'remove', file }) as const),
      ...found.units.map(({ unit }) => ({ do: 'start', unit }) as const),
    ],
  };
}

/**
 * The steps that stop a machine, the unit started last first; none when nothing runs. A unit that is stopping is
 * awaited.
 */
export const stepsToStop = ({ units }: Pick<Found, 'units'>): readonly Step[] =>
  units
    .filter(({ state }) => isRunning(state) || state === 'deactivating')
    .map(({ unit }) => ({ do: 'stop', unit }) as const)
    .reverse();

/** A step in words: `write etc/salt/minion.d/susemanager.conf for node1.acme.test`. */
export function inWords(step: Step): string {
  switch (step.do) {
    case 'stop':
    case 'start':
      return `${step.do} ${step.unit}`;
    case 'write':
      return `write ${step.file} for ${step.node}`;
    case 'remove':
      return `remove ${step.file}`;
  }
}
