import type { Client } from '../../../lib/clients/client.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { isSecret, parseSecret } from '../../../lib/identity/secret-text.ts';
import type { OnboardingToken } from '../../../lib/onboarding-tokens/onboarding-token.ts';
import type { Committed } from '../watching.ts';
import type { Invariant } from './invariant.ts';
import { skewMs } from './rows.ts';

type Knocked = { readonly publicKey: string; readonly token?: string };
type TokenStep = { readonly before: OnboardingToken; readonly after: OnboardingToken };

/** A token lies in images and scripts, and is found there. */
export const onboardingTokens: Invariant = {
  name: 'an-onboarding-token-accepts-as-many-as-it-may',
  says: 'nobody but an administrator or an onboarding token accepts a machine: one that the machine has shown with its secret, that was not revoked, used up or run out, is counted in the same commit, and says into which zone',
  begin: ({ violated }) => {
    /** Tokens that each key has shown. */
    const shown = new Map<string, Set<string>>();
    return {
      asked: ({ path, sent }) => {
        const { publicKey, token } = path === '/system/knock' ? (sent as Knocked) : ({} as Partial<Knocked>);
        if (publicKey === undefined || token === undefined) return;
        const fp = fingerprintOf(publicKey);
        shown.set(fp, (shown.get(fp) ?? new Set<string>()).add(token));
      },
      committed: (changes) => {
        const used = changes.flatMap(usedIn);
        const accepted = changes.filter(isAcceptance);
        const byToken = accepted.filter(({ after }) => after.actor === undefined || after.actor.who.startsWith('client:'));
        for (const { before, after } of used)
          if (after.used - before.used !== byToken.length)
            violated(`${after.id} was used for ${byToken.length} machines, and counts ${after.used}`);
        for (const { after, at } of byToken) {
          const client = after.body as Client;
          const why = whyNot(client, used[0], shown.get(client.fp), at);
          if (why) violated(`${client.fp.slice(0, 8)} was accepted (${after.because}): ${why}`);
        }
      },
    };
  },
};

const usedIn = ({ before, after }: Committed): TokenStep[] => {
  if (after.key.sk !== 'onboarding-token' || !before) return [];
  const step = { before: before.body as OnboardingToken, after: after.body as OnboardingToken };
  return step.after.used === step.before.used ? [] : [step];
};

const isAcceptance = ({ before, after }: Committed): boolean =>
  after.key.sk === 'client' &&
  (after.body as Client).standing === 'accepted' &&
  (before?.body as Client | undefined)?.standing !== 'accepted';

function whyNot(client: Client, step: TokenStep | undefined, texts = new Set<string>(), at: number): string | undefined {
  if (!step) return 'no token was counted with it';
  const { id, hash, revokedAt, expiresAt, uses, used, zone } = step.before;
  const hasShown = [...texts].some((text) => {
    const parts = parseSecret(text, 'mot');
    return typeof parts !== 'string' && parts.id === id && isSecret(parts.secret, hash);
  });
  if (!hasShown) return `it has never shown the secret of ${id}`;
  if (revokedAt !== undefined) return `${id} was revoked`;
  if (used >= uses) return `${id} is for ${uses}, and had accepted ${used}`;
  if (expiresAt + skewMs < at) return `${id} had run out ${at - expiresAt} ms before`;
  return client.standing === 'accepted' && client.zone === zone ? undefined : `${id} accepts into ${zone}`;
}
