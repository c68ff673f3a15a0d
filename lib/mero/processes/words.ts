import type { MeroProcess } from './process.ts';
import type { DisplayedState } from './rows/shown.ts';

/** The name of a state in a status, and details if there are any. */
export type StateText = { readonly state: string; readonly extended?: string };

/** A process's state as the original's status words it. */
export function processStateText(state: DisplayedState): StateText {
  switch (state.is) {
    case 'failed':
      return { state: 'failed', extended: `failed: ${state.reason}` };
    case 'inhibited':
      return { state: 'inhibited', extended: `inhibited (${state.previous})` };
    default:
      return { state: state.is };
  }
}

/** The kind of a process, in the original's word: an application by its name, a server by the services that it has. */
export function typeText({ type, services }: Pick<MeroProcess, 'type' | 'services'>): string {
  const has = (service: string): boolean => services.some((one) => one.type === service);
  switch (type.tag) {
    case 'PLHalon':
      return 'halon';
    case 'PLM0t1fs':
      return 'm0t1fs';
    case 'PLClovis':
      return type.contents[0];
    case 'PLM0d':
      return has('CST_IOS') ? 'ioservice' : has('CST_MDS') ? 'mdservice' : has('CST_CONFD') ? 'confd' : 'm0d';
  }
}
