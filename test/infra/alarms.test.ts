import { describe, expect, it } from 'vitest';
import { wiring } from '../../infra/wiring.ts';
import { tableSchema } from '../../lib/ports/table/schema.ts';
import { resourcesOf, synthesized } from './synthesized.ts';

type Dimension = { readonly Name: string; readonly Value: unknown };
type Metric = { readonly MetricName: string; readonly Dimensions: readonly Dimension[] };
type AlarmProperties = Partial<Metric> & {
  readonly AlarmName: string;
  readonly Metrics?: readonly { readonly Id: string; readonly Expression?: string; readonly MetricStat?: { readonly Metric: Metric } }[];
};

const alarms = resourcesOf(synthesized(), 'AWS::CloudWatch::Alarm').map(({ Properties }) => Properties as unknown as AlarmProperties);
const alarm = (suffix: string): AlarmProperties => {
  const [found, ...others] = alarms.filter(({ AlarmName }) => AlarmName.endsWith(suffix));
  if (!found || others.length > 0) throw new Error(`not exactly one alarm ends in ${suffix}`);
  return found;
};

describe('the alarms of queues that should be empty', () => {
  it('watch the dead letters of every queue, and what could not be delivered', () => {
    const watching = alarms.filter(({ MetricName }) => MetricName === 'ApproximateNumberOfMessagesVisible');
    const wanted = [...Object.keys(wiring.queues).map((name) => `Muster-dead-letters-${name}`), 'Muster-undelivered'];
    expect(watching.map(({ AlarmName }) => AlarmName).toSorted()).toEqual(wanted.toSorted());
  });
});

describe('the alarm of late feed records', () => {
  it('names the mapping alone, the one dimension under which Lambda counts deliveries', () => {
    expect(alarm('feed-late-publish').Dimensions).toEqual([{ Name: 'EventSourceMappingUUID', Value: expect.anything() }]);
  });
});

describe('the alarm of table throttles', () => {
  const { Metrics = [] } = alarm('table-throttles');
  it('adds up reads and writes of the table and of every index', () => {
    const watched = Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []).map(({ MetricName, Dimensions }) => {
      const index = Dimensions.find(({ Name }) => Name === 'GlobalSecondaryIndexName')?.Value ?? 'table';
      return `${MetricName} of ${index}`;
    });
    const places = ['table', ...tableSchema.indexes.map(({ name }) => name)];
    const wanted = places.flatMap((place) => [`ReadThrottleEvents of ${place}`, `WriteThrottleEvents of ${place}`]);
    expect(watched.toSorted()).toEqual(wanted.toSorted());
  });
  it('leaves no metric out of its sum, and stays within the ten metrics an alarm may have', () => {
    const ids = Metrics.flatMap(({ Id, MetricStat }) => (MetricStat ? [Id] : []));
    expect(Metrics.find(({ Expression }) => Expression)?.Expression).toBe(ids.map((id) => `FILL(${id}, 0)`).join(' + '));
    expect(ids.length).toBeLessThanOrEqual(10);
  });
});
