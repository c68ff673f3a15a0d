import { withBearer } from '../../../lib/api/bearer.ts';
import { Unreachable } from '../../../lib/api/client.ts';
import { contract } from '../../../lib/contract.ts';
import { type Cli, callAt, type Verb } from '../cli.ts';
import { wantPrivate } from '../endpoint.ts';
import { exitCodes, Failure } from '../exit-codes.ts';
import { examples } from '../help.ts';
import { dated } from '../output/moments.ts';
import { type SignedIn, tokenStore } from '../sign-in/tokens.ts';

/** `logout`: ends the sign-in at a deployment, and forgets it. */
export const logout: Verb = (program, cli) => {
  const command = program
    .command('logout')
    .description('Sign out: end the session at the deployment, forget it on this machine, and notify the provider')
    .action(async () => {
      const store = tokenStore(cli.terminal);
      let before: SignedIn | undefined;
      let stays: string | undefined;
      await store?.change(cli.endpoint(), async (signedIn) => {
        before = signedIn;
        stays = signedIn && (await whyNotEnded(cli, signedIn));
        return undefined;
      });
      if (!before) return cli.say(`you were not signed in at ${cli.endpoint()}`);
      cli.say(`signed out of ${cli.endpoint()}`);
      if (stays !== undefined) cli.say(stays);
      await notifyIssuer(before, cli.say);
    });
  examples(command, cli.terminal.name, ['logout'], ['logout --endpoint https://muster.example.org']);
};

/**
 * Ends a session of Muster at its deployment. If the deployment cannot be notified, gives in words what stays there;
 * this machine forgets the session in any case. An issuer's token is not Muster's to end.
 */
async function whyNotEnded(cli: Cli, { token, expiresAt }: SignedIn): Promise<string | undefined> {
  const now = cli.terminal.now();
  if (!token.startsWith('mst_') || expiresAt <= now) return undefined;
  try {
    wantPrivate(cli.endpoint(), cli.insecure());
    const bearer = withBearer(() => token);
    await callAt(cli.endpoint(), contract.signOut, {}, bearer);
    return undefined;
  } catch (error) {
    if (!(error instanceof Failure || error instanceof Unreachable)) throw error;
    // It was revoked before.
    if (error instanceof Failure && error.exitCode === exitCodes.notAllowed) return undefined;
    return `the deployment could not be notified, and the session there ends by itself, ${dated(new Date(expiresAt).toISOString(), now)}: ${error.message}`;
  }
}

/** Notifies the issuer, whose part runs out by itself otherwise. This machine has forgotten the sign-in already. */
async function notifyIssuer({ renewal }: SignedIn, say: (text: string) => void): Promise<void> {
  if (!renewal) return;
  const { revoked } = await import('../sign-in/oidc.ts');
  const isRevoked = await revoked(renewal).catch((error: unknown) => {
    if (error instanceof Failure) return false;
    throw error;
  });
  if (!isRevoked) say(`${renewal.issuer} could not be notified; the sign-in there ends by itself`);
}
