import { parseArgs } from 'node:util';
import { MusterError } from '../lib/errors.ts';

/** The options of `npm start`, each with the variable in whose place it stands. */
const variables = {
  bind: 'MUSTER_BIND',
  port: 'MUSTER_PORT',
  'tls-cert': 'MUSTER_TLS_CERT',
  'tls-key': 'MUSTER_TLS_KEY',
  'trust-proxy': 'MUSTER_TRUST_PROXY',
  names: 'MUSTER_NAMES',
  'webhooks-loopback': 'MUSTER_WEBHOOKS_LOOPBACK',
} as const;

/** The variables that these arguments set. Throws a MusterError `usage` for an option that there is not, or one without its value. */
export function optionsIn(args: readonly string[]): Record<string, string> {
  const options = Object.fromEntries(Object.keys(variables).map((name) => [name, { type: 'string' as const }]));
  try {
    const { values } = parseArgs({ args: [...args], options, strict: true, allowPositionals: false });
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [variables[name as keyof typeof variables], String(value)]));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const known = Object.keys(variables).map((name) => `--${name}`);
    throw new MusterError('usage', `${error.message}; the options are ${known.join(', ')}`, 'never', { cause: error });
  }
}
