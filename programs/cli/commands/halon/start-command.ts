import { InvalidArgumentError } from 'commander';

/** The values of each host for the names in a command template. */
export type HostValues = Readonly<Record<'host' | 'endpoint' | 'token' | 'zone' | 'kind', string>>;
/** A command template: words, with names in braces for what is each host's own. */
export type StartTemplate = readonly [string, ...string[]];

const names = ['host', 'endpoint', 'token', 'zone', 'kind'] as const satisfies readonly (keyof HostValues)[];
const placeholder = /\{(\w+)\}/g;

/**
 * The command that starts an agent of the package by ssh. The token comes on standard input, so that it is in no list
 * of processes, and is stored where the agent looks for it before the agent is started. The shell on the host reads the
 * words after the host, as ssh has it.
 */
export const sshDefault =
  "ssh -o BatchMode=yes -o ConnectTimeout=10 {host} sudo sh -c 'umask 077 && mkdir -p /var/lib/muster-agent && cd /var/lib/muster-agent && cat >token && echo {endpoint} >endpoint && systemctl enable muster-agent && systemctl restart muster-agent'";

/** Reads a template. Throws commander's error for one without {host}, or with an unknown name. */
export function startTemplate(text: string): StartTemplate {
  const [program, ...words] = text.split(/\s+/).filter((word) => word !== '');
  const unknown = [...text.matchAll(placeholder)].find(([, name]) => !names.some((known) => known === name));
  if (unknown) throw new InvalidArgumentError(`${unknown[0]} is unknown: use ${names.map((name) => `{${name}}`).join(' ')}.`);
  if (program === undefined || !text.includes('{host}')) throw new InvalidArgumentError('It must be a command that contains {host}.');
  return [program, ...words];
}

/** The words of the command for one host. */
export const filled = (template: StartTemplate, values: HostValues): [string, ...string[]] => {
  const [program, ...words] = template.map((word) => word.replace(placeholder, (_, name: keyof HostValues) => values[name]));
  return [program!, ...words];
};

/** Words as a shell takes them for the same words. */
export const shellWords = (words: readonly string[]): string =>
  words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
