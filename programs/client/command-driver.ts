import { minuteMs } from '../../lib/core/time.ts';
import { runCommand } from '../../lib/machine/command.ts';
import type { Driver } from './daemon.ts';

/**
 * How long a driver may take before it is killed and counts as failed: bringing a minion up means package downloads at
 * worst.
 */
const driverLimitMs = 10 * minuteMs;

/** Drives by a command of the operator's: `CMD start <node>` and `CMD stop`; success is exit code 0. */
export const commandDriver = (line: string): Driver => ({
  start: (fqdn) => runCommand(line, ['start', fqdn], { limitMs: driverLimitMs }),
  stop: () => runCommand(line, ['stop'], { limitMs: driverLimitMs }),
});

/** Drives nothing: the machine has no more than a place. */
export const noDriver: Driver = {
  start: async () => ({ ok: true }),
  stop: async () => ({ ok: true }),
};
