import { CfnOutput, CrossStackReferences, Duration, ReferenceStrength, Stack, type StackProps } from 'aws-cdk-lib';
import { type Alarm, AlarmStatusWidget, Dashboard, GraphWidget, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Archive } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { buses } from '../../events/catalogue.ts';
import { alarmsOf, counted, countedCodes, countedMetric, type Watched } from '../alarms.ts';
import { notifyingAlarm } from '../constructs/told-alarm.ts';
import type { DeploymentSettings } from '../settings.ts';

/** The input of the Ops stack. */
export type OpsProps = StackProps & { readonly settings: DeploymentSettings; readonly watched: Watched };

/**
 * How long reports from automation can be replayed: a month covers an incident and its review; seq and id make a replay
 * harmless.
 */
const archiveRetention = Duration.days(30);

/**
 * The tools of operators, which no function needs: the archive of reports from automation, alarms with their runbook,
 * one dashboard.
 */
export class Ops extends Stack {
  constructor(scope: Construct, id: string, { settings, watched, ...props }: OpsProps) {
    super(scope, id, props);
    // Watching must not block removal: a queue or function that leaves the wiring may be deleted before its alarms.
    CrossStackReferences.of(this).consume(ReferenceStrength.WEAK);
    const { control } = watched;
    new Archive(this, 'Archive', {
      sourceEventBus: control.ingest,
      description: 'Muster: reports from automation, to be replayed after an incident',
      eventPattern: { source: [buses.ingest.source] },
      retention: archiveRetention,
    });
    this.count(watched);
    const topic = this.makeTopic(settings.deployment);
    const alarms = alarmsOf(watched).map((plan) => notifyingAlarm(this, plan, { ...settings, topic }));
    this.draw(watched, alarms);
    new CfnOutput(this, 'AlarmTopicArn', { value: topic.topicArn });
  }

  /** The topic that alarms notify; only alarms of this account may publish to it. */
  private makeTopic(deployment: string): Topic {
    const topic = new Topic(this, 'Alarms', { displayName: `${deployment} alarms`, enforceSSL: true });
    // Our own policy (TLS only) replaces the default of SNS, and with it CloudWatch's right to publish: alarms would
    // notify no one.
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsOfThisAccount',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    );
    return topic;
  }

  /** Counts the log lines whose codes have an alarm. */
  private count({ control, deployment }: Watched): void {
    for (const [name, { logGroup }] of control.functions)
      for (const code of countedCodes) {
        const { namespace, metricName } = countedMetric(code, deployment);
        new MetricFilter(this, `${name}-${counted[code].metric}`, {
          logGroup,
          filterPattern: FilterPattern.stringValue('$.code', '=', code),
          metricNamespace: namespace,
          metricName,
          metricValue: '1',
        });
      }
  }

  /** One page, from the outside in: alarms, API, queues, functions, feed and table. */
  private draw({ control, api: { api }, data: { table }, deployment }: Watched, alarms: readonly Alarm[]): void {
    const functions = [...control.functions].map(([label, { function: fn }]) => ({ label, fn }));
    const queues = [...control.queues].map(([label, { queue }]) => ({ label, queue }));
    const half = { width: 12, period: Duration.minutes(1) };
    const writes = table.metricConsumedWriteCapacityUnits({ statistic: Stats.SUM });
    new Dashboard(this, 'Dashboard', {
      dashboardName: deployment,
      defaultInterval: Duration.hours(3),
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', width: 24, height: 4, alarms: [...alarms] })],
        [
          new GraphWidget({
            ...half,
            title: 'Calls',
            left: [api.metricCount()],
            right: [api.metricClientError(), api.metricServerError()],
          }),
          new GraphWidget({
            ...half,
            title: 'Latency of calls, ms',
            left: [api.metricLatency({ statistic: 'p50' }), api.metricLatency({ statistic: 'p99' })],
          }),
        ],
        [
          new GraphWidget({
            ...half,
            title: 'Messages waiting',
            left: queues.map(({ label, queue }) => queue.metricApproximateNumberOfMessagesVisible({ label })),
          }),
          new GraphWidget({
            ...half,
            title: 'Oldest message, s',
            left: queues.map(({ label, queue }) => queue.metricApproximateAgeOfOldestMessage({ label })),
          }),
        ],
        [
          new GraphWidget({ ...half, title: 'Function runs', left: functions.map(({ label, fn }) => fn.metricInvocations({ label })) }),
          new GraphWidget({ ...half, title: 'Function failures', left: functions.map(({ label, fn }) => fn.metricErrors({ label })) }),
        ],
        [
          new GraphWidget({
            ...half,
            title: 'Table units',
            left: [table.metricConsumedReadCapacityUnits({ statistic: Stats.SUM }), writes],
          }),
          new GraphWidget({ ...half, title: 'From the logs', left: countedCodes.map((code) => countedMetric(code, deployment)) }),
        ],
      ],
    });
  }
}
