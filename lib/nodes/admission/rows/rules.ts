import * as z from 'zod';
import { Cidr, isInside, readNetwork } from '../../../core/cidr.ts';
import { type Fqdn, ZoneName as Zone, type ZoneName } from '../../../core/ids.ts';
import { refOf } from '../../../core/ref.ts';
import { NodeKind } from '../../node.ts';
import { isOwnWatch } from './own-watch.ts';
import { isMeant, NamePattern, readPattern } from './pattern.ts';

/** The most rules of a deployment: they are one row, and every host without a token is checked against each. */
export const rulesMax = 100;

/** A rule's name: lower-case letters, digits and hyphens, 1 to 40 of them, beginning with a letter. */
export const RuleName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/, 'the name of a rule is 1 to 40 lower-case letters, digits or hyphens, beginning with a letter');

/** Admits hosts without a token: by name, network and kind, into a zone, up to a number. */
export const AdmissionRule = z.strictObject({
  name: RuleName,
  nodes: NamePattern,
  cidr: Cidr.optional(),
  kind: NodeKind.optional(),
  zone: Zone,
  /** How many more hosts it admits; absent: any number. */
  left: z.int().nonnegative().optional(),
  /** Its hosts may be watched at any address; absent: only at their own, and others wait in the pool. */
  anyWatch: z.literal(true).optional(),
});
export type AdmissionRule = z.infer<typeof AdmissionRule>;

/** The row of all rules, in the order in which they are checked. */
export const AdmissionRules = z.strictObject({ rules: z.array(AdmissionRule).max(rulesMax) });
export type AdmissionRules = z.infer<typeof AdmissionRules>;

/** The facts of a host that a rule checks. */
export type Asking = {
  readonly fqdn: Fqdn;
  readonly kind: NodeKind;
  readonly zone?: ZoneName | undefined;
  readonly watch: string;
  readonly source: string;
};

/**
 * The first rule that admits a host; undefined when none does. A host that asks for a zone is admitted into no other.
 */
export const ruleFor = ({ rules }: AdmissionRules, host: Asking): AdmissionRule | undefined => rules.find((rule) => admits(rule, host));

function admits({ nodes, cidr, kind, zone, left, anyWatch }: AdmissionRule, host: Asking): boolean {
  if (left === 0 || (kind !== undefined && kind !== host.kind) || (host.zone !== undefined && host.zone !== zone)) return false;
  if (!anyWatch && !isOwnWatch(host)) return false;
  const network = cidr === undefined ? undefined : readNetwork(cidr);
  return isMeant(readPattern(nodes) ?? [], host.fqdn) && (network === undefined || isInside(network, host.source));
}

/** All rules by which hosts are admitted. */
export const rulesRef = refOf('admission-rules', AdmissionRules, () => 'deployment')();
