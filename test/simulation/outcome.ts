import type { Config, FaultKind } from './config.ts';

/** An invariant that did not hold: which, what was seen, when in ms since the beginning, and after how many steps. */
export type Violation = { readonly invariant: string; readonly what: string; readonly atMs: number; readonly step: number };

/** What became of one history. */
export type Outcome = {
  readonly config: Config;
  /** The first violations, in order; none is what we want. */
  readonly violations: readonly Violation[];
  /** The same for the same configuration and code, whenever it is run. */
  readonly hash: string;
  readonly steps: number;
  readonly virtualMs: number;
  /** How often each kind of fault happened. */
  readonly fired: Readonly<Record<FaultKind, number>>;
};

/** How to run one: a trace hears every step; what is after `untilMs` since the beginning is not asked for. */
export type RunOptions = { readonly onStep?: (atMs: number, label: string) => void; readonly untilMs?: number };
