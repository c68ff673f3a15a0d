import type { Command } from 'commander';
import type { BuiltIn } from '../built-in.ts';
import { configurationOf, configure } from '../configuration-file.ts';
import { mendable } from './mendable.ts';

/** One setting of the agent, and where its value comes from. */
export type Value = { readonly name: string; readonly value: string; readonly by: string };
/** The settings of the agent, with the configuration file, if any; or why that file cannot be used. */
export type GivenSettings = { readonly file?: string; readonly fault?: string; readonly values: readonly Value[] };

/**
 * Makes a program read its configuration file, and gives all its settings. Never throws for a fault that an operator
 * can fix.
 */
export function settingsOf(program: Command, builtIn: BuiltIn): GivenSettings {
  const read = mendable(() => {
    configure(program, builtIn);
    return configurationOf(program, builtIn)?.path;
  });
  const values = program.options.flatMap((option): Value[] => {
    const name = option.attributeName();
    const value: unknown = program.getOptionValue(name);
    if (value === undefined) return [];
    const source = program.getOptionValueSource(name);
    const ways = new Map([
      ['cli', `the flag ${option.long}`],
      ['env', `${option.envVar} in the environment`],
      ['config', `the file ${read.ok ? read.value : ''}`],
    ]);
    return [{ name: option.name(), value: textOf(name, value), by: ways.get(source ?? '') ?? 'default' }];
  });
  return { values, ...(read.ok ? read.value !== undefined && { file: read.value } : { fault: read.why }) };
}

/** A value as people read it, without secrets. */
function textOf(name: string, value: unknown): string {
  if (name === 'token') return 'not shown';
  if (name === 'powerCommand') return (value as readonly string[]).join(' ') || 'none';
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(',') || 'none';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
