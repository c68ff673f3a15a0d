import { MusterError } from '../../core/errors.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Keys } from '../../ports/keys/keys.ts';
import { overlayTable } from '../../ports/table/overlay.ts';
import type { Shell } from '../../runtime/shell.ts';

/** A copy of the deployment in memory, and the way to let time pass in it. */
export type Copy = { readonly shell: Shell; readonly passTo: (at: EpochMs) => void };

/**
 * A shell on which the functions of production run without effect: its table keeps commits to itself, its time is
 * virtual, it logs nothing, because alarms count log lines, and it has nobody to send to. Throws when a function sends
 * or signs all the same.
 */
export function copyOf({ table, now, settings: { rates: _unlimited, ...settings } }: Shell): Copy {
  let at = now();
  let ids = 0;
  const shell: Shell = {
    table: overlayTable(table),
    queue: { send: acts('send a message'), depth: acts('look at a queue') },
    bus: { publish: acts('publish an event') },
    keys: noKeys,
    auditKeys: noKeys,
    now: () => at,
    newId: () => {
      ids += 1;
      return `preview-${ids}`;
    },
    randomBytes: () => refused('make a secret'),
    random: () => 0.5,
    sleep: async () => {},
    log: () => {},
    // A zone in its cache is as the last commit left it: time that passes does not change it.
    settings: { ...settings, zoneMaxAgeMs: 0 },
    caches: new Map(),
  };
  return {
    shell,
    passTo: (next) => {
      at = next;
    },
  };
}

const refused = (what: string): never => {
  throw new MusterError('preview.acts', `a preview tried to ${what}`, 'never');
};

const acts = (what: string) => async (): Promise<never> => refused(what);

const noKeys: Keys = {
  current: acts('sign'),
  byId: acts('verify'),
  known: () => undefined,
  ages: acts('list keys'),
  rotate: acts('rotate keys'),
};
