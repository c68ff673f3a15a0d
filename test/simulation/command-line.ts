import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { count, spanMs } from '../../programs/cli/arguments.ts';
import { exitCodes } from '../../programs/cli/exit-codes.ts';
import { examples } from '../../programs/cli/help.ts';
import { type FaultKind, faultKinds, faultNames } from './config.ts';
import { GivenConfig } from './configuration.ts';
import { seedsOfDay } from './night.ts';
import { bugs } from './planted/bugs.ts';

/** The seeds from one to another, both included; without an end there is always one more. */
export type SeedRange = { readonly from: number; readonly to: number };

/** What a command line asks for. */
export type Asked = {
  readonly seeds: SeedRange;
  /** One history only, and of its own configuration: what `--config` gave. */
  readonly config: GivenConfig | undefined;
  /** Whether seeds draw histories of the gateway. */
  readonly gateway: boolean;
  readonly trace: boolean;
  /** How many of the last steps a trace shows. */
  readonly tail: number;
  /** No seed begins after so many ms. */
  readonly forMs: number;
  readonly jobs: number;
  /** The kinds of faults that may happen. */
  readonly kinds: readonly FaultKind[];
  /** The planted bug that the code is to have. */
  readonly planted: string | undefined;
  /** Where failing histories are kept; undefined when none are run first or kept. */
  readonly regressions: string | undefined;
  /** Which share of them is run first, counted from 1. */
  readonly turn: Turn;
  readonly json: boolean;
  /** Where a page about all of it is written; undefined when none is. */
  readonly report: string | undefined;
};

/** A share of so many. */
export type Turn = { readonly n: number; readonly of: number };

/** A command line that asks for nothing that can be done, or for help: what there is to say has been said. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('nothing to run');
    this.exitCode = exitCode;
  }
}

const name = 'npm run simulate --';
const seedsMax = 2 ** 32 - 1;
const seedsDefault = 1000;

/**
 * Reads a command line, the program's name left out. `file` is where regressions are kept unless told otherwise. Throws
 * {@link Refused}.
 */
export function askedBy(
  words: readonly string[],
  file: string,
  write: { out: (text: string) => void; err: (text: string) => void },
): Asked {
  const program = programOn(file, write);
  try {
    program.parse(words, { from: 'user' });
    return asked(program);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw new Refused(error.exitCode === 0 ? exitCodes.done : exitCodes.usage);
  }
}

type Given = {
  readonly seeds?: SeedRange;
  readonly seed?: number;
  readonly day?: SeedRange;
  readonly config?: GivenConfig;
  readonly gateway?: true;
  readonly trace?: true;
  readonly tail?: number;
  readonly for?: number;
  readonly jobs: number;
  readonly only?: FaultKind[];
  readonly no?: FaultKind[];
  readonly planted?: string;
  readonly regressions: string;
  readonly turn: Turn;
  readonly json?: true;
  readonly report?: string;
};

function asked(program: Command): Asked {
  const given = program.opts<Given>();
  const isOne = given.seed !== undefined || given.config !== undefined;
  if (given.trace && !isOne) program.error('error: --trace shows one history: say which with --seed or --config');
  if (given.tail !== undefined && !given.trace) program.error('error: --tail is of a trace: give --trace too');
  return {
    seeds: given.seed === undefined ? (given.seeds ?? given.day ?? rangeFor(given.for)) : { from: given.seed, to: given.seed },
    config: given.config,
    gateway: given.gateway ?? false,
    trace: given.trace ?? false,
    tail: given.tail ?? Number.POSITIVE_INFINITY,
    forMs: given.for ?? Number.POSITIVE_INFINITY,
    jobs: given.jobs,
    kinds: (given.only ?? faultNames).filter((kind) => !given.no?.includes(kind)),
    planted: given.planted,
    // One history is looked at by itself; a planted bug is none that anybody has to mend.
    regressions: isOne || given.planted !== undefined ? undefined : given.regressions,
    turn: given.turn,
    json: given.json ?? false,
    report: given.report,
  };
}

const rangeFor = (forMs: number | undefined): SeedRange => ({ from: 1, to: forMs === undefined ? seedsDefault : seedsMax });

function programOn(file: string, { out, err }: { out: (text: string) => void; err: (text: string) => void }): Command {
  const program = new Command(name)
    .description(
      'Runs histories of a simulated cluster, each drawn by its seed, and looks for an invariant that does not hold. What fails is made as small as it goes, kept, and run first from then on.',
    )
    .addOption(
      new Option(
        '--seeds <range>',
        `which histories, such as 1..5000, or 1.. without an end (default: 1..${seedsDefault}, with --for 1..)`,
      ).argParser(range),
    )
    .addOption(new Option('--seed <n>', 'this history alone').argParser(seed).conflicts(['seeds', 'config', 'day']))
    .addOption(
      new Option('--day <date>', 'seeds that are run on no other day, such as 2026-11-23').argParser(day).conflicts(['seeds', 'config']),
    )
    .addOption(
      new Option('--config <json>', 'this history alone; what it does not say is as its seed draws it')
        .argParser(config)
        .conflicts(['seeds', 'only', 'no']),
    )
    .addOption(new Option('--gateway', 'histories of the gateway, and not of a deployment').conflicts(['config', 'day']))
    .option('--trace', 'print every step of the one history')
    .option('--tail <n>', 'only so many of its last steps', count)
    .option('--for <span>', 'begin no history after so long, such as 60s, from the first seed on', spanMs)
    .addOption(new Option('--jobs <n>', 'how many histories at once').argParser(jobs).default(1))
    .option('--only <kinds>', 'no other kinds of faults than these, with commas between; none for no faults at all', kinds)
    .option('--no <kinds>', 'not these kinds of faults', kinds)
    .option('--planted <bug>', 'run code that has this planted bug (test/simulation/planted)', planted)
    .addOption(new Option('--regressions <file>', 'where failing histories are kept').default(file, 'test/simulation/regressions.json'))
    .addOption(
      new Option('--turn <n/of>', 'of the histories that failed once, only this share, such as 2/3')
        .argParser(turn)
        .default({ n: 1, of: 1 }, '1/1'),
    )
    .option('--json', 'print the summary as JSON')
    .option('--report <file>', 'write a page in Markdown: what was run, and each violation with the command that replays it')
    .configureOutput({ writeOut: out, writeErr: err, outputError: (text, write) => write(text.replace(/^error: /, 'simulate: ')) })
    .allowExcessArguments(false)
    .exitOverride();
  program.addHelpText('after', `\nKinds of faults:\n${faultLines()}`);
  return examples(
    program,
    name,
    ['--seeds 1..5000 --jobs 2'],
    ['--for 60s', 'as many as fit into a minute'],
    ['--day 2026-11-23 --for 8h --jobs 2 --report night.md', 'a night'],
    ['--seed 17 --trace --tail 200', 'the last steps of one history'],
    ['--gateway --for 60s', 'the gateway before servers that hang, lie and die in the middle of an answer'],
    ['--seeds 1..200 --only crash,time-out', 'two kinds of faults, where a seed has them'],
  );
}

const faultLines = (): string => {
  const width = Math.max(...faultNames.map((kind) => kind.length));
  return faultNames.map((kind) => `  ${kind.padEnd(width)}  ${faultKinds[kind]}`).join('\n');
};

function range(text: string): SeedRange {
  const [, from, to] = /^(\d{1,10})\.\.(\d{1,10})?$/.exec(text) ?? [];
  const seeds = { from: Number(from), to: to === undefined ? seedsMax : Number(to) };
  if (from === undefined || seeds.from > seeds.to || seeds.to > seedsMax)
    throw new InvalidArgumentError('It is a range such as 1..5000, or 1.. without an end.');
  return seeds;
}

function day(text: string): SeedRange {
  if (!/^20\d{2}-\d{2}-\d{2}$/.test(text) || Number.isNaN(Date.parse(text)) || seedsOfDay(text).to > seedsMax)
    throw new InvalidArgumentError('It is a day such as 2026-11-23, up to 2086.');
  return seedsOfDay(text);
}

function seed(text: string): number {
  const n = count(text);
  if (n > seedsMax) throw new InvalidArgumentError(`It is a whole number up to ${seedsMax}.`);
  return n;
}

function jobs(text: string): number {
  if (!/^([1-9]|[1-5]\d|6[0-4])$/.test(text)) throw new InvalidArgumentError('It is a number from 1 to 64.');
  return Number(text);
}

function turn(text: string): Turn {
  const [, n, of] = /^([1-9]\d?)\/([1-9]\d?)$/.exec(text) ?? [];
  if (n === undefined || Number(n) > Number(of)) throw new InvalidArgumentError('It is a share of so many, such as 2/3.');
  return { n: Number(n), of: Number(of) };
}

function kinds(text: string): FaultKind[] {
  if (text === 'none') return [];
  const named = text.split(',');
  const unknown = named.find((kind) => !(faultNames as string[]).includes(kind));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`There is no kind of fault called ${JSON.stringify(unknown)}; --help names them.`);
  return named as FaultKind[];
}

function planted(text: string): string {
  if (!bugs.some(({ name }) => name === text))
    throw new InvalidArgumentError('It is the name of a bug in test/simulation/planted/bugs.ts.');
  return text;
}

function config(text: string): GivenConfig {
  try {
    return GivenConfig.parse(JSON.parse(text));
  } catch (error) {
    throw new InvalidArgumentError(`It is a configuration such as {"seed":17,"nodes":2}: ${whyNot(error)}.`);
  }
}

const whyNot = (error: unknown): string => {
  const issue = (error as { issues?: readonly { path: PropertyKey[]; message: string }[] }).issues?.[0];
  return issue ? [issue.path.join('.'), issue.message].filter(Boolean).join(': ') : 'this is no JSON';
};
