import * as z from 'zod';

/**
 * Every refusal that our endpoints give: the stable type slug, its status, and its meaning. docs/problems.md is made
 * from this table.
 */
export const problems = {
  'malformed-json': [400, 'The body is not JSON, is nested deeper than 32 levels, or holds the key __proto__.'],
  'malformed-call': [400, 'The call names its host twice, or by an address that cannot exist.'],
  'bad-query': [
    400,
    'The search query cannot be read; the detail names the column, and what to write there. The member didYouMean is the whole query as it was perhaps meant.',
  ],
  'bad-cursor': [400, 'The cursor is not one of ours, or belongs to another query.'],
  'signature-missing': [401, 'The call must be signed by the key of a machine.'],
  'signature-profile': [401, 'The signature does not have the one profile that Muster accepts.'],
  'signature-coverage': [401, 'The signature does not cover the digest of the body.'],
  'signature-invalid': [401, 'The signature was not made by this key over this call.'],
  'digest-mismatch': [401, 'The body is not the one that was signed.'],
  'clock-skew': [401, 'The signature was made too long ago, or ahead of time; the header muster-time carries our clock in ms.'],
  'join-denied': [401, 'The token admits no node here: it is wrong, used up, expired, revoked or made for another.'],
  'sign-in-needed': [401, 'The call must carry a bearer token: muster login gets one.'],
  'bearer-invalid': [401, 'The bearer token is not valid here: it is wrong, expired, revoked or made for another.'],
  'insufficient-scope': [403, 'The caller lacks the scope that this call needs; the detail names it.'],
  'not-found': [404, 'There is nothing at this path.'],
  'unknown-node': [404, 'No node has this id or name.'],
  'unknown-system': [404, 'No client system has this fingerprint.'],
  'unknown-metadata': [404, 'The client system has no metadata of this kind.'],
  'unknown-zone': [404, 'No zone has this name.'],
  'unknown-dead-letter': [404, 'No dead letter has this id: it was dropped, or has expired.'],
  'unknown-token': [404, 'No token has this id.'],
  'unknown-key': [404, 'No key has this id.'],
  'unknown-webhook': [404, 'No webhook has this id.'],
  'unknown-host': [404, 'No host with this fingerprint or name waits to be admitted.'],
  'unknown-process': [404, 'No process of the storage cluster has this fid.'],
  'unknown-role': [404, 'The catalogue of the storage zone has no role of this name.'],
  'unknown-service': [404, 'No service of this type is registered on this node.'],
  'unknown-service-type': [404, 'The zone has no type of service of this name.'],
  'unknown-load': [404, 'No load of facts with this id is under way.'],
  'unknown-rule': [404, 'No admission rule has this name.'],
  'wrong-method': [405, 'The path exists, but not for this method; the header allow names those it has.'],
  'send-node-up': [409, 'Muster does not know this boot of the agent, or counts the node as down: send node-up.'],
  'must-rejoin': [409, 'The node was given up: flush what it had and send node-up with the generation it gave up.'],
  quarantined: [409, 'The node is quarantined until an operator has checked it.'],
  'key-cloned': [409, 'Another machine uses this key: the node is quarantined until an operator has checked both.'],
  'vouched-for': [409, 'Another system vouches for the liveness of the node: its agent cannot report it.'],
  'key-in-use': [409, 'The key belongs to another node or client system; every machine makes its own.'],
  'nonce-reused': [409, 'This very call was made before; sign it again with a new nonce.'],
  'fqdn-in-use': [409, 'Another node holds this name.'],
  'not-a-storage-zone': [409, 'The zone has no storage cluster: it is of the kind management.'],
  'other-facts': [409, 'The storage cluster has other facts already.'],
  'stations-differ': [409, 'The zone already has other stations; the detail names the difference.'],
  'no-quorum': [409, 'The call needs a majority of the stations of the zone, and too few are heard; the detail says how many.'],
  'type-shut-out': [
    409,
    'The type of service accepts nothing new: its schema cannot be used, or a check by it ran out of time; put the type again.',
  ],
  'name-taken': [409, 'Another service of the node has this service name; the detail says which.'],
  'service-not-running': [409, 'The service does not run there, or its node is away, so that nothing can answer.'],
  'other-session': [409, 'Another person is signed in in this browser: sign out first. The link stays good.'],
  'matches-changed': [409, 'The query no longer matches the client systems that were previewed; the detail says how many it matches now.'],
  'in-progress': [409, 'A call with this Idempotency-Key is being answered.'],
  refused: [409, 'The state of the thing does not allow this, and will not change by itself; the detail says why.'],
  'not-yet': [409, 'Something that is under way must end first: make the same call again in a while. The detail says what is under way.'],
  removed: [410, 'The node was removed by an operator: add it again.'],
  'changes-expired': [410, 'The journal no longer has what came after this cursor or moment: load anew, and start again without one.'],
  'version-conflict': [412, 'The thing has changed since it was read; the header etag carries its version.'],
  misdirected: [
    421,
    'Callers cannot use this address or name: an embedded host on loopback answers under names of loopback, a deployment behind an edge under the name of the edge.',
  ],
  'watch-not-own': [
    403,
    'A node can only be watched at its own name, or at the address that it calls from, unless an administrator allows another; the detail says how.',
  ],
  'cross-site': [
    403,
    'A page of another site made the call: the embedded host only answers programs, and pages of loopback; sessions of browsers are for the page of the deployment alone.',
  ],
  'too-large': [413, 'The body is larger than 64 KiB.'],
  'unsupported-media-type': [415, 'The body must be application/json.'],
  'content-encoding': [415, 'The body must not be compressed.'],
  'unknown-field': [422, 'This call does not have such a field; the pointer names it.'],
  'unknown-type': [422, 'No report is of this type and version.'],
  invalid: [422, 'A field has the wrong type or value; the pointer names it.'],
  'configuration-invalid': [422, 'The configuration does not follow the schema of the service; the pointers name every fault.'],
  'unknown-message': [422, 'The type of the service declares no such message.'],
  'private-target': [422, 'Events are only delivered to public targets over https; the detail says what is wrong with this one.'],
  'weak-key': [422, 'The public key is weak: anybody could sign by it.'],
  'unsupported-key': [422, 'The public key is not an Ed25519 key.'],
  'fingerprint-mismatch': [422, 'The fingerprint is not that of the public key.'],
  'proof-invalid': [422, 'The key in the body did not sign for this machine.'],
  'idempotency-mismatch': [422, 'This Idempotency-Key was used for another call.'],
  'not-owner': [403, 'A node can only report about itself, and only read and report about its own client systems.'],
  'rate-limited': [429, 'This caller calls too often; try again after the time the header retry-after gives.'],
  'onboarding-rate': [
    429,
    'Too many new machines from this network address, or with this onboarding token; try again after the time the header retry-after gives.',
  ],
  busy: [503, 'Something that Muster needs is busy or away; try again after the time the header retry-after gives.'],
  unexpected: [500, 'An unexpected error occurred; the instance names this call in the log.'],
} as const satisfies Record<string, readonly [number, string]>;
export type ProblemType = keyof typeof problems;

/** RFC 9457: the shape of every refusal. */
export const Problem = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  instance: z.string(),
  errors: z.array(z.strictObject({ pointer: z.string(), detail: z.string() })).optional(),
  /** The whole search query as it was perhaps meant; only of a `bad-query`, and not of each. */
  didYouMean: z.string().optional(),
});
export type Problem = z.infer<typeof Problem>;

/** A problem as programs read it: a newer Muster may give it more members, which are left out. */
export const AnyProblem = z.object(Problem.shape);

/** What a refusal has besides its detail: the wrong fields, the headers of its answer, the query as it was meant. */
type Besides = {
  readonly errors?: readonly { pointer: string; detail: string }[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly didYouMean?: string | undefined;
};

/** A refusal. It becomes an answer in one place, at the edge. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly type: ProblemType;
  readonly errors: readonly { pointer: string; detail: string }[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly didYouMean: string | undefined;

  constructor(type: ProblemType, detail: string, { errors, headers = {}, didYouMean }: Besides = {}) {
    super(detail);
    this.type = type;
    this.errors = errors;
    this.headers = headers;
    this.didYouMean = didYouMean;
  }
}

/** A refusal as problem+json; `instance` is the id of the call. */
export const problemOf = ({ type, message, errors, didYouMean }: Refusal, instance: string): Problem => ({
  type: `urn:muster:problem:${type}`,
  title: problems[type][1],
  status: problems[type][0],
  detail: message,
  instance,
  ...(errors && { errors: [...errors] }),
  ...(didYouMean !== undefined && { didYouMean }),
});

/** The type slug of a problem in an answer. Programs decide by it. */
export const problemTypeOf = ({ type }: Problem): string => type.slice(type.lastIndexOf(':') + 1);

/**
 * The refusal for a zod error: unknown fields and wrong ones have different types, each with its pointer. `at` comes
 * before every pointer.
 */
export function refusalOf(error: z.ZodError, at = ''): Refusal {
  const errors = error.issues.flatMap((issue) => flatten(issue, at));
  const unknown = error.issues.every((issue) => issue.code === 'unrecognized_keys');
  const named = error.issues.map(namedBy).find((one) => one !== undefined);
  const type = named ?? (unknown ? 'unknown-field' : error.issues.some(isOfNoReport) ? 'unknown-type' : 'invalid');
  return new Refusal(type, errors.map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`).join('; '), { errors });
}

/** Whether the type is not that of any report, or the version is not one that exists of it. */
const isOfNoReport = ({ code, path }: z.core.$ZodIssue): boolean =>
  (code === 'invalid_union' && path.at(-1) === 'type') || (code === 'invalid_value' && path.at(-1) === 'version');

/** The problem that a schema names for its failure: `.refine(…, { params: { problem: 'weak-key' } })`. */
function namedBy(issue: z.core.$ZodIssue): ProblemType | undefined {
  const named = issue.code === 'custom' ? (issue.params?.['problem'] as string | undefined) : undefined;
  return named !== undefined && named in problems ? (named as ProblemType) : undefined;
}

function flatten(issue: z.core.$ZodIssue, at: string): { pointer: string; detail: string }[] {
  const pointer = `${at}${issue.path.map(step).join('')}`;
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => ({ pointer: `${pointer}${step(key)}`, detail: 'no such field' }));
  return [{ pointer, detail: issue.message }];
}

/** One step of a pointer, RFC 6901. */
const step = (part: PropertyKey): string => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`;
