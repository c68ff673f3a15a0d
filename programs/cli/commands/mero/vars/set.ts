import { InvalidArgumentError } from 'commander';
import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { examples } from '../../../help.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../zone.ts';
import { showVars } from './get.ts';

type Given = Readonly<Record<string, number | boolean | null>>;

/** The options by which the original sets some of them. */
const flags = {
  recoveryExpiry: 'recovery_expiry',
  recoveryRetry: 'recovery_max_retries',
  keepaliveFrequency: 'keepalive_frequency',
  keepaliveTimeout: 'keepalive_timeout',
  notificationAggrDelay: 'notification_aggr_delay',
  notificationAggrMaxDelay: 'notification_aggr_max_delay',
  driveResetMaxRetries: 'drive_reset_max_retries',
} as const;
const switches = {
  disableSmartCheck: ['disable_smart_checks', true],
  disableNotificationFailure: ['failed_notification_fails_process', false],
} as const;
type Options = ZoneChoice & { readonly [F in keyof typeof flags]?: number } & { readonly [F in keyof typeof switches]?: true };

/** `mero vars set`: sets variables of a storage cluster. */
export const set: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('set'))
    .description('Set variables of a storage cluster: NAME=VALUE, or NAME= for the usual value')
    .argument('[variables...]', 'such as process_start_timeout=300', assigned);
  for (const [flag, name] of Object.entries(flags)) command.option(`--${dashed(flag)} <n>`, name, number);
  for (const [flag, [name, value]] of Object.entries(switches)) command.option(`--${dashed(flag)}`, `${name}=${value}`);
  command.action(async (given: Given | readonly never[], options: Options) => {
    const vars = { ...(Array.isArray(given) ? {} : (given as Given)), ...ofFlags(options) };
    if (Object.keys(vars).length === 0)
      throw new Failure(exitCodes.usage, 'nothing to set', 'Give a variable, such as process_start_timeout=300');
    const zone = await storageZone(cli, options);
    const { body } = await cli.call(contract.editMeroVars, { params: { zone }, body: { vars } });
    const set = body.items.filter(({ name }) => Object.hasOwn(vars, name));
    showVars(cli, set);
    for (const { name, effect, does } of set) if (effect === 'none') cli.say(`${name} has no effect here: ${does}`);
  });
  examples(
    command,
    cli.terminal.name,
    ['mero vars set process_start_timeout=300 process_max_start_attempts=10'],
    ['mero vars set process_start_timeout=', 'the usual value again'],
  );
};

const dashed = (flag: string): string => flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function ofFlags(options: Options): Given {
  const valued = Object.entries(flags).flatMap(([flag, name]) => {
    const value = options[flag as keyof typeof flags];
    return value === undefined ? [] : [[name, value] as const];
  });
  const on = Object.entries(switches).flatMap(([flag, [name, value]]) =>
    options[flag as keyof typeof switches] ? [[name, value] as const] : [],
  );
  return Object.fromEntries<number | boolean>([...valued, ...on]);
}

function number(text: string): number {
  if (!/^-?\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

function assigned(text: string, before: Given | undefined): Given {
  const [, name, value] = /^([a-z_]{1,64})=(-?\d{1,9}|true|false|)$/i.exec(text) ?? [];
  if (name === undefined)
    throw new InvalidArgumentError('It must be NAME=VALUE: a whole number, true or false, or nothing for the usual value.');
  const meant = value === '' ? null : /^-?\d/.test(value!) ? Number(value) : value!.toLowerCase() === 'true';
  return { ...(Array.isArray(before) ? {} : before), [name]: meant };
}
