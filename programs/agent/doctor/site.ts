import type { AgentOptionsGiven } from '../options.ts';
import { type Check, missing, well } from './check.ts';
import { isThere } from './processes.ts';

/**
 * Whether orders on site can be carried out as this host is told to; nothing is missing where it carries out none.
 * `path` is where commands are looked for.
 */
export function siteChecks({ powerCommand = [], secrets }: AgentOptionsGiven, { path }: { readonly path: string }): Check[] {
  const [program] = powerCommand;
  if (program === undefined) return [well('power program', 'none: as a station this host refuses to power-cycle others')];
  if (!isThere(program, path))
    return [missing('power program', `cannot be run: ${program}`, 'install it, or name another by power-command = COMMAND')];
  const needs = powerCommand.some((word) => word.includes('{passwordFile}'));
  return needs && secrets === undefined
    ? [missing('power program', `${program} needs passwords, and no file of them is named`, 'name one by secrets = FILE')]
    : [well('power program', program)];
}
