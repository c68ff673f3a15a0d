import measured from './units.json' with { type: 'json' };

/** The usage of one run or operation; a missing field is 0. */
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
 * The usage of operations by function, and quantities that grow with size. `node tools/bench/units.ts --write` makes
 * them from the present code, which a test compares.
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
