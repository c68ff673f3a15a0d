import { secondMs } from '../../../../lib/core/time.ts';

/** How often the agent renews the lease, and looks whether cluster mode was installed or removed, in ms. */
export const lookEveryMs = 10 * secondMs;
