import { type Command, InvalidArgumentError, Option } from 'commander';
import { spanMs } from './arguments.ts';

/** An option that scripts for halonctl give to a verb, and that does nothing here; `says` is the reason, in a line. */
export type FormerOption = { readonly verb: string; readonly flags: string; readonly says: string };

const roles = (noun: string): string => `the zone has a catalogue of roles: ${noun} role put -f FILE adds to it`;

/** The options that do nothing. The original's other options do the same here; docs/storage-cluster.md lists both. */
export const formerOptions: readonly FormerOption[] = [
  { verb: 'mero load', flags: '-r, --roles <file>', says: roles('mero') },
  { verb: 'mero load', flags: '-s, --halonroles <file>', says: roles('halon') },
  { verb: 'mero load', flags: '--timeout <span>', says: 'a load shows its progress, and a repeated load continues where it stopped' },
  { verb: 'mero bootstrap', flags: '-r, --roles <file>', says: roles('mero') },
  { verb: 'mero bootstrap', flags: '-s, --halonroles <file>', says: roles('halon') },
  { verb: 'mero bootstrap', flags: '-v, --verbose', says: 'it always shows what it does; --dry-run prints the commands' },
  { verb: 'mero bootstrap', flags: '--mkfs-done', says: 'Muster makes no file systems, and waits for none' },
  { verb: 'mero status', flags: '--timeout <span>', says: 'it makes one call, and waits for the answer as every command does' },
  {
    verb: 'halon station',
    flags: '-r, --rs-lease <span>',
    says: 'the heartbeats of the deployment determine how long a station counts as heard',
  },
  { verb: 'halon station', flags: '-t, --snapshot-timeout <span>', says: 'stations keep no state of Muster: there are no snapshots' },
  { verb: 'halon station', flags: '--snapshot-threshold <n>', says: 'stations keep no state of Muster: there are no snapshots' },
  { verb: 'halon node add', flags: '-t, --trackers <address>', says: 'an agent finds Muster at its endpoint, not by its stations' },
];

/** Adds them to the verbs of a program, hidden from help. `say` gets the reason for each that is given. */
export function withFormerOptions(program: Command, say: (line: string) => void): void {
  for (const { verb, flags, says } of formerOptions) {
    const option = new Option(flags, says).hideHelp();
    const command = commandAt(program, verb);
    command.addOption(option);
    command.on(`option:${option.name()}`, () => say(`${option.long} does nothing: ${says}`));
  }
}

function commandAt(program: Command, verb: string): Command {
  const found = verb.split(' ').reduce<Command | undefined>((at, word) => at?.commands.find((one) => one.name() === word), program);
  if (!found) throw new Error(`there is no verb ${verb}`);
  return found;
}

/** Addresses that halonctl takes before its verbs: where to call, one or more, and where to listen itself. */
const address = /^(-a|--address|-l|--listen)(=.*)?$/;

/**
 * A command line without the addresses of halonctl's own protocol, which it takes before the first word. After that
 * word `-a` is `--async` or `--attribute`, as the verb has it. `say` gets the replacement.
 */
export function withoutAddresses(words: readonly string[], say: (line: string) => void): readonly string[] {
  let at = 0;
  while (address.test(words[at] ?? '')) at += words[at]!.includes('=') ? 1 : 2;
  if (at > 0) say('the addresses of halonctl do nothing: --endpoint or MUSTER_ENDPOINT gives the address of Muster');
  return words.slice(at);
}

/** How long to wait, in ms: a span, or as halonctl takes it a number of microseconds. */
export function waitMs(text: string): number {
  if (!/^\d+$/.test(text)) return spanMs(text);
  const ms = Math.ceil(Number(text) / 1000);
  // A script that means seconds would hardly wait.
  if (ms < 1000)
    throw new InvalidArgumentError('A number without a unit is in microseconds, here less than a second. Give a span such as 10s or 5m.');
  return ms;
}
