import { describe, expect, it } from 'vitest';
import { silent } from '../../infra/constructs/sources.ts';
import { defaults } from '../../infra/settings.ts';
import { rhythmOf } from '../../programs/cli/cost/rhythm.ts';
import { overheads, standing } from '../../programs/cli/cost/usual.ts';
import { resourcesOf, synthesized } from './synthesized.ts';

const context = {
  edge: 'on',
  edgeDomain: 'muster.acme.org',
  edgeCertificate: 'arn:aws:acm:us-east-1:123456789012:certificate/0f8b3f5e-6c1d-4c57-9a43-0d9a2f1c7b11',
};

describe('what a bill counts that is there at rest', () => {
  const bare = synthesized();
  const edged = synthesized({ context });
  const direct = synthesized({ context: { functionUrls: 'on' } });

  it('is what the stacks make', () => {
    // An alarm on an expression is charged for each metric in it.
    const metricsOf = (templates: typeof bare): number =>
      resourcesOf(templates, 'AWS::CloudWatch::Alarm').reduce((sum, { Properties }) => {
        const of = (Properties['Metrics'] ?? [{ MetricStat: {} }]) as readonly { MetricStat?: object }[];
        return sum + of.filter(({ MetricStat }) => MetricStat !== undefined).length;
      }, 0);
    expect({
      alarmMetrics: metricsOf(bare),
      urlAlarmMetrics: metricsOf(direct) - metricsOf(bare),
      dashboards: resourcesOf(bare, 'AWS::CloudWatch::Dashboard').length,
      keys: resourcesOf(bare, 'AWS::KMS::Key').length,
      secrets: resourcesOf(bare, 'AWS::SecretsManager::Secret').length,
      // The origin secret has a replica where the edge is, which is paid for like another.
      edgeSecrets: 2 * (resourcesOf(edged, 'AWS::SecretsManager::Secret').length - resourcesOf(bare, 'AWS::SecretsManager::Secret').length),
      edgeRules: (resourcesOf(edged, 'AWS::WAFv2::WebACL')[0]!.Properties['Rules'] as readonly unknown[]).length,
    }).toEqual(standing);
  });

  it('gathers commits of client systems for as long as the stacks do', () => {
    expect(overheads.silentWindowS).toBe(silent.windowSeconds);
  });

  it('beats as fast as a deployment that nobody has set otherwise', () => {
    expect(rhythmOf({ clients: 0, nodes: 1, covered: 1 }).intervalS * 1_000).toBe(defaults.beatMinMs);
  });
});
