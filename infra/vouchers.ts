import * as z from 'zod';
import { buses } from '../events/catalogue.ts';
import { ZoneName } from '../lib/core/ids.ts';

/**
 * Senders and zones of each that a deployment may name: each pair has a rule for each queue, of which a bus has at most
 * 100 in the regions that allow the fewest.
 */
const most = { senders: 5, zones: 8 } as const;

/**
 * What the policy of a bus may have, in bytes (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html).
 */
const policyMaxBytes = 10_240;

/**
 * A system that may vouch for nodes by the ingest bus: its name, who it is to IAM, and the zones whose nodes it may
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

/** All of a deployment, each named once. */
export const Vouchers = z
  .array(SenderThatVouches)
  .max(most.senders)
  .refine((all) => new Set(all.map(({ sender }) => sender)).size === all.length, 'a sender is named twice');

/**
 * The `source` by which a sender puts what it vouches for in a zone: what IAM grants by, and the rule of the two
 * matches.
 */
export const sourceOf = (sender: string, zone: string): string => `${buses.ingest.vouched}.${zone}.${sender}`;

type Statement = {
  readonly sid: string;
  readonly allows: boolean;
  readonly conditions: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
};

/**
 * What the policy of the ingest bus says of a sender: it may put these types under its own sources, and nobody else
 * may put anything under them, whatever policies of their own allow. A call may have several events, so that a
 * condition is about all their sources, and a refusal about any: those of the sender in whatever zone, so that it
 * stays short.
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
 * Throws where what all senders may do does not fit into the policy of a bus: AWS would say so in the midst of a
 * deploy.
 */
export function refuseTooLong(vouchers: readonly SenderThatVouches[], types: readonly string[]): void {
  const bytes = policyBytes(vouchers, types);
  if (bytes <= policyMaxBytes) return;
  throw new Error(
    `-c vouchers: the policy of the ingest bus would have ${bytes} bytes, and AWS takes ${policyMaxBytes}: name fewer senders, fewer zones of each, or shorter names`,
  );
}
