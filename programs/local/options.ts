import { parseArgs } from 'node:util';
import { MusterError } from '../../lib/core/errors.ts';

/** The options of `npm start`: the variable that each replaces, its value, and its purpose. */
const options = {
  bind: ['MUSTER_BIND', 'address', 'the address to listen on, 127.0.0.1 unless given'],
  port: ['MUSTER_PORT', 'n', 'the port, 8080 unless given; 0 picks a free one'],
  'tls-cert': ['MUSTER_TLS_CERT', 'file', 'the certificate with its chain, in PEM'],
  'tls-key': ['MUSTER_TLS_KEY', 'file', 'its key, in PEM'],
  'trust-proxy': ['MUSTER_TRUST_PROXY', 'networks', 'the networks of the proxies in front, or loopback'],
  names: ['MUSTER_NAMES', 'names', 'the names that callers use, comma-separated'],
  'webhooks-loopback': ['MUSTER_WEBHOOKS_LOOPBACK', 'on', 'webhooks may be delivered to this machine itself'],
} as const;

/** Variables without an option that are useful from the start. */
const variables = {
  MUSTER_HOME: 'the state folder, .muster unless given',
  MUSTER_LOG: 'the least level that is logged: debug, info, warn or error; warn unless given',
} as const;

/** Whether these arguments ask for help. */
export const asksForHelp = (args: readonly string[]): boolean => args.includes('--help') || args.includes('-h');

/** The text that `npm start -- --help` prints. */
export function helpText(): string {
  const rows = Object.entries(options).map(([name, [variable, follows, does]]) => [`--${name} <${follows}>`, variable, does]);
  const line = ([option, variable, does]: readonly string[]): string => `  ${option!.padEnd(26)}  ${variable!.padEnd(24)}  ${does}`;
  return [
    'Usage: npm start -- [options]',
    '',
    'Runs Muster on this machine, its state in one folder, until Ctrl-C. An option wins over its variable.',
    '',
    ...rows.map(line),
    ...Object.entries(variables).map(([variable, does]) => line(['', variable, does])),
    '',
    'All settings: docs/embedded.md',
    '',
  ].join('\n');
}

/**
 * The variables that these arguments set. Throws a MusterError `usage` for an unknown option, or one without its value.
 */
export function optionsIn(args: readonly string[]): Record<string, string> {
  const known = Object.fromEntries(Object.keys(options).map((name) => [name, { type: 'string' as const }]));
  try {
    const { values } = parseArgs({ args: [...args], options: known, strict: true, allowPositionals: false });
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [options[name as keyof typeof options][0], String(value)]));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const names = Object.keys(options).map((name) => `--${name}`);
    throw new MusterError('usage', `${error.message}; the options are ${names.join(', ')}`, 'never', { cause: error });
  }
}
