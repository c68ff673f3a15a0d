import { describe, expect, it } from 'vitest';
import { wiring } from '../../infra/wiring.ts';
import { contract } from '../../lib/contract.ts';
import { type Resource, resourcesOf, synthesized } from './synthesized.ts';

/** With addresses of functions: cdk-nag has passed when there are templates. */
const templates = synthesized({ context: { functionUrls: 'on' } });
const bare = synthesized();
const control = templates.Control.Resources;
const idOf = (pattern: RegExp): string => {
  const [found, ...others] = Object.keys(control).filter((id) => pattern.test(id));
  if (!found || others.length > 0) throw new Error(`not exactly one ${pattern}`);
  return found;
};
const url = (door: string) => ({ 'Fn::GetAtt': [idOf(new RegExp(`^${door}Function.*FunctionUrl[0-9A-F]{8}$`)), 'FunctionUrl'] });
const functionOf = (name: string): Resource =>
  resourcesOf({ control: templates.Control }, 'AWS::Lambda::Function').find(
    ({ Properties }) => Properties['Description'] === `Muster: ${name}`,
  )!;
const variables = (name: string) =>
  (functionOf(name).Properties['Environment'] as { Variables: Readonly<Record<string, unknown>> }).Variables;

describe('a deployment with function URLs', () => {
  it('answers routes of the contract there that other functions answer as well', () => {
    const called = Object.values(contract).map(({ method, path }) => `${method} ${path}`);
    for (const { of, route } of Object.values(wiring.direct)) {
      expect(called).toContain(route);
      expect(wiring.functions[of]!.routes).toContain(route);
    }
    expect(Object.values(wiring.direct).map(({ route }) => route)).toEqual(['POST /nodes/{id}/heartbeat', 'GET /system/status']);
  });

  it('has functions of their own, of which so many run at once and no more, while the others share what the account has', () => {
    for (const [name, { atOnce, memoryMib }] of Object.entries(wiring.direct))
      expect(functionOf(name).Properties).toMatchObject({ ReservedConcurrentExecutions: atOnce, MemorySize: memoryMib });
    for (const name of Object.keys(wiring.functions))
      expect(functionOf(name).Properties).not.toHaveProperty('ReservedConcurrentExecutions');
  });

  it('lets anybody call these two, through their addresses alone, and names each address by the function that answers the route otherwise', () => {
    expect(resourcesOf(templates, 'AWS::Lambda::Url').map(({ Properties }) => Properties['AuthType'])).toEqual(['NONE', 'NONE']);
    expect(resourcesOf(templates, 'AWS::Lambda::Url').every(({ Properties }) => Properties['Cors'] === undefined)).toBe(true);
    const open = resourcesOf(templates, 'AWS::Lambda::Permission').filter(({ Properties }) => Properties['Principal'] === '*');
    const direct = Object.keys(wiring.direct).length;
    expect(open.filter(({ Properties }) => Properties['FunctionUrlAuthType'] === 'NONE')).toHaveLength(direct);
    expect(open.filter(({ Properties }) => Properties['InvokedViaFunctionUrl'] === true)).toHaveLength(direct);
    expect(open).toHaveLength(2 * direct);
    expect(variables('node-door')['MUSTER_DIRECT']).toEqual(url('HeartbeatDoor'));
    expect(variables('knock')['MUSTER_DIRECT']).toEqual(url('StatusDoor'));
    const told = resourcesOf(templates, 'AWS::Lambda::Function').filter(({ Properties }) =>
      JSON.stringify(Properties).includes('MUSTER_DIRECT'),
    );
    expect(told).toHaveLength(direct);
  });

  it('watches them as it does the doors behind the API', () => {
    const names = resourcesOf(templates, 'AWS::CloudWatch::Alarm').map(({ Properties }) => Properties['AlarmName']);
    for (const name of Object.keys(wiring.direct))
      expect(names).toEqual(expect.arrayContaining([`Muster-errors-${name}`, `Muster-throttles-${name}`]));
    const filters = (of: typeof templates) => resourcesOf(of, 'AWS::Logs::MetricFilter').length;
    const each = filters(bare) / Object.keys(wiring.functions).length;
    expect(filters(templates) - filters(bare)).toBe(each * Object.keys(wiring.direct).length);
  });

  it('has them behind no edge, and does not show them its secret', () => {
    const edgeCertificate = 'arn:aws:acm:us-east-1:123456789012:certificate/0f8b3f5e-6c1d-4c57-9a43-0d9a2f1c7b11';
    const edged = synthesized({ context: { functionUrls: 'on', edge: 'on', edgeDomain: 'muster.acme.org', edgeCertificate } });
    const reading = resourcesOf(edged, 'AWS::Lambda::Function').filter(({ Properties }) =>
      JSON.stringify(Properties).includes('MUSTER_ORIGIN_SECRET'),
    );
    expect(reading.map(({ Properties }) => Properties['Description'])).toEqual([
      'Muster: node-door',
      'Muster: knock',
      'Muster: admin',
      'Muster: search',
      'Muster: page',
    ]);
  });

  it('has the template of Control as it was reviewed, and no other than that of Control and Ops differs', async () => {
    // What is the same without them is in the other snapshot.
    const added = Object.fromEntries(Object.entries(control).filter(([id]) => !(id in bare.Control.Resources)));
    const noise = new Set(['Tags', 'Metadata']);
    const text = JSON.stringify(added, (key, value: unknown) => (noise.has(key) ? undefined : value), 1);
    await expect(`${text}\n`).toMatchFileSnapshot('snapshots/direct.out');
    for (const name of ['Data', 'Identity', 'Api'] as const) expect(templates[name]).toEqual(bare[name]);
  });
});

describe('a deployment without them', () => {
  it('has none, and names none', () => {
    expect(resourcesOf(bare, 'AWS::Lambda::Url')).toEqual([]);
    expect(JSON.stringify(bare)).not.toContain('MUSTER_DIRECT');
  });
});
