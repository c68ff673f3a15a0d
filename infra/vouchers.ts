import * as z from 'zod';
import { buses } from '../events/catalogue.ts';
import { ZoneName } from '../lib/core/ids.ts';

/**
 * The most senders, and zones of each, that a deployment may name. Each pair has a rule for each queue, and some
 * regions allow a bus only 100 rules.
 */
const most = { senders: 5, zones: 8 } as const;

/** The longest policy of a bus, in bytes (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html). */
const policyMaxBytes = 10_240;

/**
 * A system that may vouch for nodes by the ingest bus: its name, its IAM principal, and the zones whose nodes it may
 * vouch for.
 */
export const SenderThatVouches = z.strictObject({
  sender: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, '1 to 40 lower-case letters, digits or hyphens, beginning with a letter'),
  principal: z.string().regex(/^arn:aws[a-z-]*:iam::\d{12}:(role|user)\/[\w+=,.@/-]{1,512}$/, 'the ARN of an IAM role or user'),
  zones: z
    .array(ZoneName)
    .min(1)
    .max(most.zones)
    .refine((all) => new Set(all).size === all.length, 'a zone of a sender is named twice'),
});
export type SenderThatVouches = z.infer<typeof SenderThatVouches>;

/** All senders of a deployment, each named once. */
export const Vouchers = z
  .array(SenderThatVouches)
  .max(most.senders)
  .refine((all) => new Set(all.map(({ sender }) => sender)).size === all.length, 'a sender is named twice');

/** The `source` of a sender's reports about a zone. The IAM grant and the rule of the sender and zone both match it. */
export const sourceOf = (sender: string, zone: string): string => `${buses.ingest.vouched}.${zone}.${sender}`;

type Statement = {
  readonly sid: string;
  readonly allows: boolean;
  readonly conditions: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
};

/**
 * The statements about a sender in the policy of the ingest bus. The sender may put these types under its own sources,
 * and no other principal may use those sources, even if its own policies allow it. A call may have several events, so
 * the grant requires that all sources match, and the refusal applies if any does. The refusal covers the sender in all
 * zones by one pattern, so that it stays short.
 */
export const statementsOf = ({ sender, principal, zones }: SenderThatVouches, types: readonly string[]): readonly Statement[] => {
  const sources = zones.map((zone) => sourceOf(sender, zone));
  return [
    {
      sid: `${sender}-vouches`,
      allows: true,
      conditions: {
        'ForAllValues:StringEquals': { 'events:source': sources, 'events:detail-type': types },
        Null: { 'events:source': 'false', 'events:detail-type': 'false' },
      },
    },
    {
      sid: `nobody-else-as-${sender}`,
      allows: false,
      conditions: { 'ForAnyValue:StringLike': { 'events:source': sourceOf(sender, '*') }, ArnNotEquals: { 'aws:PrincipalArn': principal } },
    },
  ];
};

/**
 * About how long the policy of the ingest bus is, in bytes as AWS counts it: with the longest names of bus and region.
 */
export const policyBytes = (vouchers: readonly SenderThatVouches[], types: readonly string[]): number => {
  const Resource = `arn:aws-us-gov:events:ap-southeast-1:123456789012:event-bus/${buses.ingest.name}-${'x'.repeat(20)}`;
  const Statement = vouchers.flatMap((voucher) =>
    statementsOf(voucher, types).map(({ sid, allows, conditions }) => ({
      Sid: `cdk-${sid}`,
      Effect: allows ? 'Allow' : 'Deny',
      Principal: { AWS: allows ? voucher.principal : '*' },
      Action: 'events:PutEvents',
      Resource,
      Condition: conditions,
    })),
  );
  return Buffer.byteLength(JSON.stringify({ Version: '2012-10-17', Statement }));
};

/**
 * Throws if the statements of all senders do not fit into the policy of a bus: AWS would refuse them only in the middle
 * of a deploy.
 */
export function refuseTooLong(vouchers: readonly SenderThatVouches[], types: readonly string[]): void {
  const bytes = policyBytes(vouchers, types);
  if (bytes <= policyMaxBytes) return;
  throw new Error(
    `-c vouchers: the policy of the ingest bus would have ${bytes} bytes, and AWS takes ${policyMaxBytes}: name fewer senders, fewer zones of each, or shorter names`,
  );
}
