import { describe, expect, it } from 'vitest';
import { redirectAt, signInPorts } from '../../lib/api/sign-in.ts';
import { issuerFrom } from '../../lib/ports/issuer/settings.ts';
import { type Resource, resourcesOf, synthesized, type Template } from './synthesized.ts';

type Environment = { Environment: { Variables: Record<string, unknown> } };

/** What the functions are told of the issuer: `admin` and `search`; those that are told nothing are left out. */
const told = (templates: Readonly<Record<string, Template>>): Record<string, unknown>[] =>
  resourcesOf(templates, 'AWS::Lambda::Function')
    .map(({ Properties }) => (Properties as unknown as Environment).Environment.Variables)
    .map((variables) => Object.fromEntries(Object.entries(variables).filter(([name]) => name.startsWith('MUSTER_OIDC_'))))
    .filter((variables) => Object.keys(variables).length > 0);

const only = (templates: Readonly<Record<string, Template>>, type: string): Resource['Properties'] => {
  const found = resourcesOf(templates, type);
  expect(found).toHaveLength(1);
  return found[0]!.Properties;
};

describe('a deployment that names no issuer', () => {
  const templates = synthesized();
  it('has a user pool that nobody signs up to, with a second factor and protected against deletion', () => {
    expect(only(templates, 'AWS::Cognito::UserPool')).toMatchObject({
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
      MfaConfiguration: 'ON',
      EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
      DeletionProtection: 'ACTIVE',
      Policies: { PasswordPolicy: { MinimumLength: 14 } },
    });
  });
  it('has the command line as a client without a secret, that comes back to this machine alone', () => {
    expect(only(templates, 'AWS::Cognito::UserPoolClient')).toMatchObject({
      GenerateSecret: false,
      AllowedOAuthFlows: ['code'],
      AllowedOAuthScopes: ['openid', 'profile'],
      CallbackURLs: signInPorts.map(redirectAt),
      RefreshTokenRotation: { Feature: 'ENABLED' },
      ExplicitAuthFlows: ['ALLOW_USER_SRP_AUTH'],
    });
  });
  it('lets browsers come back to its page, once it is known where that is', () => {
    const callbacks = (context: Readonly<Record<string, unknown>>) =>
      only(synthesized({ context }), 'AWS::Cognito::UserPoolClient')['CallbackURLs'];
    const page = [...signInPorts.map(redirectAt), 'https://muster.acme.org/session/callback'];
    expect(callbacks({ webOrigin: 'https://muster.acme.org' })).toEqual(page);
    const edgeCertificate = 'arn:aws:acm:us-east-1:123456789012:certificate/0f8b3f5e-6c1d-4c57-9a43-0d9a2f1c7b11';
    expect(callbacks({ edge: 'on', edgeDomain: 'muster.acme.org', edgeCertificate })).toEqual(page);
    for (const webOrigin of ['http://muster.acme.org', 'https://muster.acme.org/', 'https://*.acme.org', 'muster.acme.org'])
      expect(() => callbacks({ webOrigin })).toThrow('-c webOrigin=');
  });
  it('has a group for each scope, and tells the functions of the admin API alone what they need to verify tokens', () => {
    const groups = resourcesOf(templates, 'AWS::Cognito::UserPoolGroup').map(({ Properties }) => Properties['GroupName']);
    expect(groups).toEqual([
      'muster-read',
      'muster-operate',
      'muster-admin',
      'muster-security',
      'muster-execute',
      'muster-report',
      'muster-number',
      'muster-edit',
    ]);
    const [variables, ...others] = told(templates);
    expect(others).toEqual([variables]);
    const read = issuerFrom({ ...variables, MUSTER_OIDC_ISSUER: 'https://pool.example.test', MUSTER_OIDC_CLIENT_ID: 'client' });
    expect(read).toMatchObject({
      groupsClaim: 'cognito:groups',
      scopes: 'openid profile',
      groups: { 'muster-read': { scopes: ['read'] } },
    });
    expect(read?.audience).toBeUndefined();
  });
  it('may name the groups of its pool, and the zones that they may run', () => {
    const own = synthesized({ context: { oidcGroups: { ops: { scopes: ['read', 'operate'], zones: ['acme'] } } } });
    expect(resourcesOf(own, 'AWS::Cognito::UserPoolGroup').map(({ Properties }) => Properties['GroupName'])).toEqual(['ops']);
    const groups = { MUSTER_OIDC_GROUPS: '{"ops":{"scopes":["read","operate"],"zones":["acme"]}}' };
    expect(told(own)).toMatchObject([groups, groups]);
  });
});

describe('a deployment that names its issuer', () => {
  const named = { oidcIssuer: 'https://login.example.test', oidcClientId: 'muster-cli', oidcAudience: 'muster' };
  const templates = synthesized({ context: named });
  it('makes no user pool', () => {
    expect(templates.Identity).toBeUndefined();
    expect(resourcesOf(templates, 'AWS::Cognito::UserPool')).toEqual([]);
  });
  it('tells the functions of the admin API, and no others, which it is', () => {
    const issuer = { issuer: 'https://login.example.test', clientId: 'muster-cli', audience: 'muster', groupsClaim: 'groups' };
    expect(told(templates).map((variables) => issuerFrom(variables))).toMatchObject([issuer, issuer]);
  });
});
