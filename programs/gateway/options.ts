import { isIP } from 'node:net';
import { Command, Option } from 'commander';
import * as z from 'zod';
import { clusterIdMax, Fqdn, ZoneName } from '../../lib/core/ids.ts';
import { checked, Endpoint, gathered } from '../../lib/machine/command-line.ts';
import { isPrivate } from '../../lib/machine/endpoint.ts';

/** The options of `muster-gateway`. */
export type GatewayOptions = {
  readonly nodes?: string;
  readonly endpoint?: string;
  readonly insecure?: true;
  readonly tokenFile?: string;
  readonly zone?: ZoneName;
  readonly nodeUrl?: readonly (readonly [string, string])[];
  readonly serverId?: readonly (readonly [string, number])[];
  readonly account?: string;
  readonly refresh: number;
  readonly seat?: string;
  readonly bind: string;
  readonly port: number;
  readonly certificate?: string;
  readonly key?: string;
  readonly behindProxy?: true;
  readonly caCertificate?: string;
  readonly deadline: number;
  readonly strict?: true;
};

const examples = `
Examples:
  $ muster-gateway --endpoint https://muster.acme.org --token-file /etc/muster/gateway.token
      Answer for all Uyuni servers that are nodes of this deployment.
  $ muster-gateway --endpoint https://muster.acme.org --token-file /etc/muster/gateway.token --bind 0.0.0.0 --port 443 \\
      --certificate /etc/muster/gateway.pem --key /etc/muster/gateway.key
      Answer to programs on other machines.
  $ muster-gateway --nodes nodes.json
      Answer for the servers that a file lists.

Signals: SIGHUP reads the nodes anew; SIGTERM and SIGINT end the gateway and all sessions.
Exit codes: 0 ended by a signal, 2 wrong usage, 69 Muster cannot be reached at the start, 70 a fault of the gateway,
74 a file or an address cannot be used.`;

const seconds = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,5}(\.\d{1,3})?$/, 'a number of seconds')
    .transform(Number)
    .pipe(z.number().min(min, `at least ${min}`).max(max, `at most ${max}`));
const Port = z
  .string()
  .regex(/^\d{1,5}$/, 'a port')
  .transform(Number)
  .pipe(z.int().max(65_535, 'a port is at most 65535'));
const Address = z.string().refine((text) => isIP(text) !== 0, { error: 'a network address such as 0.0.0.0' });
const NodeUrl = z
  .string()
  .regex(/^[^=\s]+=https?:\/\/[^@\s]+$/, 'such as node1.acme.org=https://10.0.0.1')
  .transform((text): [string, string] => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)])
  .refine(([, url]) => isPrivate(url), { error: 'an address of https, as passwords are sent there' });

const ServerId = z
  .string()
  .regex(/^[^=\s]+=[1-9]\d{0,9}$/, 'such as node1.acme.org=1000010003')
  .transform((text): [string, number] => [text.slice(0, text.indexOf('=')), Number(text.slice(text.indexOf('=') + 1))])
  .refine(([, id]) => id <= clusterIdMax, { error: `a number is at most ${clusterIdMax}` });

/** The command line of `muster-gateway`; `run` is its action. */
export const gatewayProgram = (run: (options: GatewayOptions) => Promise<void>): Command =>
  new Command('muster-gateway')
    .description('The gateway: answers calls by XML-RPC and JSON for many Uyuni servers as if they were one.')
    .addOption(new Option('--nodes <file>', 'the servers and their systems, as JSON').conflicts('endpoint'))
    .addOption(
      new Option('--endpoint <url>', 'the address of Muster, which knows both').env('MUSTER_ENDPOINT').argParser(checked(Endpoint)),
    )
    .option('--insecure', 'call Muster without TLS: others on the network can read the token and answer in its place')
    .option(
      '--token-file <file>',
      'the file with an API key: scope number, or read to number no actions (default: the environment variable MUSTER_TOKEN)',
    )
    .option('--zone <zone>', 'answer for the servers of this zone alone', checked(ZoneName))
    .option('--node-url <node=url>', 'where a server is, if not at https://NODE; may be repeated', gathered(checked(NodeUrl)))
    .option(
      '--server-id <node=n>',
      'the number that scripts of the hub have for a server, if not the one of hub.listServers; may be repeated',
      gathered(checked(ServerId)),
    )
    .option(
      '--account <file>',
      'the login and password by which the numbers of systems are read on each server, as JSON (default: only adopted systems have numbers)',
    )
    .option('--refresh <seconds>', 'how often Muster is asked', checked(seconds(5, 3_600)), 60)
    .option('--seat <node>', 'the server on which common content is edited (default: with several servers, none is)', checked(Fqdn))
    .option('--bind <address>', 'the address to listen on', checked(Address), '127.0.0.1')
    .option('--port <n>', 'the port to listen on', checked(Port), 4590)
    .option('--certificate <file>', 'its certificate chain, in PEM')
    .option('--key <file>', 'the key of its certificate, in PEM')
    .option('--behind-proxy', 'listen without TLS, because a proxy in front ends it')
    .option('--ca-certificate <file>', 'certificates in PEM that the servers’ own are signed by')
    .option('--deadline <seconds>', 'how long a server is waited for, unless X-Deadline says otherwise', checked(seconds(0.05, 600)), 10)
    .option('--strict', 'answer a fault where a server fails, and never a part, as X-Strict: true does')
    .addHelpText('after', examples)
    .action((options: GatewayOptions) => run(options));
