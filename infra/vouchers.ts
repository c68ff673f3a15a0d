import * as z from 'zod';
import { buses } from '../events/catalogue.ts';
import { VouchedReport } from '../events/reported/vouched.ts';
import { ZoneName } from '../lib/ids.ts';

/** Senders, and zones of each, that a deployment may name. */
const most = { senders: 5, zones: 8 } as const;
/**
 * The bytes that the policy of a bus may have
 * (https://docs.aws.amazon.com/general/latest/gr/ev.html), less the ARN of the bus in each statement.
 */
const policyBytesMax = 10_240 - 200 * 2 * most.senders;

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
    .refine((zones) => new Set(zones).size === zones.length, 'a zone is named twice'),
});
export type SenderThatVouches = z.infer<typeof SenderThatVouches>;

/** All of a deployment, each named once, as many as the policy of its bus has room for. */
export const Vouchers = z
  .array(SenderThatVouches)
  .max(most.senders)
  .refine((all) => new Set(all.map(({ sender }) => sender)).size === all.length, 'a sender is named twice')
  .superRefine((all, context) => {
    const bytes = JSON.stringify(all.flatMap((sender) => statementsOf(sender, vouchedTypes))).length;
    if (bytes > policyBytesMax)
      context.addIssue(
        `what they may do takes ${bytes} bytes of the policy of a bus, which has room for ${policyBytesMax}: name fewer zones`,
      );
  });

/** What a sender may put. */
const vouchedTypes = VouchedReport.options.map(({ shape }) => shape.type.value);

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
 * condition is about all their sources, and a refusal about any.
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
      conditions: { 'ForAnyValue:StringEquals': { 'events:source': sources }, ArnNotEquals: { 'aws:PrincipalArn': principal } },
    },
  ];
};
