import type { MusterFunction } from '../../lib/runtime/function.ts';

/** Every function of the version before, by the name its wiring gave it. Throws and catches the present classes of lib/errors.ts. */
export declare const functions: Readonly<Record<string, MusterFunction>>;
