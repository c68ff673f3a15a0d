import * as z from 'zod';
import { secondMs } from '../../../lib/core/time.ts';
import type { DesiredService } from '../../../lib/nodes/desired/desired.ts';

/** What the agent does itself. */
export type Inside = 'm0d' | 'statistics' | 'supervisor' | 'recovery-supervisor' | 'recovery-coordinator';

/** What a service is on this host: a command, something that the agent does itself, or nothing that it knows. */
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
/** How often statistics are taken when nobody says. */
const statisticsEveryMs = 60 * secondMs;

/** What is to be run for a service, by its type and its configuration. */
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

/** Whether the service is ready once its check says so, and not by having lived for a moment. */
export function hasCheck(wanted: DesiredService): boolean {
  const program = programOf(wanted);
  // That not all processes run yet is no reason why the service that drives them is not there.
  return program.is === 'inside' ? program.does === 'statistics' : program.is === 'child' && program.check !== undefined;
}

/** How often its health is looked at while it is online, in ms; undefined: only when somebody asks. */
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
