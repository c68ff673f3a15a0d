import { InvalidArgumentError } from 'commander';
import { contract } from '../../../lib/contract.ts';
import { isEndpoint } from '../../../lib/machine/endpoint.ts';
import { count } from '../arguments.ts';
import { type Cli, callAt, type Verb } from '../cli.ts';
import { wantPrivate } from '../endpoint.ts';
import { exitCodes, Failure } from '../exit-codes.ts';
import { examples } from '../help.ts';
import { dated } from '../output/moments.ts';
import { printable } from '../output/printable.ts';
import { rightsText } from '../output/rights.ts';
import { textOf } from '../reading.ts';
import type { Provider } from '../sign-in/oidc.ts';
import { type SignedIn, tokenStore } from '../sign-in/tokens.ts';

type Options = { browser: boolean; port?: number; link?: true };

/** `login`: signs in by the browser, or by a sign-in link. */
export const login: Verb = (program, cli) => {
  const command = program
    .command('login')
    .argument('[link]', 'a sign-in link that you were given, or only its secret; - asks for it, or reads the standard input', (text) =>
      text === asked ? asked : linkOf(text),
    )
    .description(
      'Sign in: in the browser at the provider that the deployment names, or by a link. If there is no provider, this makes a link',
    )
    .option('--no-browser', 'only print the address, for a browser that you open yourself')
    .option('--port <n>', 'the local port that the browser returns to, if the provider expects another one; 0 for any free port', port)
    .option('--link', 'make a link that signs in another person or machine as you')
    .action(async (link: Link | typeof asked | undefined, options: Options) => {
      if (link) return signInByLink(cli, link === asked ? await linkAsked(cli) : link);
      const { body } = await callAt(cli.endpoint(), contract.waysToSignIn);
      const { methods, issuer, clientId, scopes } = body;
      if (options.link || !methods.includes('oidc')) return makeLink(cli);
      if (issuer === undefined || clientId === undefined || scopes === undefined)
        throw new Failure(exitCodes.failed, `${cli.endpoint()} requires sign-in at a provider, but does not name the provider`);
      await signIn(cli, { issuer, clientId, scopes }, options);
    });
  examples(
    command,
    cli.terminal.name,
    ['login'],
    ['login --endpoint https://muster.example.org'],
    ['login --link', 'for a browser, or another machine'],
    ['login -', 'asks for that link: others on the machine can read a command line'],
  );
};

/** A link's secret, and its deployment if the link names one. */
type Link = { readonly secret: string; readonly endpoint: string | undefined };

/** The argument for a link that is not on the command line, where other users of the machine could read it. */
const asked = '-';

/**
 * The link that a person types or pastes, or that comes on the standard input. Throws a {@link Failure} for any other
 * text.
 */
async function linkAsked(cli: Cli): Promise<Link> {
  const { ask } = cli.terminal;
  const text = ask ? await ask('The sign-in link: ') : await textOf(cli, '-');
  try {
    return linkOf(text.trim());
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw new Failure(exitCodes.usage, error.message);
    throw error;
  }
}

function linkOf(text: string): Link {
  const [, before, secret] = /^(\S*?)(msl_[a-z0-9]+_[A-Za-z0-9_-]+_[0-9a-f]+)$/.exec(text) ?? [];
  if (secret === undefined) throw new InvalidArgumentError('It must be a link that ends in #msl_…, as login --link prints it.');
  if (!before) return { secret, endpoint: undefined };
  const url = URL.parse(before);
  if (!url || !isEndpoint(url.origin)) throw new InvalidArgumentError('It must be a link to a deployment, by http or https.');
  return { secret, endpoint: url.origin };
}

function port(text: string): number {
  const n = count(text);
  if (n > 65_535) throw new InvalidArgumentError('It must be a port, at most 65535.');
  return n;
}

async function signIn(cli: Cli, provider: Provider, { browser, port: at }: Options): Promise<void> {
  wantPrivate(cli.endpoint(), cli.insecure());
  const { signInByBrowser } = await import('../sign-in/oidc.ts');
  const signedIn = await signInByBrowser(provider, cli.terminal, {
    port: at,
    show: (url) => {
      cli.say(`Open this address in a browser on this machine, if it does not open by itself:\n\n  ${printable(url)}\n`);
      if (browser) cli.terminal.open(url);
    },
  });
  await keep(cli, cli.endpoint(), signedIn);
  const { name, rights } = (await cli.call(contract.whoAmI)).body;
  cli.say(`signed in as ${printable(name)}: ${rightsText(rights)}`);
}

/** Signs in by a link. The link names its deployment, so its owner needs to know nothing else. */
async function signInByLink(cli: Cli, link: Link): Promise<void> {
  const endpoint = link.endpoint ?? cli.endpoint();
  wantPrivate(endpoint, cli.insecure());
  const { body } = await callAt(endpoint, contract.signIn, { body: { secret: link.secret } }).catch((error: unknown) => {
    if (error instanceof Failure && error.exitCode === exitCodes.notAllowed)
      throw new Failure(error.exitCode, error.message, 'Ask for another link');
    throw error;
  });
  const expiresAt = Date.parse(body.expires);
  await keep(cli, endpoint, { token: body.token, expiresAt });
  cli.say(`signed in as ${printable(body.name)} at ${endpoint}, until ${dated(body.expires, cli.terminal.now())}`);
  if (endpoint !== cli.endpoint()) cli.say(`to send commands there: export MUSTER_ENDPOINT=${endpoint}`);
}

/** Makes a link with the rights that this user has already, such as those of the embedded host's owner. */
async function makeLink(cli: Cli): Promise<void> {
  const { body } = await cli.call(contract.createSignInLink).catch((error: unknown) => {
    if (error instanceof Failure && error.exitCode === exitCodes.notAllowed)
      throw new Failure(
        error.exitCode,
        `people sign in at ${cli.endpoint()} by a link: ${error.message}`,
        `Ask an administrator to make one with \`${cli.terminal.name} login --link\`; then \`${cli.terminal.name} login -\` asks for it`,
      );
    throw error;
  });
  cli.show(body, () => `${printable(body.link)}\n`);
  cli.say(
    `The first person to open it is signed in as you. It works once, until ${dated(body.expires, cli.terminal.now())}.\n` +
      `In a terminal: ${cli.terminal.name} login -, which asks for it`,
  );
}

async function keep(cli: Cli, endpoint: string, signedIn: SignedIn): Promise<void> {
  const store = tokenStore(cli.terminal);
  if (!store) throw new Failure(exitCodes.failed, 'the sign-in cannot be stored: there is no folder for it', 'Set HOME or XDG_CONFIG_HOME');
  await store.change(endpoint, async () => signedIn);
}
