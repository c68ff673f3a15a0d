import measured from './units.json' with { type: 'json' };

/** What one run or operation uses; what is left out is 0. */
export type Usage = {
  readonly runs?: number;
  readonly reads?: number;
  readonly writes?: number;
  readonly sends?: number;
  readonly published?: number;
  readonly logBytes?: number;
  readonly waits?: number;
};

/** An operation of the control plane that was measured. */
export type Operation = keyof typeof measured.operations;

/**
 * What operations use by function, and what grows with size: made by `node tools/bench/units.ts --write` from the code
 * as it is, which a test compares.
 */
export const units: {
  readonly operations: Readonly<Record<Operation, Readonly<Record<string, Usage>>>>;
  readonly sizes: {
    readonly bytesPerClient: number;
    readonly bytesPerNode: number;
    readonly digestWrites: readonly { readonly clients: number; readonly writes: number }[];
    readonly countSteps: readonly { readonly slots: number; readonly usage: Usage }[];
    readonly countReadsPerThousand: number;
    readonly mapPageWrites: number;
    readonly listPerThousand: { readonly reads: number; readonly writes: number };
  };
} = measured;
