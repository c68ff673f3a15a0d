import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { AlarmPlan } from '../alarms.ts';

/** The anchor that Markdown makes from a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');

/**
 * Makes an alarm that describes what has happened and where to read about it, and notifies the topic when it begins and
 * when it ends.
 */
export function notifyingAlarm(scope: Construct, plan: AlarmPlan, where: { deployment: string; runbook: string; topic: ITopic }): Alarm {
  const alarm = new Alarm(scope, plan.name, {
    alarmName: `${where.deployment}-${plan.name}`,
    alarmDescription: `${plan.sentence} What to do: ${where.runbook}#${anchorOf(plan.runbookHeading)}`,
    metric: plan.metric,
    threshold: plan.threshold,
    evaluationPeriods: plan.periods?.of ?? 1,
    datapointsToAlarm: plan.periods?.breaching ?? 1,
    comparisonOperator: plan.comparison ?? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: plan.silenceIs === 'broken' ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  });
  const tell = new SnsAction(where.topic);
  alarm.addAlarmAction(tell);
  alarm.addOkAction(tell);
  return alarm;
}
