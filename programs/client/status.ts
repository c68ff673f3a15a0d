import { type Fingerprint, showFingerprint } from '../../lib/core/ids.ts';
import type { ClientRecord } from './state.ts';

/** What a daemon stored, for people and programs; without the token, which is a secret. */
export type StatusView = {
  readonly fingerprint?: string;
  readonly runs: boolean;
  readonly phase: ClientRecord['phase'];
  readonly node?: string;
  readonly driven?: string;
  readonly died?: { readonly times: number; readonly at: string; readonly why: string };
};

/** The view of a record. `runs`: whether a daemon holds its folder. */
export const statusView = ({ phase, place, driven, died }: ClientRecord, fp: Fingerprint | undefined, runs: boolean): StatusView => ({
  ...(fp && { fingerprint: showFingerprint(fp) }),
  runs,
  phase,
  ...(place && { node: place.fqdn }),
  ...(driven && { driven }),
  ...(died && { died: { ...died, at: new Date(died.at).toISOString() } }),
});

/** The view in lines: a name and a value. */
export function statusLines({ fingerprint, runs, phase, node, driven, died }: StatusView): string[] {
  const times = died?.times === 1 ? 'once' : `${died?.times} times`;
  const rows: [string, string][] = [
    ['fingerprint', fingerprint ?? 'none yet'],
    ['daemon', runs ? 'runs' : 'does not run'],
    ['status', phase],
    ['node', node ?? 'none'],
    ['driven for', driven ?? 'nothing is driven'],
  ];
  if (died) rows.push(['ended', `by itself ${times}, last ${died.at}: ${died.why}; the daemon starts it again`]);
  return rows.map(([name, value]) => `${name.padEnd(12)} ${value}`);
}
