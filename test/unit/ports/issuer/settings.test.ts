import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defaultGroups } from '../../../../lib/identity/claims.ts';
import { issuerFrom } from '../../../../lib/ports/issuer/settings.ts';

const some = { MUSTER_OIDC_ISSUER: 'https://login.example.test', MUSTER_OIDC_CLIENT_ID: 'muster-cli' };

/** The names of settings that are refused. */
function refused(given: Readonly<Record<string, string>>): PropertyKey[] {
  try {
    issuerFrom(given);
    return [];
  } catch (error) {
    if (error instanceof z.ZodError) return error.issues.map(({ path }) => path[0]!);
    throw error;
  }
}

describe('the settings of an issuer', () => {
  it('are none where nothing is given, or only nothing', () => {
    expect(issuerFrom({})).toBeUndefined();
    expect(issuerFrom({ MUSTER_OIDC_ISSUER: '', MUSTER_HOME: '/var/lib/muster' })).toBeUndefined();
  });

  it('are those of Cognito without an audience, and of any other provider with one', () => {
    const of = { issuer: 'https://login.example.test', clientId: 'muster-cli', groups: defaultGroups };
    expect(issuerFrom(some)).toEqual({ ...of, groupsClaim: 'cognito:groups', scopes: 'openid profile' });
    expect(issuerFrom({ ...some, MUSTER_OIDC_AUDIENCE: 'muster' })).toEqual({
      ...of,
      audience: 'muster',
      groupsClaim: 'groups',
      scopes: 'openid profile offline_access',
    });
  });

  it('may map groups, name their claim and ask for other scopes', () => {
    const given = {
      ...some,
      MUSTER_OIDC_GROUPS: '{"ops":{"scopes":["read","operate"],"zones":["acme"]}}',
      MUSTER_OIDC_GROUPS_CLAIM: 'roles',
      MUSTER_OIDC_SCOPES: 'openid api://muster/all',
    };
    expect(issuerFrom(given)).toMatchObject({
      groups: { ops: { scopes: ['read', 'operate'], zones: ['acme'] } },
      groupsClaim: 'roles',
      scopes: 'openid api://muster/all',
    });
  });

  it.each([
    ['MUSTER_OIDC_ISSUER', 'http://login.example.test'],
    ['MUSTER_OIDC_ISSUER', 'http://127.0.0.1.example.test'],
    ['MUSTER_OIDC_ISSUER', 'https://login.example.test/?realm=a'],
    ['MUSTER_OIDC_ISSUER', 'https://login.example.test/#a'],
    ['MUSTER_OIDC_ISSUER', 'https://me:secret@login.example.test'],
    ['MUSTER_OIDC_ISSUER', 'login.example.test'],
    ['MUSTER_OIDC_GROUPS', 'ops'],
    ['MUSTER_OIDC_GROUPS', '[]'],
    ['MUSTER_OIDC_GROUPS', '{"ops":{"scopes":["root"]}}'],
    ['MUSTER_OIDC_GROUPS', '{"ops":{"scopes":[]}}'],
    ['MUSTER_OIDC_GROUPS', '{"ops":{"scopes":["read"],"zones":[]}}'],
    ['MUSTER_OIDC_GROUPS', '{"ops":{"scopes":["read"],"zones":["A Zone"]}}'],
    ['MUSTER_OIDC_GROUPS', '{"ops":{"scopes":["read"],"zone":["acme"]}}'],
    ['MUSTER_OIDC_SCOPES', 'profile'],
    ['MUSTER_OIDC_SCOPES', 'openid  profile'],
  ])('refuse %s=%s, and name it', (name, value) => {
    expect(new Set(refused({ ...some, [name]: value }))).toEqual(new Set([name]));
  });

  it('are refused as a whole when the half of them is missing', () => {
    expect(refused({ MUSTER_OIDC_ISSUER: 'https://login.example.test' })).toEqual(['MUSTER_OIDC_CLIENT_ID']);
    expect(refused({ MUSTER_OIDC_AUDIENCE: 'muster' })).toEqual(['MUSTER_OIDC_ISSUER', 'MUSTER_OIDC_CLIENT_ID']);
  });

  it('may be an issuer on this machine without TLS', () => {
    for (const issuer of ['http://127.0.0.1:9000', 'http://localhost:9000/realm', 'http://[::1]:9000'])
      expect(refused({ ...some, MUSTER_OIDC_ISSUER: issuer })).toEqual([]);
  });
});
