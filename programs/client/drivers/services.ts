import { minuteMs } from '../../../lib/core/time.ts';
import { outputOfProgram, type Ran } from '../../../lib/machine/command.ts';
import { Unusable } from '../../../lib/machine/command-line.ts';

/** The state of a service, in systemd's terms; a unit that systemd does not know counts as inactive. */
export type ServiceState = 'active' | 'activating' | 'deactivating' | 'inactive' | 'failed';

/** The service manager of this machine. Its methods throw {@link Unusable} with the output of the service manager. */
export type Services = {
  state(unit: string): Promise<ServiceState>;
  start(unit: string): Promise<void>;
  stop(unit: string): Promise<void>;
};

/** How long one call of the service manager may take: systemd itself gives a unit 90 s to stop before it kills it. */
const callLimitMs = 2 * minuteMs;

/** Services by systemctl, or by another program that takes `start UNIT`, `stop UNIT` and `is-active UNIT`. */
export function systemctl(program: string): Services {
  const act = async (verb: 'start' | 'stop', unit: string) => {
    const { ended, out } = await ran(program, [verb, unit]);
    if (!ended.ok) throw new Unusable(`${program} ${verb} ${unit} failed (${ended.why})${out && `: ${out}`}`);
  };
  return {
    start: (unit) => act('start', unit),
    stop: (unit) => act('stop', unit),
    state: async (unit) => {
      // The exit code tells only whether the unit is active; the output names its state.
      const { ended, out } = await ran(program, ['is-active', unit]);
      const state = states[out.split('\n')[0]!.trim()];
      if (!state)
        throw new Unusable(
          `${program} is-active ${unit} did not name its state (${ended.ok ? 'exit code 0' : ended.why})${out && `: ${out}`}`,
        );
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

async function ran(program: string, args: readonly string[]): Promise<{ ended: Ran; out: string }> {
  const { ended, text, errors } = await outputOfProgram(program, args, { limitMs: callLimitMs });
  return { ended, out: (text.trim() || errors.trim()).slice(0, 500) };
}
