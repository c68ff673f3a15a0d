import { describe, expect, it } from 'vitest';
import { busNames, settingsFrom } from '../../infra/settings.ts';
import { defaultGroups } from '../../lib/identity/claims.ts';
import { resourcesOf, synthesized } from './synthesized.ts';

const settings = (context: Record<string, unknown>) => settingsFrom((name) => context[name], { account: undefined, region: undefined });

describe('the context', () => {
  it('has a default for everything', () => {
    expect(settings({})).toEqual({
      account: undefined,
      region: undefined,
      deployment: 'Muster',
      beatMinMs: 10_000,
      admitEveryMs: 15_000,
      runbook: 'docs/runbook.md',
      heartbeats: 'queue',
      vouchers: [],
      functionUrls: false,
      reserve: false,
      issuer: undefined,
      groups: defaultGroups,
    });
  });
  it.each([
    [{ deployment: 'muster' }, '-c deployment=muster: expected'],
    [{ deployment: 'A'.repeat(21) }, 'expected up to 20 letters and digits'],
    [{ beatMinMs: '99' }, '-c beatMinMs=99: expected whole milliseconds'],
    [{ beatMinMs: 'soon' }, '-c beatMinMs=soon: expected whole milliseconds'],
    [{ admitEveryMs: '-1' }, '-c admitEveryMs=-1: expected whole milliseconds'],
    [{ signedFor: 'a b' }, '-c signedFor=a b: expected 1 to 64 letters'],
    [{ reserve: 'maybe' }, 'on or off'],
    [{ heartbeats: 'door' }, '-c heartbeats=door: expected queue or direct'],
    [{ vouchers: 'watchtower' }, '-c vouchers: SyntaxError'],
    [{ vouchers: '[{"sender":"Watch Tower"}]' }, /-c vouchers: [\s\S]*lower-case letters[\s\S]*zones/],
    [{ functionUrls: 'yes' }, '-c functionUrls=yes: expected on or off'],
    [{ runbook: '' }, '-c runbook=: expected a path or URL'],
    [{ oidcIssuer: 'http://login.example.test', oidcClientId: 'cli' }, /-c oidc…:[\s\S]*https address[\s\S]*oidcIssuer/],
    [{ oidcClientId: 'cli' }, /-c oidc…:[\s\S]*oidcIssuer/],
    [{ oidcGroups: 'ops' }, '-c oidc…:'],
    [{ oidcGroups: '{"ops":{"scopes":["root"]}}' }, /-c oidc…:[\s\S]*scopes/],
  ])('refuses %j and says what is expected', (context, message) => {
    expect(() => settings(context)).toThrow(message);
  });
  it('gives buses of other deployments names of their own', () => {
    expect(busNames('Muster')).toEqual({ out: 'muster', ingest: 'muster-in' });
    expect(busNames('Staging')).toEqual({ out: 'muster-staging', ingest: 'muster-in-staging' });
  });
  it('has machines sign for another name than the one of the stacks, where that is told', () => {
    for (const { Properties } of resourcesOf(synthesized({ context: { signedFor: 'local-1f2e3d4c' } }), 'AWS::Lambda::Function'))
      expect(Properties).toMatchObject({ Environment: { Variables: { MUSTER_DEPLOYMENT: 'local-1f2e3d4c' } } });
  });
  it('reaches the functions', () => {
    const functions = resourcesOf(
      synthesized({ context: { deployment: 'Staging', beatMinMs: '1000', admitEveryMs: '0' } }),
      'AWS::Lambda::Function',
    );
    for (const { Properties } of functions)
      expect(Properties).toMatchObject({
        Environment: { Variables: { MUSTER_DEPLOYMENT: 'Staging', MUSTER_BEAT_MIN_MS: '1000', MUSTER_ADMIT_EVERY_MS: '0' } },
      });
  });
});
