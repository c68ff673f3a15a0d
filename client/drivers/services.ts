import { execFile } from 'node:child_process';
import { Unusable } from '../../lib/machine/command-line.ts';
import { minuteMs } from '../../lib/units.ts';

/** How a service stands, in systemd's words; what it does not know of is not running either. */
export type ServiceState = 'active' | 'activating' | 'deactivating' | 'inactive' | 'failed';

/** Who runs services on this machine. Its verbs throw {@link Unusable} with what the service manager said. */
export type Services = {
  state(unit: string): Promise<ServiceState>;
  start(unit: string): Promise<void>;
  stop(unit: string): Promise<void>;
};

/** How long one call of the service manager may take: systemd itself gives a unit 90 s to stop before it kills it. */
const callLimitMs = 2 * minuteMs;

/** Services by systemctl, or by another program that knows its words `start UNIT`, `stop UNIT` and `is-active UNIT`. */
export function systemctl(program: string): Services {
  const act = async (verb: 'start' | 'stop', unit: string) => {
    const { code, out } = await ran(program, [verb, unit]);
    if (code !== 0) throw new Unusable(`${program} ${verb} ${unit} failed (${code})${out && `: ${out}`}`);
  };
  return {
    start: (unit) => act('start', unit),
    stop: (unit) => act('stop', unit),
    state: async (unit) => {
      // Its exit code says only whether it is active; the word says the rest.
      const { code, out } = await ran(program, ['is-active', unit]);
      const state = states[out.split('\n')[0]!.trim()];
      if (!state) throw new Unusable(`${program} is-active ${unit} did not say how it stands (${code})${out && `: ${out}`}`);
      return state;
    },
  };
}

const states: Readonly<Record<string, ServiceState>> = {
  active: 'active',
  reloading: 'active',
  refreshing: 'active',
  activating: 'activating',
  deactivating: 'deactivating',
  inactive: 'inactive',
  unknown: 'inactive',
  maintenance: 'failed',
  failed: 'failed',
};

function ran(program: string, args: readonly string[]): Promise<{ code: number | string; out: string }> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: callLimitMs, encoding: 'utf8' }, (error, stdout, stderr) => {
      const out = (stdout.trim() || stderr.trim()).slice(0, 500);
      resolve({ code: error ? (error.signal ?? error.code ?? error.message) : 0, out });
    });
  });
}
