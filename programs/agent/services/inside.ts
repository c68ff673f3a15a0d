import { appendFileSync, mkdirSync, renameSync, statfsSync, statSync } from 'node:fs';
import { freemem, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import type { EpochMs } from '../../../lib/core/time.ts';
import type { Ran } from '../../../lib/machine/command.ts';
import type { DesiredService } from '../../../lib/nodes/desired/desired.ts';
import { ocf, type Result, type Run } from './command.ts';
import { programOf } from './program.ts';

/** The options of the services that the agent runs inside itself. */
export type InsideOptions = {
  /** The folder for their files. */
  readonly folder: string;
  /**
   * How many processes of a storage cluster run here, of how many that should; undefined where this agent runs none.
   */
  processes(): { readonly online: number; readonly wanted: number } | undefined;
  /** The hosts that the supervisor of this host watches and misses. */
  supervisor(): { readonly looks: boolean; readonly says: string };
  /** The part of this host that works as a station of its zone. */
  readonly site: Site;
  now(): EpochMs;
};

/** A station: whether it looks for the others, whether it acts on site, and its actions there. */
export type Site = {
  readonly supervisor: { status(): { readonly looks: boolean; readonly says: string } };
  readonly coordinator: { status(): { readonly acts: boolean; readonly says: string } };
  /** Carries out an order on site from its message, for `limitMs` at most; never rejects. */
  carryOut(data: string | undefined, limitMs: number): Promise<Result>;
};

const mib = 2 ** 20;
const gib = 2 ** 30;
/** The size above which the log of statistics starts anew: a line a minute for a week is 1 MB. */
const logBytesMax = mib;

/** The services that have no process of their own. */
export class Inside {
  readonly #options: InsideOptions;

  /** Runs nothing by itself: it answers questions. */
  constructor(options: InsideOptions) {
    this.#options = options;
  }

  /** Whether the service can run here. */
  start(service: DesiredService): Ran {
    const program = programOf(service);
    const isMissing = program.is === 'inside' && program.does === 'm0d' && !this.#options.processes();
    return isMissing ? { ok: false, why: 'this agent runs no processes of a storage cluster (--processes off)' } : { ok: true };
  }

  /** The answer to a check, a status or a message. The check of statistics also logs them. */
  command(service: DesiredService, { what, message, data }: Run): Result | Promise<Result> {
    if (what === 'message' && message === 'power-cycle' && isCoordinator(service)) return this.#options.site.carryOut(data, service.askMs);
    if (what === 'message') return { exit: ocf.unimplemented, says: `${service.service} does not understand ${message}` };
    const program = programOf(service);
    switch (program.is === 'inside' ? program.does : undefined) {
      case 'm0d':
        return this.#processes();
      case 'supervisor':
        return looking(this.#options.supervisor());
      case 'recovery-supervisor':
        return looking(this.#options.site.supervisor.status());
      case 'recovery-coordinator':
        return this.#coordinator();
      default:
        return this.#statistics(service, what);
    }
  }

  #coordinator(): Result {
    const { acts, says } = this.#options.site.coordinator.status();
    return { exit: acts ? 0 : ocf.generic, says };
  }

  #processes(): Result {
    const { online, wanted } = this.#options.processes() ?? { online: 0, wanted: 0 };
    return { exit: online === wanted ? 0 : ocf.generic, says: `${online} of ${wanted} processes run` };
  }

  #statistics({ service }: DesiredService, what: 'check' | 'status'): Result {
    const { folder, now } = this.#options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const says = statisticsOf(folder);
    if (what === 'check') appendLine(join(folder, `${service}.log`), `${new Date(now()).toISOString()} ${says}`);
    return { exit: 0, says };
  }
}

/** The status of a part that looks for others, as a result. */
const looking = ({ looks, says }: { readonly looks: boolean; readonly says: string }): Result => ({ exit: looks ? 0 : ocf.generic, says });

/** Load, memory and disk of this host in a line; the disk is the one that this folder is on. */
function statisticsOf(folder: string): string {
  const { bsize, blocks, bavail } = statfsSync(folder);
  const loads = loadavg().map((load) => load.toFixed(2));
  const memory = `${Math.floor((totalmem() - freemem()) / mib)} of ${Math.floor(totalmem() / mib)} MiB`;
  const disk = `${(((blocks - bavail) * bsize) / gib).toFixed(1)} of ${((blocks * bsize) / gib).toFixed(1)} GiB`;
  return `load ${loads.join(' ')}; memory ${memory}; disk ${disk}`;
}

function appendLine(file: string, line: string): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > logBytesMax) renameSync(file, `${file}.before`);
  appendFileSync(file, `${line}\n`, { mode: 0o600 });
}

function isCoordinator(service: DesiredService): boolean {
  const program = programOf(service);
  return program.is === 'inside' && program.does === 'recovery-coordinator';
}
