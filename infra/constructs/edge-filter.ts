import type { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { bodyBytesMax } from '../../lib/api/json.ts';
import { type ProblemType, problemOf, problems, Refusal } from '../../lib/api/problem.ts';
import { type EdgeRate, edgeRates, type ManagedRules, managedRules, rateWindowS } from '../edge.ts';

type Rule = CfnWebACL.RuleProperty;
type Statement = CfnWebACL.StatementProperty;

/**
 * The answers that WAF gives in our place: the same problems that the functions answer with. WAF cannot include the id
 * of the call, nor set the type problem+json.
 */
const answers = {
  'too-large': `the body has more than ${bodyBytesMax} bytes`,
  'rate-limited': 'too many calls came from this network address',
} as const satisfies Partial<Record<ProblemType, string>>;
type Answer = keyof typeof answers;

/** The bodies of WAF's answers, by the name that rules use. */
export const answerBodies: Readonly<Record<Answer, CfnWebACL.CustomResponseBodyProperty>> = {
  'too-large': answerBody('too-large'),
  'rate-limited': answerBody('rate-limited'),
};

function answerBody(type: Answer): CfnWebACL.CustomResponseBodyProperty {
  return { contentType: 'APPLICATION_JSON', content: JSON.stringify(problemOf(new Refusal(type, answers[type]), 'none')) };
}

const blocked = (type: Answer, headers: Readonly<Record<string, string>> = {}): CfnWebACL.RuleActionProperty => ({
  block: {
    customResponse: {
      responseCode: problems[type][0],
      customResponseBodyKey: type,
      ...(Object.keys(headers).length > 0 && {
        responseHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
      }),
    },
  },
});

/** The metrics and samples of a rule, by its name. */
export const watched = (name: string): CfnWebACL.VisibilityConfigProperty => ({
  cloudWatchMetricsEnabled: true,
  metricName: name,
  sampledRequestsEnabled: true,
});

/**
 * The rules of the web ACL, the cheapest first. Calls that no rule stops reach the functions, which check them
 * themselves.
 */
export const filterRules = (): Rule[] =>
  [bodySize, ...edgeRates.map(rateRule), ...managedRules.map(managedRule)].map((rule, priority) => ({ ...rule, priority }));

type Unordered = Omit<Rule, 'priority'>;

/** WAF inspects the first 64 KiB of a body (see {@link inspectedBody}); a longer body matches because of its length. */
const bodySize: Unordered = {
  name: 'body-size',
  statement: {
    sizeConstraintStatement: {
      fieldToMatch: { body: { oversizeHandling: 'MATCH' } },
      comparisonOperator: 'GT',
      size: bodyBytesMax,
      textTransformations: asItIs(),
    },
  },
  action: blocked('too-large'),
  visibilityConfig: watched('body-size'),
};

/** How much of a body WAF inspects: as much as we accept. */
export const inspectedBody: CfnWebACL.AssociationConfigProperty = {
  requestBody: { CLOUDFRONT: { defaultSizeInspectionLimit: 'KB_64' } },
};

function rateRule({ name, method, prefix, calls }: EdgeRate): Unordered {
  const conditions = [...(method ? [isMethod(method)] : []), ...(prefix ? [beginsWith(prefix)] : [])];
  const scope = conditions.length > 1 ? { andStatement: { statements: conditions } } : conditions[0];
  return {
    name: `rate-${name}`,
    statement: {
      rateBasedStatement: {
        aggregateKeyType: 'IP',
        evaluationWindowSec: rateWindowS,
        limit: calls,
        ...(scope && { scopeDownStatement: scope }),
      },
    },
    action: blocked('rate-limited', { 'retry-after': String(rateWindowS) }),
    visibilityConfig: watched(`rate-${name}`),
  };
}

const isMethod = (method: string): Statement => ({
  byteMatchStatement: {
    fieldToMatch: { method: {} },
    positionalConstraint: 'EXACTLY',
    searchString: method,
    textTransformations: asItIs(),
  },
});

const beginsWith = (prefix: string): Statement => ({
  byteMatchStatement: {
    fieldToMatch: { uriPath: {} },
    positionalConstraint: 'STARTS_WITH',
    searchString: prefix,
    textTransformations: [
      { priority: 0, type: 'URL_DECODE' },
      { priority: 1, type: 'NORMALIZE_PATH' },
    ],
  },
});

function managedRule({ name, counted }: ManagedRules): Unordered {
  return {
    name,
    statement: {
      managedRuleGroupStatement: {
        vendorName: 'AWS',
        name,
        ruleActionOverrides: Object.keys(counted).map((rule) => ({ name: rule, actionToUse: { count: {} } })),
      },
    },
    overrideAction: { none: {} },
    visibilityConfig: watched(name),
  };
}

function asItIs(): CfnWebACL.TextTransformationProperty[] {
  return [{ priority: 0, type: 'NONE' }];
}
