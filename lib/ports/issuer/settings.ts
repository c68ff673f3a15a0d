import * as z from 'zod';
import { ZoneName } from '../../core/ids.ts';
import { defaultGroups, type GroupMap } from '../../identity/claims.ts';
import { adminScopes } from '../../identity/rights.ts';

/** Whether an address proves its name: https, or this machine itself. */
export const isTrusted = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && /^(127(\.\d{1,3}){3}|localhost|\[::1\])$/.test(hostname));

/** An issuer's name is an address without query or fragment (OpenID Connect Discovery 1.0, section 3). */
const IssuerUrl = z
  .string()
  .max(2048)
  .refine((text) => {
    const url = URL.parse(text);
    return url !== null && isTrusted(url) && !/[?#]/.test(text) && url.username + url.password === '';
  }, 'an issuer is an https address without query, fragment or password; http is only for loopback');

/** The rights of each group, as they are configured: `{"ops": {"scopes": ["read", "operate"], "zones": ["acme"]}}`. */
export const Groups = z.record(
  z.string().min(1).max(256),
  z.strictObject({ scopes: z.array(z.enum(adminScopes)).min(1), zones: z.array(ZoneName).min(1).optional() }),
);

/** The settings of an issuer: whose tokens are accepted, for which audience, and the rights of their groups. */
export type IssuerSettings = {
  readonly issuer: string;
  readonly clientId: string;
  /**
   * The audience that access tokens must have. Without one they must be access tokens of Cognito, which name the client
   * instead.
   */
  readonly audience?: string | undefined;
  /** The claim that names groups. */
  readonly groupsClaim: string;
  readonly groups: GroupMap;
  /** The scopes that the sign-in requests from the issuer. */
  readonly scopes: string;
  /**
   * The greatest age of a token since it was issued, in minutes, even if it expires later; {@link usualTokenAgeMinutes}
   * when absent.
   */
  readonly tokenAgeMaxMinutes?: number | undefined;
};

/** As long as a session: a working day and some. Providers let access tokens live for minutes to hours. */
export const usualTokenAgeMinutes = 12 * 60;

/**
 * Issuer settings as they are configured, with defaults that differ between Cognito (assumed when there is no audience)
 * and any other issuer.
 */
export const IssuerSettings = z
  .strictObject({
    issuer: IssuerUrl,
    clientId: z.string().min(1).max(256),
    audience: z.string().min(1).max(2048).optional(),
    groupsClaim: z.string().min(1).max(256).optional(),
    groups: Groups.default(defaultGroups as z.output<typeof Groups>),
    scopes: z
      .string()
      .regex(/^openid( [!#-[\]-~]+)*$/, 'scopes are separated by single spaces, and the first is openid')
      .optional(),
    tokenAgeMaxMinutes: z.coerce
      .number('a whole number of minutes')
      .int()
      .min(1)
      .max(7 * 24 * 60)
      .optional(),
  })
  .transform(
    ({ groupsClaim, scopes, ...given }): IssuerSettings => ({
      ...given,
      groupsClaim: groupsClaim ?? (given.audience === undefined ? 'cognito:groups' : 'groups'),
      // Cognito gives a refresh token without a request, and refuses a request for one.
      scopes: scopes ?? (given.audience === undefined ? 'openid profile' : 'openid profile offline_access'),
    }),
  );

/** The environment variable of each of the settings; the groups are JSON. */
export const issuerVariables = {
  issuer: 'MUSTER_OIDC_ISSUER',
  clientId: 'MUSTER_OIDC_CLIENT_ID',
  audience: 'MUSTER_OIDC_AUDIENCE',
  groupsClaim: 'MUSTER_OIDC_GROUPS_CLAIM',
  groups: 'MUSTER_OIDC_GROUPS',
  scopes: 'MUSTER_OIDC_SCOPES',
  tokenAgeMaxMinutes: 'MUSTER_OIDC_TOKEN_AGE_MAX_MINUTES',
} as const satisfies Record<keyof IssuerSettings, string>;
export type IssuerVariable = (typeof issuerVariables)[keyof typeof issuerVariables];

/**
 * Settings from text, by the names in `named`, as in environments and command lines; an empty one counts as absent.
 * Undefined when none is given. Throws a ZodError that uses those names.
 */
export function issuerFrom(
  given: Readonly<Record<string, unknown>>,
  named: Readonly<Record<keyof IssuerSettings, string>> = issuerVariables,
): IssuerSettings | undefined {
  const texts = Object.entries(named).flatMap(([setting, name]) => (given[name] ? [[setting, String(given[name])] as const] : []));
  if (texts.length === 0) return undefined;
  const values = texts.map(([setting, text]) => [setting, setting === 'groups' ? parsed(text) : text]);
  const read = IssuerSettings.safeParse(Object.fromEntries(values));
  if (read.success) return read.data;
  const nameOf = (setting: PropertyKey | undefined): PropertyKey => named[setting as keyof IssuerSettings] ?? setting ?? '';
  throw new z.ZodError(read.error.issues.map((issue) => ({ ...issue, path: [nameOf(issue.path[0]), ...issue.path.slice(1)] })));
}

/** The variables that {@link issuerFrom} reads as these settings. */
export const issuerEnvironment = (settings: IssuerSettings): Record<string, string> =>
  Object.fromEntries(
    Object.entries(issuerVariables).flatMap(([setting, name]): [string, string][] => {
      const value = settings[setting as keyof IssuerSettings];
      return value === undefined ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)]];
    }),
  );

/** JSON, or the text itself for the schema to refuse. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
