import { describe, expect, it } from 'vitest';
import type { MusterApp } from '../../infra/muster-app.ts';
import { busNames, settingsFrom } from '../../infra/settings.ts';
import { openDoorsRefused } from '../../infra/stacks/api.ts';
import { aDeployment, resourcesOf, synthesized } from './synthesized.ts';

const settings = (context: Record<string, unknown>) => settingsFrom((name) => context[name], { account: undefined, region: undefined });

describe('the context', () => {
  it('has a default for everything', () => {
    expect(settings({})).toEqual({
      account: undefined,
      region: undefined,
      deployment: 'Muster',
      doors: 'iam',
      beatMinMs: 10_000,
      runbook: 'docs/runbook.md',
    });
  });
  it.each([
    [{ deployment: 'muster' }, '-c deployment=muster: expected'],
    [{ deployment: 'A'.repeat(21) }, 'expected up to 20 letters and digits'],
    [{ doors: 'ajar' }, '-c doors=ajar: expected iam or open'],
    [{ beatMinMs: '99' }, '-c beatMinMs=99: expected whole milliseconds'],
    [{ beatMinMs: 'soon' }, '-c beatMinMs=soon: expected whole milliseconds'],
    [{ runbook: '' }, '-c runbook=: expected a path or URL'],
  ])('refuses %j and says what is expected', (context, message) => {
    expect(() => settings(context)).toThrow(message);
  });
  it('gives buses of other deployments names of their own', () => {
    expect(busNames('Muster')).toEqual({ out: 'muster', ingest: 'muster-in' });
    expect(busNames('Staging')).toEqual({ out: 'muster-staging', ingest: 'muster-in-staging' });
  });
  it('reaches the functions', () => {
    const functions = resourcesOf(synthesized({ context: { deployment: 'Staging', beatMinMs: '1000' } }), 'AWS::Lambda::Function');
    for (const { Properties } of functions)
      expect(Properties).toMatchObject({ Environment: { Variables: { MUSTER_DEPLOYMENT: 'Staging', MUSTER_BEAT_MIN_MS: '1000' } } });
  });
});

describe('open doors', () => {
  const refusals = ({ api }: MusterApp) => api.node.metadata.filter(({ type }) => type === 'aws:cdk:error').map(({ data }) => data);
  it.each([
    ['real', '123456789012'],
    ['not known', ''],
  ])('are refused where the account is %s, and every route keeps its authorizer', (_which, account) => {
    const refused = aDeployment({ account, context: { doors: 'open' } });
    expect({ open: refused.open, refusals: refusals(refused) }).toEqual({ open: false, refusals: [openDoorsRefused] });
  });
  it('stop the synthesis of a real account', () => {
    expect(() => synthesized({ account: '123456789012', context: { doors: 'open' } })).toThrow(
      /-c doors=open takes the authorizer off every route/,
    );
  });
  it('are what they say in the account of the emulators', () => {
    const routes = resourcesOf(synthesized({ account: '000000000000', context: { doors: 'open' } }), 'AWS::ApiGatewayV2::Route');
    expect(new Set(routes.map(({ Properties }) => Properties['AuthorizationType']))).toEqual(new Set(['NONE']));
  });
});
