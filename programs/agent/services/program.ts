import * as z from 'zod';
import { secondMs } from '../../../lib/core/time.ts';
import type { DesiredService } from '../../../lib/nodes/desired/desired.ts';

/** The services that the agent runs inside itself. */
export type Inside = 'm0d' | 'statistics' | 'supervisor' | 'recovery-supervisor' | 'recovery-coordinator';

/** The program of a service on this host: a command, work of the agent itself, or unknown. */
export type Program =
  | {
      readonly is: 'child';
      readonly command: readonly string[];
      readonly check?: readonly string[] | undefined;
      readonly variables: Readonly<Record<string, string>>;
    }
  | { readonly is: 'inside'; readonly does: Inside; readonly checkEveryMs?: number }
  | { readonly is: 'unknown'; readonly why: string };

const Command = z.array(z.string().min(1)).min(1);
const OfProcess = z.object({ command: Command, check: Command.optional(), environment: z.record(z.string(), z.string()).optional() });
const OfStatistics = z.object({ everyMs: z.int().positive().optional() });
/** How often statistics are taken by default. */
const statisticsEveryMs = 60 * secondMs;

/** The program to run for a service, by its type and its configuration. */
export function programOf({ program, check, configuration }: DesiredService): Program {
  if (program.is === 'command') return { is: 'child', command: program.start, check, variables: {} };
  const given = parsed(configuration);
  switch (program.does) {
    case 'process': {
      const read = OfProcess.safeParse(given);
      if (!read.success) return { is: 'unknown', why: 'its configuration names no command to run' };
      const { command, environment = {} } = read.data;
      return { is: 'child', command, check: read.data.check ?? check, variables: environment };
    }
    case 'statistics':
      return { is: 'inside', does: 'statistics', checkEveryMs: OfStatistics.safeParse(given).data?.everyMs ?? statisticsEveryMs };
    case 'm0d':
    case 'supervisor':
    case 'recovery-supervisor':
    case 'recovery-coordinator':
      return { is: 'inside', does: program.does };
    default:
      return { is: 'unknown', why: `this agent does not know how to run a ${program.does}` };
  }
}

/** Whether the check of the service decides that it is ready, and not the time that it has run. */
export function hasCheck(wanted: DesiredService): boolean {
  const program = programOf(wanted);
  // The service that drives processes is ready before all of them run.
  return program.is === 'inside' ? program.does === 'statistics' : program.is === 'child' && program.check !== undefined;
}

/** How often its health is checked while it is online, in ms; undefined: only on request. */
export function checkEveryOf(wanted: DesiredService): number | undefined {
  const program = programOf(wanted);
  const own = program.is === 'inside' ? program.checkEveryMs : undefined;
  return hasCheck(wanted) ? (wanted.checkEveryMs ?? own) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
