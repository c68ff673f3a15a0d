import { anIdentityProvider } from '../support/identity-provider.ts';

/** A user for each group that a deployment knows by itself, and one in a group that it does not know. */
const users = {
  ada: { groups: ['muster-admin', 'muster-execute', 'muster-security'] },
  olive: { groups: ['muster-operate'] },
  rob: { groups: ['muster-read'] },
  eve: { groups: ['staff'] },
};

const provider = await anIdentityProvider({ users, port: 9700 });
const { issuer, clientId, audience } = provider.settings;
console.log(`An OpenID Connect provider for trying things is at ${issuer}: every visitor of its page is the user they choose.

  In another terminal:
    MUSTER_OIDC_ISSUER=${issuer} MUSTER_OIDC_CLIENT_ID=${clientId} MUSTER_OIDC_AUDIENCE=${audience} npm start
  and in a third:
    npx muster login

  Ctrl-C stops it.`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void provider.stop().then(() => process.exit(0)));
