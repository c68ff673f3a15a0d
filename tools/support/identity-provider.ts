import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { type Configuration, Provider } from 'oidc-provider';
import { redirectAt } from '../../lib/api/sign-in.ts';
import { IssuerSettings } from '../../lib/ports/issuer/settings.ts';

/** The users of the provider, by the name with which they sign in. */
export type Users = Readonly<Record<string, { readonly groups: readonly string[] }>>;

/** A running OpenID Connect provider. */
export type IdentityProvider = {
  readonly issuer: string;
  /** Its settings for a deployment. */
  readonly settings: IssuerSettings;
  /** Ends every sign-in of a user: its refresh tokens are no longer accepted. */
  readonly endSignIns: (user: string) => void;
  readonly stop: () => Promise<void>;
};

const clientId = 'muster-cli';
/** The audience of its access tokens. */
const audience = 'urn:muster:test';

export type ProviderOptions = { readonly users: Users; readonly port?: number; readonly accessTokenS?: number };

/**
 * A real provider on loopback, with users instead of passwords: its sign-in page is a list of links, one a user. Access
 * tokens are JWTs for Muster (RFC 9068) that name groups; refresh tokens are replaced each time, and a second use of
 * one ends the sign-in.
 */
export async function anIdentityProvider({ users, port = 0, accessTokenS = 300 }: ProviderOptions): Promise<IdentityProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ended = new Set<string>();
  const provider = new Provider(issuer, await configured(users, accessTokenS, ended));
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void answer(request, response);
    interact(provider, users, request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  return {
    issuer,
    settings: IssuerSettings.parse({ issuer, clientId, audience }),
    endSignIns: (user) => void ended.add(user),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function configured(users: Users, accessTokenS: number, ended: ReadonlySet<string>): Promise<Configuration> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const claimsOf = (user: string) => ({ preferred_username: user, groups: [...(users[user]?.groups ?? [])] });
  const native = { application_type: 'native', token_endpoint_auth_method: 'none' } as const;
  return {
    clients: [
      {
        client_id: clientId,
        ...native,
        grant_types: ['authorization_code', 'refresh_token'],
        // A native client may come back to any port of loopback (RFC 8252, 7.3).
        redirect_uris: [redirectAt(80), 'http://127.0.0.1/session/callback', 'http://localhost/session/callback'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'test', alg: 'ES256', use: 'sig' }] },
    cookies: { keys: ['of a test'] },
    claims: { openid: ['sub'], profile: ['preferred_username'] },
    findAccount: async (_context, id, token) =>
      token && ended.has(id) ? undefined : { accountId: id, claims: async () => ({ sub: id, ...claimsOf(id) }) },
    extraTokenClaims: async (_context, token) => ('accountId' in token ? claimsOf(token.accountId) : {}),
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    ttl: {
      AccessToken: accessTokenS,
      AuthorizationCode: 60,
      IdToken: 300,
      Interaction: 600,
      RefreshToken: 3600,
      Session: 3600,
      Grant: 3600,
    },
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true, allowedPolicy: async (_context, client, token) => token.clientId === client.clientId },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => audience,
        useGrantedResource: async () => true,
        getResourceServerInfo: async () => ({
          scope: 'openid profile',
          audience,
          accessTokenFormat: 'jwt',
          accessTokenTTL: accessTokenS,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  };
}

/** The page on which a person signs in, by a link; every right that the program asks for is then granted. */
async function interact(provider: Provider, users: Users, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { uid, prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    const user = new URL(request.url ?? '', 'http://here').searchParams.get('as');
    if (user !== null && Object.hasOwn(users, user))
      return provider.interactionFinished(request, response, { login: { accountId: user } }, { mergeWithLastSubmission: false });
    const links = Object.keys(users).map((name) => `<p><a href="/interaction/${uid}?as=${encodeURIComponent(name)}">${name}</a></p>`);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(`<!doctype html><title>Sign in</title>${links.join('')}\n`);
    return;
  }
  const grant = new provider.Grant({ accountId: session!.accountId, clientId: String(params['client_id']) });
  grant.addOIDCScope('openid profile offline_access');
  grant.addResourceScope(audience, 'openid profile');
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
}

/**
 * A person at a browser, who opens an address and signs in as this user: follows redirects with cookies until it gets a
 * page, or to an address at which `stops`.
 */
export async function browse(address: string, user: string, stops: (url: URL) => boolean = () => false): Promise<string> {
  const jar = new Map<string, string>();
  let url = new URL(address);
  for (let step = 0; step < 20; step++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      jar.set(name!, value!);
    }
    const text = await response.text();
    const next =
      response.headers.get('location') ?? [...text.matchAll(/href="([^"]+)"/g)].find(([, href]) => href!.endsWith(`as=${user}`))?.[1];
    if (next === undefined) return text;
    url = new URL(next, url);
    if (stops(url)) return '';
  }
  throw new Error(`the sign-in that began at ${address} never ended`);
}
