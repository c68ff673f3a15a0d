import type { AgentOptionsGiven } from '../options.ts';
import { type Check, missing, well } from './check.ts';
import { isThere } from './processes.ts';

/**
 * Whether this host can carry out orders on site as configured; reports nothing missing where it carries out none.
 * `path` is the PATH in which to look for commands.
 */
export function siteChecks({ powerCommand = [], secrets }: AgentOptionsGiven, { path }: { readonly path: string }): Check[] {
  const [program] = powerCommand;
  if (program === undefined) return [well('power program', 'none: as a station this host refuses to power-cycle others')];
  if (!isThere(program, path))
    return [missing('power program', `cannot be run: ${program}`, 'install it, or name another by power-command = COMMAND')];
  const needs = powerCommand.some((word) => word.includes('{passwordFile}'));
  return needs && secrets === undefined
    ? [missing('power program', `${program} needs passwords, and no file with passwords is set`, 'set secrets = FILE')]
    : [well('power program', program)];
}
