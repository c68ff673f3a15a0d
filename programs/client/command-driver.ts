import { minuteMs } from '../../lib/core/time.ts';
import { runCommand } from '../../lib/machine/command.ts';
import type { Driver } from './daemon.ts';

/** The time after which a driver is killed and counts as failed. At worst, bringing a minion up downloads packages. */
const driverLimitMs = 10 * minuteMs;

/** Drives by a command that the operator provides: `CMD start <node>` and `CMD stop`. Success is exit code 0. */
export const commandDriver = (line: string): Driver => ({
  start: (fqdn) => runCommand(line, ['start', fqdn], { limitMs: driverLimitMs }),
  stop: () => runCommand(line, ['stop'], { limitMs: driverLimitMs }),
});

/** Drives nothing: the machine only has a place. */
export const noDriver: Driver = {
  start: async () => ({ ok: true }),
  stop: async () => ({ ok: true }),
};
