import { type Command, InvalidArgumentError, Option } from 'commander';
import { spanMs } from './arguments.ts';

/** An option that scripts for halonctl give to a verb, and that does nothing here: what does it now, in a line. */
export type FormerOption = { readonly verb: string; readonly flags: string; readonly says: string };

const roles = (noun: string): string => `roles are in the catalogue of the zone: ${noun} role put -f FILE adds them`;

/**
 * Those that do nothing. What the original has beside them does here what it did there; docs/storage-cluster.md has
 * both.
 */
export const formerOptions: readonly FormerOption[] = [
  { verb: 'mero load', flags: '-r, --roles <file>', says: roles('mero') },
  { verb: 'mero load', flags: '-s, --halonroles <file>', says: roles('halon') },
  { verb: 'mero load', flags: '--timeout <span>', says: 'a load says how far it is, and goes on where it was when it is repeated' },
  { verb: 'mero bootstrap', flags: '-r, --roles <file>', says: roles('mero') },
  { verb: 'mero bootstrap', flags: '-s, --halonroles <file>', says: roles('halon') },
  { verb: 'mero bootstrap', flags: '-v, --verbose', says: 'it says what it does at any time; --dry-run has the commands' },
  { verb: 'mero bootstrap', flags: '--mkfs-done', says: 'Muster makes no file systems, and waits for none' },
  { verb: 'mero status', flags: '--timeout <span>', says: 'it asks once, and the answer is waited for as with any call' },
  {
    verb: 'halon station',
    flags: '-r, --rs-lease <span>',
    says: 'how long a station counts as heard follows from the heartbeats of the deployment',
  },
  { verb: 'halon station', flags: '-t, --snapshot-timeout <span>', says: 'stations keep no state of Muster: there are no snapshots' },
  { verb: 'halon station', flags: '--snapshot-threshold <n>', says: 'stations keep no state of Muster: there are no snapshots' },
  { verb: 'halon node add', flags: '-t, --trackers <address>', says: 'an agent finds Muster at its endpoint, not by its stations' },
];

/** Adds them to the verbs of a program, out of its help; `say` is told what does the work of each that is given. */
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

/** Addresses that halonctl is told before its verbs: where to call, one or more, and where to listen itself. */
const address = /^(-a|--address|-l|--listen)(=.*)?$/;

/**
 * A command line without what halonctl is told before its first word: the addresses of its own protocol, which is not
 * ours. After that word `-a` is `--async` or `--attribute`, as the verb has it. `say` is told what says it now.
 */
export function withoutAddresses(words: readonly string[], say: (line: string) => void): readonly string[] {
  let at = 0;
  while (address.test(words[at] ?? '')) at += words[at]!.includes('=') ? 1 : 2;
  if (at > 0) say('addresses of halonctl do nothing: --endpoint or MUSTER_ENDPOINT say where Muster is');
  return words.slice(at);
}

/** How long to wait, in ms: a span, or as halonctl takes it a number of microseconds. */
export function waitMs(text: string): number {
  if (!/^\d+$/.test(text)) return spanMs(text);
  const ms = Math.ceil(Number(text) / 1000);
  // A script that means seconds would wait for nothing.
  if (ms < 1000) throw new InvalidArgumentError('A bare number is in microseconds, and less than a second. Say 10s or 5m.');
  return ms;
}
