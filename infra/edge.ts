/** The region of the Edge stack: CloudFront takes certificates and web ACLs only from here. */
export const edgeRegion = 'us-east-1';

/** The settings of the edge: the domain name of the deployment, and the certificate that proves it. */
export type EdgeSettings = {
  readonly domain: string;
  /** An ACM certificate of {@link edgeRegion}. */
  readonly certificateArn: string;
  /** The version of the origin secret that CloudFront sends; the current one at the first deploy when absent. */
  readonly secretVersion: string | undefined;
};

/** A limit of calls from one network address; `prefix` of the path, every path when absent. */
export type EdgeRate = { readonly name: string; readonly method?: 'POST'; readonly prefix?: string; readonly calls: number };

/** The window that calls are counted in, in seconds. */
export const rateWindowS = 300;

/**
 * The most calls in five minutes from one address, before WAF answers 429 itself. A whole site may share one address,
 * so the limits are far above the rates of machines, and only stop floods. The functions limit each machine.
 */
export const edgeRates: readonly EdgeRate[] = [
  // A host that waits to be admitted asks every half minute or less often: sixty hosts of one site, all day.
  { name: 'join', method: 'POST', prefix: '/nodes/join', calls: 600 },
  // Administrators sign in at their provider; this limit stops a flood of guessed bearer tokens. Automation that reads
  // every page stays below it.
  { name: 'bearer', prefix: '/api/v1/', calls: 6_000 },
  // 10,000 client systems of one site that come up together knock three times each; nearly all of them within a quarter
  // of an hour.
  { name: 'knock', method: 'POST', prefix: '/system/knock', calls: 10_000 },
  // The same 10,000, asking once a minute.
  { name: 'overall', calls: 60_000 },
];

/** A group of rules that AWS maintains, and those of its rules that only count here. */
export type ManagedRules = { readonly name: string; readonly counted: Readonly<Record<string, string>> };

const bodiesAreData =
  'bodies are JSON, checked field by field, bounded, stored as data and displayed escaped; a report that happens to look like this would take a machine out of its cluster';

/**
 * AWS's own rules, with a reason for each that does not block. SQL rules are not among them: there is no SQL that a
 * caller could reach.
 */
export const managedRules: readonly ManagedRules[] = [
  {
    name: 'AWSManagedRulesCommonRuleSet',
    counted: {
      SizeRestrictions_BODY: 'it stops bodies above 8 KiB; ours have up to 64 KiB, and a rule of our own',
      NoUserAgent_HEADER: 'automation need not identify itself',
      CrossSiteScripting_BODY: bodiesAreData,
      GenericLFI_BODY: bodiesAreData,
      GenericRFI_BODY: bodiesAreData,
      EC2MetaDataSSRF_BODY: `${bodiesAreData}; interfaces have link-local addresses`,
    },
  },
  { name: 'AWSManagedRulesKnownBadInputsRuleSet', counted: {} },
];
