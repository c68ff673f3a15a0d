// The functions of Muster 0.1.0 as of commit 15db146359a6f3b73f7578c4c75db6bdc0d25d48.
// Made by test/previous/freeze.ts; never edited.
// lib/api/node-routes.ts
import * as z7 from "zod";

// events/define.ts
import * as z3 from "zod";

// lib/ids.ts
import * as z from "zod";

// lib/identity/public-key.ts
import { createPublicKey } from "node:crypto";
var prime = 2n ** 255n - 19n;
var smallOrderYs = [
  0n,
  1n,
  prime - 1n,
  2707385501144840649318225287225658788936804267575313519463743609750303402022n,
  55188659117513257062467267217118295137698188065244968500265048394206261417927n
];
function faultOfKey(publicKey2) {
  const bytes = Buffer.from(publicKey2, "base64url");
  if (bytes.length !== 32 || bytes.toString("base64url") !== publicKey2) return "unsupported-key";
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`) & 2n ** 255n - 1n;
  return y >= prime || smallOrderYs.includes(y) ? "weak-key" : void 0;
}
var verifyingKey = (publicKey2) => createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: publicKey2 }, format: "jwk" });

// lib/ids.ts
var NodeId = z.string().regex(/^n[0-9a-f]{16}$/, "a node id is the letter n and 16 hex digits").brand();
var DeploymentName = z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, "a deployment is called by 1 to 64 letters, digits or ._-");
var ZoneName = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, "a zone name is 1 to 40 lower-case letters, digits or hyphens, beginning with a letter").brand();
var Fingerprint = z.string().transform((text2) => text2.replaceAll(":", "").toLowerCase()).pipe(z.string().regex(/^[0-9a-f]{64}$/, "a fingerprint is 32 bytes in hex, with or without colons")).pipe(z.string().brand());
var showFingerprint = (fp4) => fp4.replace(/..(?!$)/g, "$&:");
var Fqdn = z.string().max(253).transform((text2) => text2.toLowerCase()).pipe(
  z.string().regex(
    /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
    "a fully qualified domain name: two or more labels of letters, digits and hyphens"
  )
).pipe(z.string().brand());
var WatchAddress = z.string().max(259).regex(/^[A-Za-z0-9.-]{1,253}:\d{1,5}$/, "a watch address is host:port").refine((text2) => Number(text2.slice(text2.lastIndexOf(":") + 1)) <= 65535, "a port is at most 65535");
var PublicKey = z.string().max(8192).regex(/^[A-Za-z0-9_-]{43}$/, "an Ed25519 public key is 32 bytes in base64url").refine((key) => faultOfKey(key) !== "unsupported-key", {
  message: "not an Ed25519 public key: RSA, P-256, PEM and JWK are not taken",
  params: { problem: "unsupported-key" }
}).refine((key) => faultOfKey(key) !== "weak-key", { message: "a key by which anybody could sign", params: { problem: "weak-key" } });
var Tag = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/, "a tag is 1 to 64 letters, digits or ._:/- and begins with a letter or digit");
var PemPublicKey = z.string().max(4096).regex(
  /^-----BEGIN (RSA )?PUBLIC KEY-----\r?\n([A-Za-z0-9+/=]{1,76}\r?\n)+-----END (RSA )?PUBLIC KEY-----\s*$/,
  "a public key in PEM, as in a minion.pub file"
);

// lib/units.ts
import * as z2 from "zod";
var lastMs = 864e13;
var EpochMs = z2.int().nonnegative().max(lastMs).brand();
var plusMs = (at3, spanMs) => at3 + spanMs;
var earlier = (a, b) => a === void 0 ? b : b === void 0 ? a : a < b ? a : b;
var clamp = (value, low, high) => Math.min(high, Math.max(low, value));
var secondMs = 1e3;
var minuteMs = 60 * secondMs;
var hourMs = 60 * minuteMs;
var dayMs = 24 * hourMs;
var unreachable = (value) => {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
};

// events/define.ts
var reportId = z3.string().min(1).max(100);
var Incarnation = z3.int().positive();
var Seq = z3.int().nonnegative();
var defineReport = (type, version, data) => z3.strictObject({
  type: z3.literal(type),
  version: z3.literal(version),
  id: reportId,
  node: NodeId,
  incarnation: Incarnation.optional(),
  seq: Seq.optional(),
  receivedAt: EpochMs,
  intervalMs: z3.int().positive(),
  data
});
var defineEvent = (type, version, data) => z3.strictObject({ type: z3.literal(type), version: z3.literal(version), data });

// events/reported/node.ts
import * as z4 from "zod";
var Boot = z4.strictObject({ id: z4.string().min(8).max(64), kernel: z4.string().min(1).max(64) });
var HostFacts = z4.strictObject({
  fqdn: Fqdn,
  address: z4.string().min(2).max(64),
  memoryMib: z4.int().nonnegative(),
  cpus: z4.int().positive(),
  interfaces: z4.array(z4.strictObject({ name: z4.string().min(1).max(64), address: z4.string().max(64), mac: z4.string().max(32) })).max(64),
  os: z4.string().max(128).optional()
});
var Load = z4.strictObject({
  load1: z4.number().nonnegative(),
  load5: z4.number().nonnegative(),
  load15: z4.number().nonnegative(),
  memoryUsedMib: z4.int().nonnegative(),
  memoryMib: z4.int().nonnegative(),
  systems: z4.int().nonnegative()
});
var Digest = z4.strictObject({ listVersion: z4.int().nonnegative(), bits: z4.base64() });
var NodeUp = defineReport(
  "node.up",
  1,
  z4.strictObject({ boot: Boot, facts: HostFacts, flushed: z4.int().nonnegative().optional() })
);
var NodeHeartbeat = defineReport(
  "node.heartbeat",
  1,
  z4.strictObject({ load: Load, tableHash: z4.string().max(64).optional(), digest: Digest.optional() })
);
var NodeReady = defineReport("node.ready", 1, z4.strictObject({}));
var NodeLeaving = defineReport("node.leaving", 1, z4.strictObject({ mode: z4.enum(["drain", "hold"]), until: EpochMs.optional() }));
var NodeReleased = defineReport("node.released", 1, z4.strictObject({ mapVersion: z4.int().nonnegative() }));
var NodeReport = z4.discriminatedUnion("type", [NodeUp, NodeHeartbeat, NodeReady, NodeLeaving, NodeReleased]);

// lib/desired/desired.ts
import * as z5 from "zod";
var ReleaseOrder = z5.strictObject({
  mapVersion: z5.int().nonnegative(),
  zoneSlots: z5.int().positive(),
  slots: z5.array(z5.int().nonnegative())
});
var Desired = z5.strictObject({ release: z5.array(ReleaseOrder) });
var releasesMax = 16;
var releaseSlotsMax = 65536;
function withOrder(waiting, order2) {
  const kept8 = [order2];
  let slots = order2.slots.length;
  for (const older of waiting.slice(1 - releasesMax).reverse()) {
    slots += older.slots.length;
    if (slots > releaseSlotsMax) break;
    kept8.unshift(older);
  }
  return kept8;
}

// lib/nodes/node.ts
import * as z6 from "zod";
var dropAfterMs = 30 * minuteMs;
var releaseWaitMs = 30 * minuteMs;
var NodeKind = z6.enum(["uyuni", "salt", "storage"]);
var LeaveMode = z6.enum(["drain", "hold"]);
var every = {
  id: NodeId,
  fqdn: Fqdn,
  kind: NodeKind,
  zone: ZoneName,
  publicKey: PublicKey,
  /** The key that it has named to sign with from now on; the first call that is signed by it makes it the key. */
  nextKey: PublicKey.optional(),
  watch: WatchAddress,
  /** A node of weight 2 takes twice the client systems of a node of weight 1. */
  weight: z6.number().positive(),
  /** The most client systems it should have; absent is unlimited. */
  capacity: z6.int().positive().optional(),
  labels: z6.record(z6.string(), Tag),
  joinedAt: EpochMs,
  /** Grows by one for each acknowledged new boot of the agent; fences reports. */
  incarnation: z6.int().nonnegative(),
  /** Grows by one only when the node joins as new, flushed; fences memberships. */
  generation: z6.int().nonnegative(),
  /** Its place in the zone's roster, never used again for another; given by the zone's plan. */
  index: z6.int().nonnegative().optional(),
  /** The acknowledged boot, and the one before it, by which a clone is told (A, B, A). */
  boot: Boot.extend({ receivedAt: EpochMs, before: z6.string().optional() }).optional(),
  /** The last heartbeat's number within the incarnation. */
  seq: z6.int().nonnegative(),
  heardAt: EpochMs.optional(),
  load: Load.optional(),
  /** The last word about leaving or staying, and the last report that said to leave: an older or repeated one is heard no more. */
  word: z6.strictObject({ at: EpochMs, report: reportId.optional() }).optional(),
  /** It has not said that it is ready since it joined as new; it stays joining until it does, whatever happens meanwhile. */
  unready: z6.literal(true).optional(),
  /** Since when an operator wants it no more: it is answered so, and stays out until it is admitted again or joins by a newer token. */
  removedAt: EpochMs.optional(),
  /** Something happened that the zone's roster must follow; the row stays due until the zone's plan has. */
  awaitsPlan: z6.literal(true).optional()
};
var ordered = z6.literal("drop").optional();
var reason = z6.enum(["clone", "flapping", "operator"]);
var leased = { ...every, leaseUntil: EpochMs, ordered };
var leaving = {
  mode: LeaveMode,
  since: EpochMs,
  until: EpochMs.optional(),
  orderVersion: z6.int().nonnegative().optional(),
  releasedVersion: z6.int().nonnegative().optional()
};
var Node = z6.discriminatedUnion("status", [
  z6.strictObject({ ...every, status: z6.literal("absent") }),
  z6.strictObject({ ...every, status: z6.literal("waiting") }),
  z6.strictObject({ ...leased, status: z6.literal("joining") }),
  z6.strictObject({ ...leased, status: z6.literal("up") }),
  z6.strictObject({
    ...leased,
    status: z6.literal("suspect"),
    was: z6.enum(["joining", "up", "leaving", "quarantined"]),
    leaving: z6.strictObject(leaving).optional(),
    /** Of a quarantined one; silence lifts no quarantine. */
    reason: reason.optional()
  }),
  z6.strictObject({
    ...every,
    status: z6.literal("down"),
    downAt: EpochMs,
    returning: z6.strictObject({ leaseUntil: EpochMs }).optional(),
    /** It was quarantined, and will be again. */
    reason: reason.optional(),
    ordered
  }),
  z6.strictObject({ ...leased, status: z6.literal("leaving"), leaving: z6.strictObject(leaving) }),
  z6.strictObject({ ...every, status: z6.literal("dropped"), droppedAt: EpochMs, planned: z6.boolean() }),
  z6.strictObject({ ...leased, status: z6.literal("quarantined"), reason })
]);
function lasting(node5) {
  const {
    id: id3,
    fqdn: fqdn2,
    kind,
    zone: zone3,
    publicKey: publicKey2,
    nextKey,
    watch: watch2,
    weight,
    capacity,
    labels: labels2,
    joinedAt,
    incarnation,
    generation: generation2,
    index,
    boot,
    seq,
    heardAt,
    load: load3,
    word: word2,
    removedAt
  } = node5;
  return {
    id: id3,
    fqdn: fqdn2,
    kind,
    zone: zone3,
    publicKey: publicKey2,
    watch: watch2,
    weight,
    labels: labels2,
    joinedAt,
    incarnation,
    generation: generation2,
    seq,
    ...nextKey !== void 0 && { nextKey },
    ...capacity !== void 0 && { capacity },
    ...index !== void 0 && { index },
    ...boot && { boot },
    ...heardAt !== void 0 && { heardAt },
    ...load3 && { load: load3 },
    ...word2 && { word: word2 },
    ...node5.unready && { unready: true },
    ...removedAt !== void 0 && { removedAt }
  };
}
var pending = (node5) => ({
  ..."ordered" in node5 && node5.ordered && { ordered: node5.ordered },
  ...node5.awaitsPlan && { awaitsPlan: true }
});
function resumed(node5, base) {
  const next3 = { ...base, ...pending(node5), awaitsPlan: true };
  if (node5.was === "leaving" && node5.leaving) return { ...next3, status: "leaving", leaving: node5.leaving };
  if (node5.was === "quarantined") return { ...next3, status: "quarantined", reason: node5.reason ?? "operator" };
  return { ...next3, status: node5.was === "joining" ? "joining" : "up" };
}
var concluded = (type, after, extra) => ({
  type,
  version: 1,
  data: { node: after.id, fqdn: after.fqdn, zone: after.zone, incarnation: after.incarnation, generation: after.generation, ...extra }
});

// lib/api/route.ts
var route = (declared) => declared;

// lib/api/node-routes.ts
var id = z7.strictObject({ id: NodeId });
var next = { nextMs: z7.int().positive() };
var word = (type, data) => z7.strictObject({
  id: reportId,
  type: z7.literal(type),
  version: z7.literal(1),
  incarnation: Incarnation,
  seq: Seq.optional(),
  /** Whom it is about: a node speaks only for itself. */
  node: NodeId.optional(),
  at: z7.int().optional(),
  data
});
var AgentEvent = z7.discriminatedUnion("type", [
  word("node.ready", z7.strictObject({})),
  word("node.released", z7.strictObject({ mapVersion: z7.int().nonnegative() }))
]);
var signed = [
  "signature-missing",
  "signature-profile",
  "signature-coverage",
  "signature-invalid",
  "digest-mismatch",
  "clock-skew"
];
var nodeRoutes = {
  join: route({
    method: "POST",
    path: "/nodes/join",
    summary: "Join as a node, by a token, an admission rule or an administrator; 202: the host waits in the pool. The same key joining again is the same node",
    scope: "node",
    body: z7.strictObject({
      token: z7.string().max(200).optional(),
      publicKey: PublicKey,
      fqdn: Fqdn,
      kind: NodeKind,
      zone: ZoneName.optional(),
      watch: WatchAddress.optional(),
      capacity: z7.int().positive().optional()
    }),
    reply: z7.union([
      z7.strictObject({ node: NodeId, zone: ZoneName, ...next }),
      z7.strictObject({ pooled: z7.literal(true), fingerprint: z7.string(), ...next })
    ]),
    statuses: [201, 202],
    errors: [
      ...signed,
      "weak-key",
      "unsupported-key",
      "fingerprint-mismatch",
      "nonce-reused",
      "join-denied",
      "fqdn-in-use",
      "key-in-use",
      "unknown-zone",
      "refused",
      "removed",
      "onboarding-rate"
    ]
  }),
  up: route({
    method: "POST",
    path: "/nodes/{id}/up",
    summary: "Say that the agent has started; repeat until 200: this boot is acknowledged",
    scope: "node",
    params: id,
    body: z7.strictObject({ id: reportId, boot: Boot, facts: HostFacts, flushed: z7.int().nonnegative().optional() }),
    reply: z7.union([
      z7.strictObject({ acknowledged: z7.literal(true), incarnation: z7.int(), generation: z7.int(), ...next }),
      z7.strictObject({ acknowledged: z7.literal(false), ...next })
    ]),
    statuses: [202, 200],
    // Quarantined is what the version before this one says of a clone, and both answer while a deploy is rolled out.
    errors: [...signed, "nonce-reused", "unknown-node", "must-rejoin", "removed", "key-cloned", "quarantined"]
  }),
  heartbeat: route({
    method: "POST",
    path: "/nodes/{id}/heartbeat",
    summary: "A sign of life with load; every sixth time with the digest of the client systems it sees",
    scope: "node",
    params: id,
    body: z7.strictObject({
      id: reportId,
      incarnation: Incarnation,
      seq: Seq,
      load: Load,
      tableHash: z7.string().max(64).optional(),
      digest: Digest.optional()
    }),
    reply: z7.strictObject({
      ...next,
      desired: z7.int().nonnegative(),
      resync: z7.boolean(),
      listStale: z7.boolean(),
      mapVersion: z7.int().nonnegative()
    }),
    statuses: [200],
    errors: [...signed, "unknown-node", "send-node-up", "must-rejoin", "quarantined", "removed"]
  }),
  events: route({
    method: "POST",
    path: "/nodes/{id}/events",
    summary: "Report what happened, up to 100 at once",
    scope: "node",
    params: id,
    body: z7.array(AgentEvent).min(1).max(100),
    reply: z7.strictObject({ accepted: z7.int() }),
    statuses: [202],
    errors: [...signed, "unknown-node", "not-owner", "send-node-up", "must-rejoin", "removed", "unknown-type"]
  }),
  leaving: route({
    method: "POST",
    path: "/nodes/{id}/leaving",
    summary: "Say that the node goes on purpose",
    scope: "node",
    params: id,
    body: z7.strictObject({
      id: reportId,
      incarnation: Incarnation,
      mode: z7.enum(["drain", "hold"]),
      untilMs: EpochMs.optional()
    }),
    reply: z7.strictObject({ accepted: z7.int() }),
    statuses: [202],
    errors: [...signed, "nonce-reused", "unknown-node", "send-node-up", "must-rejoin", "removed"]
  }),
  rotate: route({
    method: "POST",
    path: "/nodes/{id}/rotate",
    summary: "Name the key that the node signs with from now on; the first call that is signed by it makes it the key",
    scope: "node",
    params: id,
    body: z7.strictObject({
      publicKey: PublicKey,
      /** The new key's signature over `muster-rotate:<deployment>:<node>:<fingerprint>:<new fingerprint>`. */
      proof: z7.string().regex(/^[A-Za-z0-9_-]{86}$/, "an Ed25519 signature is 64 bytes in base64url")
    }),
    reply: z7.strictObject({ fingerprint: Fingerprint }),
    statuses: [202],
    errors: [
      ...signed,
      "unknown-node",
      "removed",
      "quarantined",
      "proof-invalid",
      "weak-key",
      "unsupported-key",
      "key-in-use",
      "nonce-reused"
    ]
  }),
  desired: route({
    method: "GET",
    path: "/nodes/{id}/desired",
    summary: "What the node should run and do; 304 while the ETag sent with If-None-Match still holds",
    scope: "node",
    params: id,
    reply: Desired,
    statuses: [200, 304],
    errors: [...signed, "unknown-node", "removed"],
    etag: true
  }),
  systems: route({
    method: "GET",
    path: "/nodes/{id}/systems",
    summary: "Its client systems in fingerprint order, or what changed since a version it was handed",
    scope: "node",
    params: id,
    query: z7.strictObject({ since: z7.coerce.number().int().nonnegative().optional() }),
    reply: z7.strictObject({
      version: z7.int().nonnegative(),
      /** Whether `systems` is the whole list, or only those added since. */
      whole: z7.boolean(),
      systems: z7.array(z7.string()),
      /** The first 16 hex digits of those gone since. */
      gone: z7.array(z7.string())
    }),
    statuses: [200],
    errors: [...signed, "unknown-node", "removed", "refused"]
  }),
  system: route({
    method: "GET",
    path: "/nodes/{id}/systems/{fp}",
    summary: "Whether this key should be accepted on the node: asked when it is pending there",
    scope: "node",
    params: z7.strictObject({ id: NodeId, fp: Fingerprint }),
    reply: z7.strictObject({ verdict: z7.enum(["accept", "not-yours", "unknown", "banned"]), node: Fqdn.optional() }),
    statuses: [200],
    errors: [...signed, "unknown-node", "removed"]
  })
};

// lib/api/problem.ts
import * as z8 from "zod";
var problems = {
  "malformed-json": [400, "The body is not JSON, is nested deeper than 32 levels, or holds the key __proto__."],
  "bad-cursor": [400, "The cursor is not one of ours, or belongs to another query."],
  "signature-missing": [401, "The call must be signed by the key of a machine."],
  "signature-profile": [401, "The signature is not of the one profile that Muster takes."],
  "signature-coverage": [401, "The signature does not cover the digest of the body."],
  "signature-invalid": [401, "The signature is not of this key over this call."],
  "digest-mismatch": [401, "The body is not the one that was signed."],
  "clock-skew": [401, "The signature was made too long ago, or ahead of time; the header muster-time carries our clock in ms."],
  "join-denied": [401, "The token admits no node here: it is wrong, used up, expired, revoked or made for another."],
  "sign-in-needed": [401, "The call must carry a bearer token: muster login gets one."],
  "bearer-invalid": [401, "The bearer token is not valid here: it is wrong, expired, revoked or made for another."],
  "insufficient-scope": [403, "The caller lacks the scope that this call needs; the detail names it."],
  "not-found": [404, "There is nothing at this path."],
  "unknown-node": [404, "No node has this id or name."],
  "unknown-system": [404, "No client system has this fingerprint."],
  "unknown-zone": [404, "No zone has this name."],
  "unknown-dead-letter": [404, "No dead letter has this id: it was dropped, or has expired."],
  "unknown-token": [404, "No token has this id."],
  "unknown-key": [404, "No key has this id."],
  "unknown-host": [404, "No host with this fingerprint or name waits to be admitted."],
  "unknown-rule": [404, "No admission rule has this name."],
  "wrong-method": [405, "The path exists, but not for this method; the header allow names those it has."],
  "send-node-up": [409, "Muster does not know this boot of the agent, or holds the node for down: send node-up."],
  "must-rejoin": [409, "The node was given up: flush what it had and send node-up with the generation it gave up."],
  quarantined: [409, "The node is quarantined until an operator has looked."],
  "key-cloned": [409, "Another machine speaks with this key: the node is quarantined until an operator has looked."],
  "key-in-use": [409, "The key belongs to another node or client system; every machine makes its own."],
  "nonce-reused": [409, "This very call was made before; sign it anew."],
  "fqdn-in-use": [409, "Another node holds this name."],
  "in-progress": [409, "A call with this Idempotency-Key is being answered."],
  refused: [409, "The state of the thing does not allow this; the detail says why."],
  removed: [410, "The node was removed by an operator: add it again."],
  "version-conflict": [412, "The thing has changed since it was read; the header etag carries its version."],
  misdirected: [
    421,
    "This address or name is not one that callers use: an embedded host on loopback answers under names of loopback, a deployment behind an edge under the name of the edge."
  ],
  "cross-site": [403, "A page of another site asked: the embedded host answers programs, and pages of loopback."],
  "too-large": [413, "The body is larger than 64 KiB."],
  "unsupported-media-type": [415, "The body must be application/json."],
  "content-encoding": [415, "The body must not be compressed."],
  "unknown-field": [422, "A field that this call does not have; the pointer names it."],
  "unknown-type": [422, "No report is of this type and version."],
  invalid: [422, "A field has the wrong type or value; the pointer names it."],
  "weak-key": [422, "The public key is one by which anybody could sign."],
  "unsupported-key": [422, "The public key is not an Ed25519 key."],
  "fingerprint-mismatch": [422, "The fingerprint is not that of the public key."],
  "proof-invalid": [422, "The key in the body did not sign for this machine."],
  "idempotency-mismatch": [422, "This Idempotency-Key was used for another call."],
  "not-owner": [403, "A node speaks only for itself."],
  "rate-limited": [429, "This caller calls too often; try again after the time the header retry-after gives."],
  "onboarding-rate": [429, "Too many new machines from this source; try again after the time the header retry-after gives."],
  busy: [503, "Something Muster needs is busy or away; try again after the time the header retry-after gives."],
  unexpected: [500, "Something Muster did not expect; the instance names this call in its log."]
};
var Problem = z8.strictObject({
  type: z8.string(),
  title: z8.string(),
  status: z8.int(),
  detail: z8.string(),
  instance: z8.string(),
  errors: z8.array(z8.strictObject({ pointer: z8.string(), detail: z8.string() })).optional()
});
var Refusal = class extends Error {
  name = "Refusal";
  type;
  errors;
  headers;
  constructor(type, detail, { errors, headers = {} } = {}) {
    super(detail);
    this.type = type;
    this.errors = errors;
    this.headers = headers;
  }
};
var problemOf = ({ type, message, errors }, instance) => ({
  type: `urn:muster:problem:${type}`,
  title: problems[type][1],
  status: problems[type][0],
  detail: message,
  instance,
  ...errors && { errors: [...errors] }
});
function refusalOf(error, at3 = "") {
  const errors = error.issues.flatMap((issue) => flatten(issue, at3));
  const unknown = error.issues.every((issue) => issue.code === "unrecognized_keys");
  const named3 = error.issues.map(namedBy).find((one4) => one4 !== void 0);
  const type = named3 ?? (unknown ? "unknown-field" : error.issues.some(isOfNoReport) ? "unknown-type" : "invalid");
  return new Refusal(type, errors.map(({ pointer, detail }) => `${pointer || "/"}: ${detail}`).join("; "), { errors });
}
var isOfNoReport = ({ code, path }) => code === "invalid_union" && path.at(-1) === "type" || code === "invalid_value" && path.at(-1) === "version";
function namedBy(issue) {
  const named3 = issue.code === "custom" ? issue.params?.["problem"] : void 0;
  return named3 !== void 0 && named3 in problems ? named3 : void 0;
}
function flatten(issue, at3) {
  const pointer = `${at3}${issue.path.map(step).join("")}`;
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => ({ pointer: `${pointer}${step(key)}`, detail: "no such field" }));
  return [{ pointer, detail: issue.message }];
}
var step = (part2) => `/${String(part2).replaceAll("~", "~0").replaceAll("/", "~1")}`;

// lib/nodes/lease.ts
var rateMaxPerSecond = 50;
var beatMaxMs = 300 * secondMs;
var jitter = 0.1;
var intervalMsOf = (admittedNodes2, beatMinMs) => clamp(Math.round(admittedNodes2 / rateMaxPerSecond * secondMs), beatMinMs, beatMaxMs);
var jittered = (intervalMs, random) => Math.round(intervalMs * (1 - jitter + 2 * jitter * random));
var leaseMsOf = (intervalMs) => 3 * (1 + jitter) * intervalMs + 5 * secondMs;
var leaseUntilOf = ({ receivedAt, intervalMs }) => plusMs(receivedAt, Math.round(leaseMsOf(intervalMs)));
function heardBy(node5, report2) {
  const { heardAt, leaseUntil } = node5;
  const given = leaseUntilOf(report2);
  if (heardAt === void 0 || report2.receivedAt > heardAt) return { heardAt: report2.receivedAt, leaseUntil: given };
  return { heardAt, leaseUntil: leaseUntil !== void 0 && leaseUntil > given ? leaseUntil : given };
}

// lib/decision.ts
var graced = (at3, { graceUntil }) => graceUntil !== void 0 && graceUntil > at3 ? graceUntil : at3;
var nothing = (because, wakeAt) => ({
  does: "nothing",
  because,
  ...wakeAt !== void 0 && { wakeAt }
});
var write = (next3, because, { events: events2 = [], wakeAt, expiresAt } = {}) => ({
  does: "write",
  next: next3,
  events: events2,
  because,
  ...wakeAt !== void 0 && { wakeAt },
  ...expiresAt !== void 0 && { expiresAt }
});
function isSame(a, b) {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
  const left = a;
  const right = b;
  const names2 = Object.keys(left);
  return names2.length === Object.keys(right).length && names2.every((name) => name in right && isSame(left[name], right[name]));
}

// lib/table/keys.ts
var part = (text2) => encodeURIComponent(text2);
var join = (...parts) => parts.map(part).join("#");
var dueShards = 4;
var hashOf = (text2) => {
  let hash2 = 0;
  for (let i = 0; i < text2.length; i++) hash2 = Math.imul(hash2, 31) + text2.charCodeAt(i) | 0;
  return hash2 >>> 0;
};
var deadShards = 16;
var deadShardOf = (id3) => join("dead", String(hashOf(id3) % deadShards));
var redrivenShardOf = (id3) => join("redriven", String(hashOf(id3) % deadShards));
var number3 = (n) => String(n).padStart(10, "0");
var split = (id3) => {
  const at3 = id3.lastIndexOf("/");
  return [id3.slice(0, at3), id3.slice(at3 + 1)];
};
var numbered = (id3, n) => `${id3}/${n}`;
var placed = {
  node: (id3) => ({ pk: join("node", id3), sk: "node" }),
  host: (id3) => ({ pk: join("node", id3), sk: "host" }),
  desired: (id3) => ({ pk: join("node", id3), sk: "desired" }),
  digest: (id3) => ({ pk: join("node", id3), sk: "digest" }),
  /** The head of the lists of client systems handed to a node. */
  systems: (id3) => ({ pk: join("node", id3), sk: "systems" }),
  /** One page of one version of such a list: `node/version.page`. */
  "systems-page": (id3) => {
    const [node5, which] = split(id3);
    const [version, page] = which.split(".");
    return { pk: join("node", node5), sk: join("list", number3(Number(version)), number3(Number(page))) };
  },
  fqdn: (id3) => ({ pk: join("fqdn", id3), sk: "fqdn" }),
  client: (id3) => ({ pk: join("client", id3), sk: "client" }),
  zone: (id3) => ({ pk: join("zone", id3), sk: "head" }),
  "zone-number": (id3) => ({ pk: join("zone-number", id3), sk: "zone-number" }),
  map: (id3) => ({ pk: join("zone", split(id3)[0]), sk: join("map", number3(Number(split(id3)[1]))) }),
  delta: (id3) => ({ pk: join("zone", split(id3)[0]), sk: join("delta", number3(Number(split(id3)[1]))) }),
  members: (id3) => ({ pk: join("zone", split(id3)[0]), sk: join("members", number3(Number(split(id3)[1]))) }),
  revoked: (id3) => ({ pk: join("zone", id3), sk: "revoked" }),
  counts: (id3) => ({ pk: join("zone", id3), sk: "counts" }),
  deployment: () => ({ pk: "deployment", sk: "deployment" }),
  sweep: () => ({ pk: "deployment", sk: "sweep" }),
  /** Who had the keys of tokens replaced; the keys themselves are not in the table. */
  "token-keys": () => ({ pk: "deployment", sk: "token-keys" }),
  dead: (id3) => ({ pk: deadShardOf(id3), sk: join("dead", id3) }),
  /** An API key, a session or a sign-in link, by its public id. */
  "api-key": (id3) => ({ pk: join("api-key", id3), sk: "api-key" }),
  /** Whose a machine's key is, by its fingerprint. */
  key: (id3) => ({ pk: join("key", id3), sk: "key" }),
  /** A token by which hosts become nodes, by its public id. */
  "join-token": (id3) => ({ pk: join("join-token", id3), sk: "join-token" }),
  /** A host that asked to be a node and waits, by the fingerprint of its key. */
  "pooled-host": (id3) => ({ pk: join("pooled-host", id3), sk: "pooled-host" }),
  /** How many hosts a source brought into the pool. */
  "pool-source": (id3) => ({ pk: join("pool-source", id3), sk: "pool-source" }),
  "admission-rules": () => ({ pk: "deployment", sk: "admission-rules" }),
  /** A token by which machines are accepted, by its public id. */
  "onboarding-token": (id3) => ({ pk: join("onboarding-token", id3), sk: "onboarding-token" }),
  /** How many machines that nobody knew knocked from a network address. */
  source: (id3) => ({ pk: join("source", id3), sk: "source" }),
  /** A nonce that a signed call used: `fingerprint/nonce`. */
  nonce: (id3) => ({ pk: join("nonce", id3), sk: "nonce" }),
  idempotency: (id3) => ({ pk: join("idempotency", id3), sk: "idempotency" }),
  /** An attempt that was refused, on its way into the audit. */
  attempt: (id3) => ({ pk: join("attempt", id3), sk: "attempt" }),
  /** One entry of the audit: `zone/day/n`. */
  audit: (id3) => ({ pk: join("audit", ...split(split(id3)[0])), sk: number3(Number(split(id3)[1])) }),
  /** The end of a zone's chain of a day: `zone/day`. */
  "audit-head": (id3) => ({ pk: join("audit-heads", split(id3)[0]), sk: split(id3)[1] }),
  /** That the audit speaks of a commit of a row: see {@link markId}. */
  audited: (id3) => ({ pk: join("audited", split(id3)[0]), sk: join(split(id3)[1]) }),
  /** One published event of a row: `noun:id/seq`. */
  history: (id3) => ({ pk: join("history", split(id3)[0]), sk: number3(Number(split(id3)[1])) })
};
function keyOf({ noun, id: id3 }) {
  const place2 = placed[noun];
  if (!place2) throw new Error(`no rows are kept for the noun ${noun}`);
  return place2(id3);
}
var nouns = Object.keys(placed);
function refOf({ pk, sk }) {
  const [kind, id3] = pk.split("#").map(decodeURIComponent);
  if (kind === "node" && sk === "node") return { noun: "node", id: id3 };
  if (kind === "zone" && sk === "head") return { noun: "zone", id: id3 };
  if (kind === "zone" && sk === "counts") return { noun: "counts", id: id3 };
  return void 0;
}
function ownerOf({ pk, sk }) {
  const [kind, id3] = pk.split("#").map(decodeURIComponent);
  return { noun: kind, id: id3 ?? sk };
}
function subjectOf(key) {
  const [kind, id3] = key.sk.split("#").map(decodeURIComponent);
  return kind === "dead" && id3 !== void 0 ? { noun: kind, id: id3 } : ownerOf(key);
}
var auditId = ({ zone: zone3, day }, n) => `${zone3}/${day}/${n}`;
var auditPartition = ({ zone: zone3, day }) => join("audit", zone3, day);
var auditSort = (n) => number3(n);
var auditHeads = (zone3) => join("audit-heads", zone3);
var auditLists = {
  heads: "audit-heads",
  marks: (day) => join("audited", day),
  /** Where a chain stands in the list of heads. */
  place: ({ zone: zone3, day }) => join(day, zone3)
};
var listedDays = ({ from, to }) => ({ from, to: `${to}$` });
var chainOf = ({ pk, sk }) => ({ zone: decodeURIComponent(pk.split("#")[1]), day: sk });
var markId = ({ noun, id: id3, row: row2, rev }, at3) => `${noun}:${id3}/${row2}@${rev}.${at3}`;
var clientPartitions = 64;
var clientPartitionOf = (fp4) => Number.parseInt(fp4.slice(0, 2), 16) >> 2;
var clientList = {
  pool: (partition) => join("pool", String(partition)),
  zone: (zone3, partition) => join("zone", zone3, String(partition)),
  banned: (partition) => join("banned", String(partition))
};
var nodeList = (zone3) => join("nodes", zone3);
var admissionLists = { tokens: "join-tokens", pool: "node-pool" };
var apiKeyList = "api-keys";
var onboardingTokenList = "onboarding-tokens";
var zoneList = "zones";
var historyPartition = ({ noun, id: id3 }) => join("history", `${noun}:${id3}`);
var historySort = (seq) => number3(seq);
var zonePartition = (zone3) => join("zone", zone3);
var deltaSort = (version) => join("delta", number3(version));
var letterLists = {
  dead: Array.from({ length: deadShards }, (_, shard) => join("dead", String(shard))),
  redriven: Array.from({ length: deadShards }, (_, shard) => join("redriven", String(shard)))
};
function listOf({ noun, id: id3 }, state) {
  const { kind, zone: zone3, standing, status: status2, day, n } = state;
  if (noun === "node") return { pk: nodeList(zone3), sk: id3 };
  if (noun === "zone") return { pk: zoneList, sk: id3 };
  if (noun === "api-key") return kind === "link" ? void 0 : { pk: apiKeyList, sk: id3 };
  if (noun === "join-token") return { pk: admissionLists.tokens, sk: id3 };
  if (noun === "onboarding-token") return { pk: onboardingTokenList, sk: id3 };
  if (noun === "pooled-host") return { pk: admissionLists.pool, sk: id3 };
  if (noun === "dead")
    return status2 === "dropped" ? void 0 : { pk: status2 === "redriven" ? redrivenShardOf(id3) : deadShardOf(id3), sk: id3 };
  if (noun === "audit-head") return { pk: auditLists.heads, sk: auditLists.place({ day, zone: zone3 }) };
  if (noun === "audited") return { pk: auditLists.marks(day), sk: join(zone3, number3(n)) };
  if (noun !== "client") return void 0;
  if (standing === "pooled") return { pk: clientList.pool(clientPartitionOf(id3)), sk: id3 };
  if (standing === "accepted") return { pk: clientList.zone(zone3, clientPartitionOf(id3)), sk: id3 };
  if (standing === "banned") return { pk: clientList.banned(clientPartitionOf(id3)), sk: id3 };
  return void 0;
}

// lib/runtime/content.ts
var goneForMs = 30 * dayMs;
var stateOf = (row2, now) => !row2 || row2.gone || row2.expiresAt !== void 0 && row2.expiresAt <= now ? void 0 : row2.body;
function contentOf(ref, row2, decision, { by, at: at3, exact, actor }) {
  if (decision.does === "nothing") return row2 && exact ? rearmed(row2, decision.wakeAt, at3) : void 0;
  const eventSeq = row2?.eventSeq ?? 0;
  const committed = {
    key: keyOf(ref),
    at: at3,
    by,
    because: decision.because,
    ...actor && { actor },
    events: decision.events.map((event, n) => ({ ...event, seq: eventSeq + n + 1 })),
    eventSeq: eventSeq + decision.events.length
  };
  if (decision.does === "remove") return { ...committed, body: decision.last, expiresAt: plusMs(at3, goneForMs), gone: true };
  const wakeAt = exact ? decision.wakeAt : earlier(row2?.gone ? void 0 : row2?.wakeAt, decision.wakeAt);
  const list = listOf(ref, decision.next);
  return {
    ...committed,
    body: decision.next,
    ...actor && row2 && !row2.gone && { changed: changedIn(row2.body, decision.next) },
    ...wakeAt !== void 0 && { wakeAt },
    ...decision.expiresAt !== void 0 && { expiresAt: decision.expiresAt },
    ...list && { list }
  };
}
function changedIn(before, next3) {
  const [was, is] = [before, next3];
  return [.../* @__PURE__ */ new Set([...Object.keys(was), ...Object.keys(is)])].filter((name) => !isSame(was[name], is[name])).sort();
}
function rearmed(row2, wakeAt, now) {
  if (row2.wakeAt === wakeAt) return void 0;
  if (row2.wakeAt !== void 0 && wakeAt !== void 0 && row2.wakeAt <= now && wakeAt <= now) return void 0;
  const { rev: _rev, wakeAt: _stored, actor: _who, changed: _what, ...content } = row2;
  return { ...content, events: [], ...wakeAt !== void 0 && { wakeAt } };
}

// lib/nodes/deadline.ts
var awayMaxMs = 30 * dayMs;
function deadlineFault(until, now) {
  if (until === void 0) return void 0;
  if (until <= now) return "must be later than now";
  return until > plusMs(now, awayMaxMs) ? `must be within ${awayMaxMs / dayMs} days` : void 0;
}

// lib/doors/deadline.ts
function refuseDeadline(until, now, pointer) {
  const detail = deadlineFault(until, now);
  if (detail) throw new Refusal("invalid", `${pointer}: ${detail}`, { errors: [{ pointer, detail }] });
}

// lib/identity/fingerprint.ts
import { createHash } from "node:crypto";
var fingerprintOf = (publicKey2) => createHash("sha256").update(Buffer.from(publicKey2, "base64url")).digest("hex");
var minionFingerprintOf = (pem) => {
  const lines = pem.split(/\r?\n/).filter((line) => line.trim() !== "");
  const body = lines.slice(1, -1).map((line) => `${line}
`).join("");
  return createHash("sha256").update(body, "utf8").digest("hex");
};
var nodeIdOf = (publicKey2) => `n${fingerprintOf(publicKey2).slice(0, 16)}`;

// lib/nodes/on-key.ts
function onNameKey(node5, { publicKey: publicKey2 }) {
  if (node5.publicKey === publicKey2) return nothing("it is its key already");
  if (node5.nextKey === publicKey2) return nothing("it is its next key already");
  return write({ ...node5, nextKey: publicKey2 }, "it has named its next key");
}
function onTakeKey(node5, { publicKey: publicKey2 }) {
  const { nextKey, ...rest } = node5;
  if (nextKey !== publicKey2) return nothing(node5.publicKey === publicKey2 ? "it is its key already" : "it has named another key since");
  const next3 = { ...rest, publicKey: nextKey };
  const keys = { fingerprint: fingerprintOf(nextKey), before: fingerprintOf(node5.publicKey) };
  return write(next3, "its next key has signed", { events: [concluded("node.rekeyed", next3, keys)] });
}

// lib/nodes/on-word.ts
function onReady(node5, _ready, now) {
  if (!node5.unready) return nothing("it said so before");
  const { unready: _said, ...said2 } = node5;
  if (node5.status !== "joining") {
    const kept8 = said2.status === "suspect" && said2.was === "joining" ? { ...said2, was: "up" } : said2;
    return write(kept8, `ready; it is ${node5.status}, and will be up once it is heard`);
  }
  const { unready: _unready, ...rest } = lasting(node5);
  const next3 = { ...rest, ...pending(node5), status: "up", leaseUntil: node5.leaseUntil, awaitsPlan: true };
  return write(next3, "ready: it can take client systems", { events: [concluded("node.activated", next3, {})], wakeAt: now });
}
var holdMs = 2 * 60 * 6e4;
function onLeaving(node5, order2, now) {
  const { mode, until, report: report2 } = order2;
  if (report2 && node5.word && (report2.receivedAt <= node5.word.at || report2.id === node5.word.report))
    return nothing("said before the last word about its leaving");
  const refused = whyNot(node5, order2, now);
  if (refused !== void 0)
    return report2 ? write({ ...node5, word: wordOf(node5, report2.receivedAt, report2.id) }, refused) : nothing(refused);
  if (node5.status !== "up" && node5.status !== "suspect" && node5.status !== "leaving") return nothing(`it is ${node5.status}`);
  const same = sameLeave(node5, mode);
  const deadline = until ?? (mode === "hold" ? plusMs(now, holdMs) : void 0);
  const leaving3 = { ...same ?? { mode, since: now, ...releasedOf(node5) }, ...deadline !== void 0 && { until: deadline } };
  const word2 = wordOf(node5, report2?.receivedAt ?? now, report2?.id);
  const next3 = { ...lasting(node5), word: word2, status: "leaving", leaseUntil: node5.leaseUntil, leaving: leaving3, awaitsPlan: true };
  return write(next3, mode === "drain" ? "leaving: its clients move away" : "leaving: its clients are kept for it", {
    events: [concluded("node.departing", next3, { mode, ...deadline !== void 0 && { until: deadline } })],
    wakeAt: now
  });
}
var sameLeave = (node5, mode) => node5.status === "leaving" && node5.leaving.mode === mode ? node5.leaving : void 0;
function releasedOf(node5) {
  const { orderVersion, releasedVersion } = "leaving" in node5 && node5.leaving || {};
  return { ...orderVersion !== void 0 && { orderVersion }, ...releasedVersion !== void 0 && { releasedVersion } };
}
function whyNot(node5, { mode, until }, now) {
  const same = sameLeave(node5, mode);
  if (same && (until === void 0 || until === same.until)) return `it is leaving (${mode}) already`;
  if (node5.status !== "up" && node5.status !== "suspect" && node5.status !== "leaving")
    return `a node that is ${node5.status} has no clients to ${mode}`;
  if (node5.ordered) return "an operator gives it up already";
  if (node5.status === "suspect" && (node5.was === "joining" || node5.was === "quarantined")) return `it was ${node5.was}`;
  const fault2 = deadlineFault(until, now);
  return fault2 && `until ${fault2}`;
}
function wordOf(node5, at3, report2 = node5.word?.report) {
  return { at: at3, ...report2 !== void 0 && { report: report2 } };
}
function onReleased(node5, mapVersion, now) {
  if (node5.status !== "leaving") return nothing("released slots; the node stays");
  if ((node5.leaving.releasedVersion ?? -1) >= mapVersion)
    return nothing(`released up to map version ${node5.leaving.releasedVersion} already`);
  const next3 = { ...node5, leaving: { ...node5.leaving, releasedVersion: mapVersion }, awaitsPlan: true };
  return write(next3, `its clients of map version ${mapVersion} were told to knock`, { wakeAt: now });
}

// lib/nodes/on-command.ts
function onCommand(node5, command4, now) {
  if (command4.type === "join") return onJoin(node5, command4, now);
  if (!node5) return nothing("there is no such node");
  switch (command4.type) {
    case "leave":
      return onLeaving(node5, { mode: command4.mode, until: command4.until }, now);
    case "stay":
      return onStay(node5, now);
    case "drop":
      return onDrop(node5, now);
    case "remove":
      return onRemove(node5, now);
    case "take-back":
      return onTakeBack(node5);
    case "name-key":
      return onNameKey(node5, command4);
    case "take-key":
      return onTakeKey(node5, command4);
    case "edit":
      return onEdit(node5, command4, now);
    default:
      return unreachable(command4);
  }
}
function onJoin(node5, join3, now) {
  if (node5) return nothing("this key has joined already");
  const { node: id3, publicKey: publicKey2, fqdn: fqdn2, kind, zone: zone3, watch: watch2, capacity } = join3;
  const next3 = {
    id: id3,
    publicKey: publicKey2,
    fqdn: fqdn2,
    kind,
    zone: zone3,
    watch: watch2,
    status: "absent",
    weight: 1,
    labels: {},
    joinedAt: now,
    incarnation: 0,
    generation: 0,
    seq: 0,
    ...capacity !== void 0 && { capacity }
  };
  return write(next3, `${fqdn2} joined; its node-up is awaited`);
}
function onStay(node5, now) {
  if (node5.status !== "leaving" && node5.status !== "quarantined") return nothing(`it is ${node5.status}, not leaving and not quarantined`);
  if (node5.ordered) return nothing("an operator gives it up already");
  const status2 = node5.unready ? "joining" : "up";
  const base = { ...lasting(node5), ...survivor(node5), word: wordOf(node5, now) };
  const next3 = { ...base, status: status2, leaseUntil: node5.leaseUntil, awaitsPlan: true };
  return write(next3, "an operator keeps it", { events: [concluded("node.recovered", next3, { from: node5.status })], wakeAt: now });
}
function survivor({ boot }) {
  if (!boot) return {};
  const { before: _gone, ...rest } = boot;
  return { boot: rest };
}
function onDrop(node5, now) {
  if (node5.status === "dropped") return nothing("it is dropped already");
  if (node5.status === "absent" || node5.status === "waiting")
    return { does: "remove", last: node5, events: [], because: `given up while ${node5.status}: it was never a member, its name is free` };
  return write({ ...node5, ordered: "drop", awaitsPlan: true }, "an operator gives it up", { wakeAt: now });
}
function onRemove(node5, now) {
  if (node5.removedAt !== void 0) return nothing("it is removed already");
  if (node5.status === "absent" || node5.status === "waiting") return onDrop(node5, now);
  const because = "an operator removes it: it stays out until it is admitted again";
  const { nextKey: _never, ...next3 } = node5;
  if (next3.status === "dropped") return write({ ...next3, removedAt: now }, because);
  return write({ ...next3, removedAt: now, ordered: "drop", awaitsPlan: true }, because, { wakeAt: now });
}
function onTakeBack(node5) {
  const { removedAt, ...next3 } = node5;
  if (removedAt === void 0) return nothing(`it was never removed; it is ${node5.status}`);
  return write(next3, "admitted again; its node-up, flushed, is awaited");
}
function onEdit(node5, { weight, capacity, labels: labels2 }, now) {
  const { capacity: kept8, ...rest } = node5;
  const limit2 = capacity === void 0 ? kept8 : capacity ?? void 0;
  const next3 = {
    ...rest,
    ...limit2 !== void 0 && { capacity: limit2 },
    weight: weight ?? node5.weight,
    labels: labels2 ?? node5.labels,
    awaitsPlan: true
  };
  return write(next3, "edited by an operator", { wakeAt: now });
}

// lib/nodes/on-heartbeat.ts
function onHeartbeat(node5, beat, now) {
  if (beat.seq !== void 0 && beat.seq <= node5.seq) return nothing(`heartbeat ${beat.seq} after heartbeat ${node5.seq}`);
  if (leaseUntilOf(beat) <= now) return nothing("the heartbeat is older than the lease it would renew");
  switch (node5.status) {
    case "absent":
    case "waiting":
    case "down":
    case "dropped":
      return nothing(`a node that is ${node5.status} must send node-up`);
    case "suspect":
      return recover(node5, beat);
    default: {
      const next3 = { ...node5, ...heard(node5, beat) };
      return write(next3, `lease renewed${still(node5)}`, { wakeAt: next3.leaseUntil });
    }
  }
}
function recover(node5, beat) {
  const next3 = resumed(node5, { ...lasting(node5), ...heard(node5, beat) });
  return write(next3, "heard again before it was given up", {
    events: [concluded("node.recovered", next3, { from: "suspect" })],
    wakeAt: beat.receivedAt
  });
}
var still = (node5) => node5.status === "quarantined" ? `; quarantined (${node5.reason}) until an operator has looked` : node5.status === "leaving" ? `; leaving (${node5.leaving.mode})` : "";
var heard = (node5, beat) => ({
  ...heardBy(node5, beat),
  seq: beat.seq ?? node5.seq,
  load: beat.data.load
});

// lib/nodes/on-tick.ts
function onTick(node5, tick, now) {
  if (node5.awaitsPlan) return nothing(`${node5.status}; the zone's plan must follow`, now);
  switch (node5.status) {
    case "absent":
    case "waiting":
    case "dropped":
      return nothing(`nothing waits on time for a node that is ${node5.status}`);
    case "down":
      return nothing("down; given up when it stays away", graced(plusMs(node5.downAt, dropAfterMs), tick));
    case "suspect":
      return nothing("suspect; held by the zone", now);
    case "joining":
    case "up":
    case "leaving":
    case "quarantined":
      return onLease(node5, tick, now);
    default:
      return unreachable(node5);
  }
}
function onLease(node5, tick, now) {
  if (node5.status === "leaving" && node5.leaving.mode === "hold") return nothing("held for it", graced(node5.leaving.until, tick));
  const expiresAt = graced(node5.leaseUntil, tick);
  if (now < expiresAt)
    return nothing(expiresAt === node5.leaseUntil ? "its lease holds" : "grace: we may have slept", soonest(node5, expiresAt, tick));
  const next3 = {
    ...lasting(node5),
    status: "suspect",
    was: node5.status,
    leaseUntil: node5.leaseUntil,
    ...node5.status === "leaving" && { leaving: node5.leaving },
    ...node5.status === "quarantined" && { reason: node5.reason },
    awaitsPlan: true
  };
  const heardAt = node5.heardAt ?? node5.joinedAt;
  return write(next3, `not heard for ${Math.round((now - heardAt) / 1e3)} s: its lease ran out`, {
    events: [concluded("node.suspected", next3, { heardAt })],
    wakeAt: now
  });
}
function soonest(node5, leaseUntil, tick) {
  if (node5.status !== "leaving") return leaseUntil;
  const deadline = graced(plusMs(node5.leaving.since, releaseWaitMs), tick);
  return deadline < leaseUntil ? deadline : leaseUntil;
}

// lib/nodes/on-up.ts
function onUp(node5, up2, now) {
  const known3 = node5.boot;
  if (known3 && up2.receivedAt <= known3.receivedAt) return nothing(`node-up received before the acknowledged boot`);
  if (node5.heardAt !== void 0 && up2.receivedAt < node5.heardAt) return nothing("node-up received before the node was last heard");
  if (leaseUntilOf(up2) <= now) return nothing("the node-up is older than the lease it would give");
  if (node5.removedAt !== void 0) return nothing("removed by an operator: it must be admitted again first");
  if (node5.status === "dropped") return readmit(node5, up2, now);
  if (known3 && known3.before === up2.data.boot.id) return quarantine(node5, up2, now);
  return known3?.id === up2.data.boot.id ? heardAgain(node5, up2, now) : newBoot(node5, up2, now);
}
function newBoot(node5, up2, now) {
  const base = { ...lasting(node5), ...booted(node5, up2) };
  const { leaseUntil } = base;
  switch (node5.status) {
    case "absent":
    case "waiting": {
      const next3 = { ...base, generation: 1, status: "joining", unready: true, awaitsPlan: true };
      return write(next3, "first node-up: acknowledged, taking over common content", {
        events: [concluded("node.joined", next3, {})],
        wakeAt: now
      });
    }
    case "joining":
      return write({ ...base, ...pending(node5), status: "joining" }, "restarted while joining", { wakeAt: leaseUntil });
    case "up":
    case "suspect":
    case "leaving":
    case "quarantined":
    case "down":
      return back(node5, base, `incarnation ${base.incarnation} acknowledged`, now);
    default:
      return unreachable(node5);
  }
}
function heardAgain(node5, up2, now) {
  if (node5.status !== "down" && node5.status !== "suspect") return nothing("this boot is already acknowledged");
  const boot = { ...node5.boot, receivedAt: up2.receivedAt };
  return back(node5, { ...lasting(node5), boot, ...heardBy(node5, up2) }, "heard again, it was only cut off", now);
}
function back(node5, base, because, now) {
  const heard2 = { ...base, ...pending(node5) };
  switch (node5.status) {
    case "down":
      return write(returning(node5, base), `${because}; the zone's plan brings it back`, { wakeAt: now });
    case "suspect": {
      const next3 = resumed(node5, base);
      return write(next3, because, { events: [concluded("node.recovered", next3, { from: "suspect" })], wakeAt: now });
    }
    case "quarantined":
      return write({ ...heard2, status: "quarantined", reason: node5.reason }, because, { wakeAt: base.leaseUntil });
    case "up":
      return write({ ...heard2, status: "up" }, because, { wakeAt: base.leaseUntil });
    case "leaving": {
      if (node5.leaving.mode === "drain")
        return write({ ...heard2, status: "leaving", leaving: node5.leaving }, because, { wakeAt: base.leaseUntil });
      const next3 = { ...heard2, status: "up", awaitsPlan: true };
      return write(next3, `${because}; the hold ends`, { events: [concluded("node.recovered", next3, { from: "leaving" })], wakeAt: now });
    }
    default:
      return unreachable(node5);
  }
}
function returning(node5, { leaseUntil, ...rest }, reason2 = node5.reason) {
  const { downAt } = node5;
  return { ...rest, ...pending(node5), status: "down", downAt, returning: { leaseUntil }, ...reason2 && { reason: reason2 }, awaitsPlan: true };
}
function readmit(node5, up2, now) {
  if (up2.data.flushed !== node5.generation) return nothing(`dropped at generation ${node5.generation}: it must flush and join as new`);
  const { index: _given, ...rest } = { ...lasting(node5), ...booted(node5, up2) };
  const next3 = {
    ...rest,
    generation: node5.generation + 1,
    status: "joining",
    unready: true,
    awaitsPlan: true
  };
  const events2 = [concluded("node.readmitted", next3, {}), concluded("node.joined", next3, {})];
  return write(next3, "flushed and re-admitted as new (readmit: auto)", { events: events2, wakeAt: now });
}
function quarantine(node5, up2, now) {
  if (node5.status === "quarantined") return heardInQuarantine(node5, up2);
  if (node5.status === "absent" || node5.status === "waiting") return nothing(`an earlier boot speaks again; it is ${node5.status}`);
  if (node5.status === "down" && node5.returning && node5.reason === "clone") return nothing("it will be quarantined once it is back");
  const base = { ...lasting(node5), ...heardBy(node5, up2) };
  const next3 = node5.status === "down" ? returning(node5, base, "clone") : { ...base, ...pending(node5), status: "quarantined", reason: "clone", awaitsPlan: true };
  return write(next3, `boot ${up2.data.boot.id} speaks again after boot ${node5.boot?.id}: two machines with one key`, {
    events: [concluded("node.quarantined", next3, { reason: "clone" })],
    wakeAt: now
  });
}
function heardInQuarantine(node5, up2) {
  const { heardAt, leaseUntil } = heardBy(node5, up2);
  if (leaseUntil <= node5.leaseUntil) return nothing("quarantined; heard since");
  return write({ ...node5, heardAt, leaseUntil }, `quarantined (${node5.reason}); heard`, { wakeAt: leaseUntil });
}
var booted = (node5, up2) => {
  const before = node5.boot?.id === up2.data.boot.id ? node5.boot.before : node5.boot?.id;
  return {
    incarnation: node5.incarnation + 1,
    seq: 0,
    ...heardBy(node5, up2),
    boot: { ...up2.data.boot, receivedAt: up2.receivedAt, ...before !== void 0 && { before } }
  };
};

// lib/nodes/decide.ts
function decide(node5, input, now) {
  switch (input.type) {
    case "join":
    case "leave":
    case "stay":
    case "drop":
    case "remove":
    case "take-back":
    case "name-key":
    case "take-key":
    case "edit":
      return onCommand(node5, input, now);
    case "tick":
      return node5 ? onTick(node5, input, now) : nothing("there is no such node");
    default:
      return node5 ? onReport(node5, input, now) : nothing("a report from a node that never joined");
  }
}
function onReport(node5, report2, now) {
  if (report2.type === "node.up") return onUp(node5, report2, now);
  if (report2.incarnation !== void 0 && report2.incarnation !== node5.incarnation)
    return nothing(`a report of incarnation ${report2.incarnation}; the node is at ${node5.incarnation}`);
  switch (report2.type) {
    case "node.heartbeat":
      return onHeartbeat(node5, report2, now);
    case "node.ready":
      return onReady(node5, report2, now);
    case "node.leaving":
      return onLeaving(node5, { ...report2.data, report: report2 }, now);
    case "node.released":
      return onReleased(node5, report2.data.mapVersion, now);
    default:
      return unreachable(report2);
  }
}

// lib/runtime/apply-plan.ts
import { Conflict as Conflict3, Later as Later2 } from "../../lib/errors.ts";

// lib/runtime/apply.ts
import { Conflict, Later } from "../../lib/errors.ts";
var attemptsMax = 6;
async function apply(shell, ref, input, decide5) {
  const key = keyOf(ref);
  const exact = input.type === "tick";
  let tried;
  let conflict;
  for (let attempt = 1; ; attempt++) {
    const row2 = await shell.table.read(key);
    const now = shell.now();
    if (tried && row2?.by === input.id && row2.rev === tried.rev) return { ...tried, state: stateOf(row2, now) };
    if (attempt > attemptsMax)
      throw new Later("row.busy", `${ref.noun} ${ref.id} kept moving through ${attemptsMax} attempts`, { cause: conflict });
    const before = stateOf(row2, now);
    const decision = decide5(before, input, now);
    const content = contentOf(ref, row2, decision, { by: input.id, at: now, exact, actor: shell.actor });
    const readRev = row2?.rev ?? 0;
    if (!content) return { decision, before, state: before, rev: readRev };
    tried = { rev: readRev + 1, decision, before };
    try {
      await shell.table.commit([{ put: content, readRev }]);
      return { ...tried, state: content.gone ? void 0 : content.body };
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      conflict = error;
      if (attempt < attemptsMax) await shell.sleep(shell.random() * 20 * 2 ** attempt);
    }
  }
}

// lib/table/limits.ts
import { Conflict as Conflict2, MusterError } from "../../lib/errors.ts";

// lib/table/table.ts
var isAudited = ({ who }) => !who.startsWith("node:") && !who.startsWith("client:");
var historyForMs = 90 * dayMs;
var dueLimitMax = 200;

// lib/table/limits.ts
var changesMax = 100;
var commitBytesMax = 4 * 1024 * 1024;
var rowBytesMax = 400 * 1024;
var pageBytesMax = 1024 * 1024;
var keysMax = 100;

// lib/runtime/read-all.ts
async function readAll({ table }, keys) {
  const rows = [];
  for (let at3 = 0; at3 < keys.length; at3 += keysMax) rows.push(...await table.readMany(keys.slice(at3, at3 + keysMax)));
  return rows;
}

// lib/runtime/apply-plan.ts
var Reading = class {
  #shell;
  #rows = /* @__PURE__ */ new Map();
  constructor(shell) {
    this.#shell = shell;
  }
  /** The row, read once. */
  async row(ref) {
    return (await this.rows([ref]))[0];
  }
  /** The rows in the order asked for, each read once. */
  async rows(refs) {
    const missing2 = [...new Map(refs.map((ref) => [nameOf2(keyOf(ref)), keyOf(ref)])).entries()].filter(([name]) => !this.#rows.has(name));
    const keys = missing2.map(([, key]) => key);
    const rows = await readAll(this.#shell, keys);
    for (const [i, [name]] of missing2.entries()) this.#rows.set(name, rows[i]);
    return refs.map((ref) => this.#rows.get(nameOf2(keyOf(ref))));
  }
  /** Takes in a row that a query returned. */
  remember(row2) {
    this.#rows.set(nameOf2(row2.key), row2);
  }
};
var nameOf2 = ({ pk, sk }) => `${pk}\0${sk}`;
async function applyPlan(shell, input, make) {
  let tried;
  let conflict;
  for (let attempt = 1; ; attempt++) {
    if (tried) {
      const row2 = await shell.table.read(tried.key);
      if (row2?.by === input.id && row2.rev === tried.rev) return tried.plan;
    }
    if (attempt > attemptsMax) throw new Later2("plan.busy", `a plan met newer rows through ${attemptsMax} attempts`, { cause: conflict });
    const reading = new Reading(shell);
    const plan2 = await make(reading);
    try {
      const changes = await changesOf(shell, input.id, plan2, reading);
      const first = changes.find((change) => "put" in change);
      if (!first) return plan2;
      tried = { plan: plan2, key: first.put.key, rev: first.readRev + 1 };
      await shell.table.commit(changes);
      return plan2;
    } catch (error) {
      if (!(error instanceof Conflict3)) throw error;
      conflict = error;
      shell.log("debug", "plan.conflict", { row: error.row, attempt });
      if (attempt < attemptsMax) await shell.sleep(shell.random() * 20 * 2 ** attempt);
    }
  }
}
async function changesOf(shell, by, { changes }, reading) {
  const rows = await reading.rows(changes.map((change) => change.ref));
  const at3 = shell.now();
  return changes.map(({ ref, readRev, decision }, i) => {
    const row2 = rows[i];
    if ((row2?.rev ?? 0) !== readRev)
      throw new Conflict3(`${ref.noun} ${ref.id}`, `${ref.noun} ${ref.id} is at rev ${row2?.rev ?? 0}, not ${readRev}`);
    const put = decision.does === "nothing" ? void 0 : contentOf(ref, row2, decision, { by, at: at3, exact: true, actor: shell.actor });
    return put ? { put, readRev } : { check: keyOf(ref), readRev };
  });
}

// lib/address.ts
var mapped = 0xffffn << 32n;
function readAddress(text2) {
  if (!text2.includes(":")) {
    const ipv4 = readIpv4(text2);
    return ipv4 === void 0 ? void 0 : mapped | ipv4;
  }
  return readIpv6(text2);
}
function sourceOf(text2) {
  const address = readAddress(text2);
  if (address === void 0) return text2.slice(0, 50);
  const isIpv4 = address >> 32n === 0xffffn;
  return isIpv4 ? String(address & 0xffffffffn) : `${(address >> 64n).toString(16)}/64`;
}
function readIpv4(text2) {
  const parts = text2.split(".");
  if (parts.length !== 4 || !parts.every((part2) => /^(0|[1-9]\d{0,2})$/.test(part2) && Number(part2) <= 255)) return void 0;
  return parts.reduce((address, part2) => address << 8n | BigInt(part2), 0n);
}
function readIpv6(text2) {
  const halves = text2.split("::");
  if (halves.length > 2) return void 0;
  const [before, after] = halves.map((half, n) => groupsOf(half, n === halves.length - 1));
  if (!before || halves.length === 2 && !after) return void 0;
  const given = before.length + (after?.length ?? 0);
  if (halves.length === 1 ? given !== 8 : given > 7) return void 0;
  const groups = [...before, ...Array(8 - given).fill(0n), ...after ?? []];
  return groups.reduce((address, group) => address << 16n | group, 0n);
}
function groupsOf(text2, isLast) {
  if (text2 === "") return [];
  const parts = text2.split(":");
  const ipv4 = isLast && parts.at(-1).includes(".") ? readIpv4(parts.at(-1)) : void 0;
  const hex = ipv4 === void 0 ? parts : parts.slice(0, -1);
  if (!hex.every((part2) => /^[0-9a-f]{1,4}$/i.test(part2))) return void 0;
  return [...hex.map((part2) => BigInt(`0x${part2}`)), ...ipv4 === void 0 ? [] : [ipv4 >> 16n, ipv4 & 0xffffn]];
}

// lib/queue/limits.ts
import { MusterError as MusterError2 } from "../../lib/errors.ts";
var delayMsMax = 15 * minuteMs;
var bodyBytesMax = 256 * 1024;

// lib/runtime/dead-letter.ts
var messageBytesMax = bodyBytesMax;
var reasonCharsMax = 1e3;
var keptForMs = 14 * dayMs;
function decideLetter(stored, input, now) {
  const letter3 = stored && upToDate(stored);
  switch (input.type) {
    case "death":
      return letter3 ? diedAgain(letter3, input, now) : keep(firstDeath(input, now), shortened(input.reason));
    case "redriven":
      return redriven(letter3, input, now);
    case "drop":
      return dropped(letter3, input.id, now);
    default:
      return unreachable(input);
  }
}
var keep = (letter3, because) => write(letter3, because, { expiresAt: expiresAtOf(letter3) });
var expiresAtOf = ({ last, redriven: redriven2 }) => plusMs(Math.max(last.at, redriven2?.at ?? 0), keptForMs);
function firstDeath(death, at3) {
  const { letter: id3, queue, via, body, sentAt, receives, attempt: died } = death;
  const failure2 = failureOf(death, at3);
  return { id: id3, status: "dead", queue, via, ...kept(body), sentAt, receives, deaths: 1, died, first: failure2, last: failure2 };
}
function diedAgain(letter3, death, now) {
  if (death.attempt <= letter3.died) return nothing(`it is known that attempt ${death.attempt} died`);
  const { id: id3, queue, via, sentAt, first, redriven: redriven2 } = letter3;
  const receives = letter3.receives + death.receives;
  const last = failureOf(death, now);
  const deaths = letter3.deaths + 1;
  const known3 = { id: id3, queue, via, ...kept(death.body), sentAt, receives, deaths, died: death.attempt, first, last };
  const isUnderWay = letter3.status === "redriven" && letter3.redriven.attempt > death.attempt;
  if (isUnderWay) return keep({ ...known3, status: "redriven", redriven: letter3.redriven }, last.reason);
  return keep({ ...known3, status: "dead", ...redriven2 && { redriven: redriven2 } }, last.reason);
}
function redriven(letter3, { id: by, attempt }, at3) {
  if (!letter3) return nothing("given back; it expired meanwhile");
  if (attempt <= letter3.died) return nothing(`given back, and it died again at once: ${letter3.last.reason}`);
  if (letter3.status === "dropped") return nothing("given back, while somebody dropped it");
  if (letter3.redriven && attempt <= letter3.redriven.attempt) return nothing(`given back, as another call did too (${letter3.redriven.by})`);
  return keep({ ...letter3, status: "redriven", redriven: { attempt, at: at3, by } }, "an operator gave it back");
}
function dropped(letter3, by, at3) {
  if (!letter3) return nothing("no dead letter has this id, or it has expired");
  if (letter3.status === "dropped") return nothing("dropped already");
  return keep({ ...letter3, status: "dropped", message: "", dropped: { at: at3, by } }, "an operator dropped it");
}
var failureOf = ({ code, reason: reason2 }, at3) => ({ code, reason: shortened(reason2), at: at3 });
var shortened = (reason2) => (reason2.length > reasonCharsMax ? `${reason2.slice(0, reasonCharsMax)}\u2026` : reason2).toWellFormed();
function kept(body) {
  const bytes = Buffer.from(body);
  if (bytes.length <= messageBytesMax) return { message: body, bytes: bytes.length };
  const message = new TextDecoder().decode(bytes.subarray(0, messageBytesMax), { stream: true });
  return { message, bytes: bytes.length, cut: true };
}
function redriveOf(letter3, again) {
  if (!letter3) return { done: false, because: "no dead letter has this id, or it has expired" };
  if (letter3.status === "dropped") return { done: false, because: "an operator dropped it" };
  if (letter3.status === "redriven" && !again)
    return { done: true, because: `given back already, ${new Date(letter3.redriven.at).toISOString()}, and it has not died since` };
  if (letter3.cut) return { done: false, because: letter3.queue === "feed" ? cutImage : cutMessage };
  return { attempt: Math.max(letter3.died, letter3.redriven?.attempt ?? 0) + 1 };
}
var cutMessage = "it is too long to be kept whole: whoever sent it must send it again";
var cutImage = "not all of it was kept, so that its events cannot go out: who follows them sees the gap in their numbers";
var cutBefore = 64 * 1024;
function upToDate(stored) {
  if (!("deadAt" in stored)) return stored;
  const { id: id3, via, message, sentAt, receives, code, reason: reason2, deadAt: at3 } = stored;
  const failure2 = { code, reason: shortened(reason2), at: at3 };
  const queue = via === "feed" ? "feed" : "reports";
  const isCut = via === "feed" || message.length >= cutBefore;
  const bytes = Buffer.byteLength(message);
  const known3 = { id: id3, queue, via, message, bytes, sentAt, receives, deaths: 1, died: 0, first: failure2, last: failure2 };
  return { ...known3, status: "dead", ...isCut && { cut: true } };
}

// lib/runtime/shell.ts
function cached(shell, name, make) {
  if (!shell.caches.has(name)) shell.caches.set(name, make());
  return shell.caches.get(name);
}

// lib/runtime/attempts.ts
var keptForMs2 = dayMs;
var recordedMax = { ofOneSource: 10, ofAll: 60 };
var sameEveryMs = hourMs;
var sameMax = 1e3;
async function recordAttempt(shell, attempt) {
  const { request, type, sameAs } = attempt;
  const met = cached(shell, "same attempts", () => /* @__PURE__ */ new Map());
  const last = sameAs === void 0 ? void 0 : met.get(sameAs);
  if (last !== void 0 && shell.now() - last < sameEveryMs) return;
  const uncounted = countedOver(shell, request.source, (attempt.who ?? "anyone") !== "anyone");
  if (uncounted > 0) {
    if (uncounted === 1 || uncounted % 100 === 0) shell.log("warn", "attempts.over", { source: request.source, type, uncounted });
    return;
  }
  if (sameAs !== void 0) meet(met, sameAs, shell.now());
  try {
    await shell.table.commit([{ put: rowOf(shell, attempt), readRev: 0 }]);
  } catch (error) {
    if (sameAs !== void 0) met.delete(sameAs);
    shell.log("error", "attempt.lost", { id: request.id, type, detail: error instanceof Error ? error.message : String(error) });
  }
}
function meet(met, what, at3) {
  met.delete(what);
  if (met.size >= sameMax) met.delete(met.keys().next().value);
  met.set(what, at3);
}
function rowOf(shell, { request, route: route2, who, key, subject, type, detail }) {
  const tried = `${route2.method} ${route2.path}`;
  const body = { route: tried, ...subject !== void 0 && { subject: shortened(subject) }, type };
  const known3 = who === void 0 ? shell.actor : void 0;
  const shown5 = key ?? known3?.key;
  const actor = {
    who: who ?? known3?.who ?? "anyone",
    ...shown5 !== void 0 && { key: shown5 },
    source: request.source,
    request: request.id
  };
  const at3 = shell.now();
  const because = shortened(`${type}: ${detail}`);
  const ref = { noun: "attempt", id: shell.newId() };
  return contentOf(ref, void 0, write(body, because, { expiresAt: plusMs(at3, keptForMs2) }), { by: request.id, at: at3, exact: true, actor });
}
function countedOver(shell, address, isKnown) {
  const source = sourceOf(address);
  const counted2 = cached(shell, isKnown ? "attempts of the known" : "attempts", () => ({
    minute: 0,
    bySource: /* @__PURE__ */ new Map(),
    all: 0,
    over: 0
  }));
  const minute = Math.floor(shell.now() / minuteMs);
  if (minute !== counted2.minute) {
    counted2.bySource.clear();
    Object.assign(counted2, { minute, all: 0, over: 0 });
  }
  const ofSource = counted2.bySource.get(source) ?? 0;
  if (ofSource < recordedMax.ofOneSource && counted2.all < recordedMax.ofAll) {
    counted2.bySource.set(source, ofSource + 1);
    counted2.all += 1;
    return 0;
  }
  counted2.over += 1;
  return counted2.over;
}

// lib/zones/slots.ts
var nobody = 65535;
var slotsMin = 1024;
var pageSlots = 65536;
var versionsPerPage = 64;
var pagesEveryMs = 6 * hourMs;
var slotOf = (fp4, slots) => Number.parseInt(fp4.slice(0, 7), 16) >>> 28 - Math.log2(slots);
function slotRange(slot, slots) {
  const shift = 28 - Math.log2(slots);
  const hex = (n) => n.toString(16).padStart(7, "0");
  return { from: hex(slot << shift), to: `${hex((slot + 1 << shift) - 1)}g` };
}
var emptyMap = (slots) => ({
  owner: new Uint16Array(slots).fill(nobody),
  home: new Uint16Array(slots).fill(nobody)
});
function encodePage(map, page) {
  const first = page * pageSlots;
  const count = Math.min(pageSlots, map.owner.length - first);
  const bytes = new Uint8Array(count * 4);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < count; i++) {
    view.setUint16(i * 4, map.owner[first + i]);
    view.setUint16(i * 4 + 2, map.home[first + i]);
  }
  return bytes;
}
function decodePage(bytes, map, page) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0, slot = page * pageSlots; i < bytes.length / 4; i++, slot++) {
    map.owner[slot] = view.getUint16(i * 4);
    map.home[slot] = view.getUint16(i * 4 + 2);
  }
}
function encodeDelta(moves) {
  const bytes = new Uint8Array(moves.length * 8);
  const view = new DataView(bytes.buffer);
  moves.forEach(({ slot, owner, home }, i) => {
    view.setUint32(i * 8, slot);
    view.setUint16(i * 8 + 4, owner);
    view.setUint16(i * 8 + 6, home);
  });
  return bytes;
}
function applyDelta(bytes, map) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0; i < bytes.length; i += 8) {
    const slot = view.getUint32(i);
    map.owner[slot] = view.getUint16(i + 4);
    map.home[slot] = view.getUint16(i + 6);
  }
}

// lib/zones/zone.ts
import * as z9 from "zod";
var Bytes = z9.custom((value) => value instanceof Uint8Array, "bytes");
var ZoneHead = z9.strictObject({
  name: ZoneName,
  /** The zone's number in tokens; never used again for another zone. */
  number: z9.int().positive(),
  kind: z9.enum(["management", "storage"]),
  mode: z9.enum(["production", "recovery"]),
  version: z9.int().nonnegative(),
  slots: z9.int().positive(),
  mapVersion: z9.int().nonnegative(),
  membersVersion: z9.int().nonnegative(),
  roster: Bytes,
  /** Bumped when a backup is restored: tokens of another epoch are as none. */
  epoch: z9.int().nonnegative(),
  /** How long the clients of a node that went down are kept for it before its slots move, in ms. */
  remapAfterMs: z9.int().nonnegative(),
  readmit: z9.enum(["auto", "admin"]),
  /** Nodes that are still owed a part of their share, by index, because one plan was not allowed to do it all. */
  settling: z9.array(z9.int().nonnegative()),
  brakes: z9.strictObject({}),
  budgets: z9.strictObject({})
});
var MapPage = z9.strictObject({ version: z9.int().nonnegative(), cells: Bytes });
var Delta = z9.strictObject({ version: z9.int().nonnegative(), at: EpochMs, moves: Bytes });
var Member = z9.strictObject({
  node: NodeId,
  fqdn: Fqdn,
  watch: WatchAddress,
  weight: z9.number().positive(),
  capacity: z9.int().positive().optional()
});
var Members = z9.strictObject({ members: z9.array(Member.nullable()) });
var membersPerPage = 256;
var Revoked = z9.strictObject({ version: z9.int().nonnegative(), entries: Bytes, tokensBefore: z9.int().nonnegative() });
var Counts = z9.strictObject({
  at: EpochMs,
  perSlot: Bytes,
  running: z9.strictObject({ partition: z9.int().nonnegative(), perSlot: Bytes }).optional()
});
var countAt = (perSlot, slot) => (perSlot[slot * 2] ?? 0) << 8 | (perSlot[slot * 2 + 1] ?? 0);
var newZone = (name, number7, slots) => ({
  name,
  number: number7,
  kind: "management",
  mode: "production",
  version: 0,
  slots,
  mapVersion: 0,
  membersVersion: 0,
  roster: new Uint8Array(0),
  epoch: 0,
  remapAfterMs: 0,
  readmit: "auto",
  settling: [],
  brakes: {},
  budgets: {}
});

// lib/zones/create.ts
var defaultZone = "default";
var defaultZoneNumber = 1;
function planZone(name, number7, now, slots = slotsMin) {
  const because = `zone ${name} created`;
  const pages = Math.ceil(slots / pageSlots);
  const map = emptyMap(slots);
  return {
    because: [because],
    changes: [
      { ref: { noun: "zone", id: name }, readRev: 0, decision: write(newZone(name, number7, slots), because) },
      ...Array.from({ length: pages }, (_, page) => ({
        ref: { noun: "map", id: `${name}/${page}` },
        readRev: 0,
        decision: write({ version: 0, cells: encodePage(map, page) }, because)
      })),
      {
        ref: { noun: "revoked", id: name },
        readRev: 0,
        decision: write({ version: 0, entries: new Uint8Array(0), tokensBefore: 0 }, because)
      },
      {
        ref: { noun: "counts", id: name },
        readRev: 0,
        decision: write({ at: now, perSlot: new Uint8Array(slots * 2) }, because, { wakeAt: now })
      },
      { ref: { noun: "zone-number", id: String(number7) }, readRev: 0, decision: write({ name }, because) }
    ]
  };
}

// lib/admission/pooled-host.ts
import * as z10 from "zod";
var pooledForMs = 30 * dayMs;
var askAgainMs = minuteMs;
var seenEveryMs = 60 * minuteMs;
var host = {
  fp: Fingerprint,
  publicKey: PublicKey,
  fqdn: Fqdn,
  kind: NodeKind,
  /** The zone that it asks for; absent: it asks for none. */
  zone: ZoneName.optional(),
  watch: WatchAddress,
  capacity: z10.int().positive().optional(),
  /** The network address that it called from last. */
  source: z10.string(),
  firstSeenAt: EpochMs,
  seenAt: EpochMs
};
var PooledHost = z10.discriminatedUnion("standing", [
  z10.strictObject({ ...host, standing: z10.literal("waiting") }),
  /** `as`: the zone and kind that it was admitted with, which its next join gets. */
  z10.strictObject({ ...host, standing: z10.literal("admitted"), as: z10.strictObject({ zone: ZoneName, kind: NodeKind }), admittedAt: EpochMs }),
  z10.strictObject({ ...host, standing: z10.literal("rejected"), rejectedAt: EpochMs })
]);

// lib/admission/rules.ts
import * as z13 from "zod";

// lib/admission/cidr.ts
import * as z11 from "zod";
var mappedBits = 96;
function readNetwork(text2) {
  const [written = "", length = "", ...more] = text2.split("/");
  const address = readAddress(written);
  const isIpv4 = !written.includes(":");
  if (address === void 0 || more.length > 0 || !/^\d{1,3}$/.test(length) || Number(length) > (isIpv4 ? 32 : 128)) return void 0;
  const bits = Number(length) + (isIpv4 ? mappedBits : 0);
  return { address: prefixOf(address, bits), bits };
}
var Cidr = z11.string().max(50).refine((text2) => readNetwork(text2) !== void 0, "a network such as 10.0.0.0/8 or 2001:db8::/32");
function isInside({ address, bits }, text2) {
  const read = readAddress(text2);
  return read !== void 0 && prefixOf(read, bits) === address;
}
var prefixOf = (address, bits) => {
  const rest = BigInt(128 - bits);
  return address >> rest << rest;
};

// lib/admission/pattern.ts
import * as z12 from "zod";
var patternMax = 500;
var digitsMax = 9;
function readPattern(text2) {
  if (text2.length > patternMax) return void 0;
  const alternatives = split2(text2.toLowerCase(), ",").map(alternativeOf);
  return alternatives.every((one4) => one4 !== void 0) ? alternatives : void 0;
}
var NamePattern = z12.string().max(patternMax).transform((text2) => text2.toLowerCase()).pipe(
  z12.string().refine(
    (text2) => readPattern(text2) !== void 0,
    "names such as ssu[1-40].acme.org; * stands for letters of one label, or for every name"
  )
);
var isMeant = (pattern, name) => {
  const labels2 = name.split(".");
  return pattern.some(
    (one4) => one4 === "every" || one4.length === labels2.length && one4.every((pieces, at3) => isLabelMeant(pieces, labels2[at3]))
  );
};
var isOneName = (pattern) => pattern.length === 1 && pattern[0] !== "every" && pattern[0].every((pieces) => pieces.every(({ is }) => is === "text"));
function isLabelMeant(pieces, label) {
  let ends = /* @__PURE__ */ new Set([0]);
  for (const piece of pieces) ends = endsAfter(piece, label, ends);
  return ends.has(label.length);
}
function endsAfter(piece, label, from) {
  if (from.size === 0) return from;
  if (piece.is === "star") return new Set(upTo(label.length - Math.min(...from)).map((more) => Math.min(...from) + more));
  if (piece.is === "text") return new Set([...from].flatMap((at3) => label[at3] === piece.text ? [at3 + 1] : []));
  return new Set([...from].flatMap((at3) => lengthsOf(piece.ranges, label, at3).map((length) => at3 + length)));
}
function lengthsOf(ranges, label, at3) {
  const lengths = [];
  for (let length = 1; length <= digitsMax && isDigit(label[at3 + length - 1]); length++)
    if (isIn(ranges, label.slice(at3, at3 + length))) lengths.push(length);
  return lengths;
}
var upTo = (n) => Array.from({ length: n + 1 }, (_, i) => i);
var isIn = (ranges, digits) => ranges.some(({ from, to, width }) => {
  const isWritten = width === void 0 ? digits === "0" || digits[0] !== "0" : digits.length === width;
  return isWritten && Number(digits) >= from && Number(digits) <= to;
});
var isDigit = (one4) => one4 !== void 0 && one4 >= "0" && one4 <= "9";
var isDigits = (text2) => text2 !== "" && [...text2].every(isDigit);
var isLetter = (one4) => one4 >= "a" && one4 <= "z" || isDigit(one4) || one4 === "-";
function alternativeOf(text2) {
  if (text2 === "*") return "every";
  const labels2 = split2(text2, ".").map(piecesOf);
  return labels2.length > 1 && labels2.every((one4) => one4 !== void 0) ? labels2 : void 0;
}
function piecesOf(label) {
  const pieces = [];
  for (let at3 = 0; at3 < label.length; ) {
    const one4 = label[at3];
    const end = one4 === "[" ? label.indexOf("]", at3) + 1 : at3 + 1;
    const piece = one4 === "[" ? numberOf(label.slice(at3 + 1, end - 1)) : letterOf(one4);
    if (end === 0 || !piece) return void 0;
    pieces.push(piece);
    at3 = end;
  }
  return pieces.length > 0 ? pieces : void 0;
}
var letterOf = (one4) => {
  if (one4 === "*") return { is: "star" };
  return isLetter(one4) ? { is: "text", text: one4 } : void 0;
};
function numberOf(text2) {
  const ranges = text2.split(",").map(rangeOf);
  return ranges.every((range) => range !== void 0) ? { is: "number", ranges } : void 0;
}
function rangeOf(text2) {
  const [from = "", to = from, ...more] = text2.split("-");
  const isWritten = [from, to].every((end) => isDigits(end) && end.length <= digitsMax);
  if (!isWritten || more.length > 0 || Number(from) > Number(to)) return void 0;
  const hasZeros = [from, to].some((end) => end.length > 1 && end[0] === "0");
  if (hasZeros && from.length !== to.length) return void 0;
  return { from: Number(from), to: Number(to), ...hasZeros && { width: from.length } };
}
function split2(text2, sign3) {
  const parts = [""];
  let isInside2 = false;
  for (const one4 of text2) {
    if (one4 === "[") isInside2 = true;
    if (one4 === "]") isInside2 = false;
    if (one4 === sign3 && !isInside2) parts.push("");
    else parts[parts.length - 1] += one4;
  }
  return parts;
}

// lib/admission/rules.ts
var rulesMax = 100;
var RuleName = z13.string().regex(/^[a-z][a-z0-9-]{0,39}$/, "the name of a rule is 1 to 40 lower-case letters, digits or hyphens, beginning with a letter");
var AdmissionRule = z13.strictObject({
  name: RuleName,
  nodes: NamePattern,
  cidr: Cidr.optional(),
  kind: NodeKind.optional(),
  zone: ZoneName,
  /** How many more hosts it admits; absent: any number. */
  left: z13.int().nonnegative().optional()
});
var AdmissionRules = z13.strictObject({ rules: z13.array(AdmissionRule).max(rulesMax) });
var ruleFor = ({ rules }, host2) => rules.find((rule2) => admits(rule2, host2));
function admits({ nodes: nodes2, cidr, kind, zone: zone3, left }, host2) {
  if (left === 0 || kind !== void 0 && kind !== host2.kind || host2.zone !== void 0 && host2.zone !== zone3) return false;
  const network = cidr === void 0 ? void 0 : readNetwork(cidr);
  return isMeant(readPattern(nodes2) ?? [], host2.fqdn) && (network === void 0 || isInside(network, host2.source));
}

// lib/admission/decide.ts
function decideHost(host2, command4, now) {
  if (command4.type === "ask") return onAsk(host2, command4.host, now);
  if (!host2) return nothing("no such host waits");
  switch (command4.type) {
    case "admit":
      return onAdmit(host2, command4, now);
    case "reject": {
      if (host2.standing === "rejected") return nothing("it is rejected already");
      return kept2({ ...asAsked(host2), standing: "rejected", rejectedAt: now }, "rejected by an operator");
    }
    case "joined":
      return { does: "remove", last: host2, events: [], because: "it is a node now" };
    default:
      return unreachable(command4);
  }
}
function onAsk(before, asking, now) {
  const said2 = saidBy(asking);
  if (!before)
    return kept2({ ...said2, standing: "waiting", firstSeenAt: now, seenAt: now }, "it asks to be a node; nobody has admitted it yet");
  if (before.standing === "rejected") return seen(before, now);
  if (before.standing === "admitted" && before.fqdn === asking.fqdn) return nothing("admitted; its next join makes it a node");
  const isSame2 = before.standing === "waiting" && JSON.stringify(saidBy(before)) === JSON.stringify(said2);
  if (isSame2) return seen(before, now);
  return kept2(
    { ...said2, standing: "waiting", firstSeenAt: before.firstSeenAt, seenAt: now },
    "it says something else of itself than before"
  );
}
function seen(host2, now) {
  return now - host2.seenAt < seenEveryMs ? nothing("seen within the hour") : kept2({ ...host2, seenAt: now }, "it asks still");
}
function onAdmit(host2, { zone: zone3, kind = host2.kind }, now) {
  if (host2.standing === "admitted" && host2.as.zone === zone3 && host2.as.kind === kind) return nothing("it is admitted already");
  return kept2({ ...asAsked(host2), standing: "admitted", as: { zone: zone3, kind }, admittedAt: now }, `admitted into zone ${zone3} by an operator`);
}
var saidBy = ({ fp: fp4, publicKey: publicKey2, fqdn: fqdn2, kind, zone: zone3, watch: watch2, capacity, source }) => ({
  ...{ fp: fp4, publicKey: publicKey2, fqdn: fqdn2, kind, watch: watch2, source },
  ...zone3 !== void 0 && { zone: zone3 },
  ...capacity !== void 0 && { capacity }
});
var asAsked = (host2) => ({ ...saidBy(host2), firstSeenAt: host2.firstSeenAt, seenAt: host2.seenAt });
var kept2 = (next3, because) => write(next3, because, { expiresAt: plusMs(next3.seenAt, pooledForMs) });
function decideRules(row2, command4) {
  const rules = row2?.rules ?? [];
  const named3 = rules.find(({ name }) => name === (command4.type === "add" ? command4.rule.name : command4.name));
  switch (command4.type) {
    case "add":
      if (!named3 && rules.length >= rulesMax) return nothing(`there are ${rulesMax} rules already`);
      return changed(
        [...rules.filter((rule2) => rule2 !== named3), command4.rule],
        `rule ${command4.rule.name} ${named3 ? "replaced" : "added"}`
      );
    case "delete":
      return named3 ? changed(
        rules.filter((rule2) => rule2 !== named3),
        `rule ${command4.name} deleted`
      ) : nothing("there is no such rule");
    case "use":
      if (named3?.left === void 0) return nothing(`rule ${command4.name} admits any number`);
      return changed(
        rules.map((rule2) => rule2 === named3 ? { ...rule2, left: Math.max(0, named3.left - 1) } : rule2),
        `rule ${command4.name} admitted ${command4.fqdn}`
      );
    default:
      return unreachable(command4);
  }
}
var changed = (rules, because) => write({ rules }, because);

// lib/identity/secret-text.ts
import { createHash as createHash2, timingSafeEqual } from "node:crypto";
var letters = "0123456789abcdefghjkmnpqrstvwxyz";
var idLength = 12;
var secretBytes = 32;
var form = /^([a-z]{3})_([0-9a-z]{12})_([A-Za-z0-9_-]{43})_([0-9a-f]{6})$/;
var secretIdForm = /^[0-9a-z]{12}$/;
function mintSecret(prefix, random) {
  const id3 = Array.from(random(idLength), (byte2) => letters[byte2 % letters.length]).join("");
  const secret2 = Buffer.from(random(secretBytes)).toString("base64url");
  return { id: id3, secret: secret2, text: textOf(prefix, { id: id3, secret: secret2 }), hash: secretHash(secret2) };
}
function parseSecret(text2, prefix) {
  const [, given, id3, secret2] = form.exec(text2) ?? [];
  if (given !== prefix || id3 === void 0 || secret2 === void 0) return "no-secret";
  return text2 === textOf(prefix, { id: id3, secret: secret2 }) ? { id: id3, secret: secret2 } : "mistyped";
}
var secretHash = (secret2) => createHash2("sha256").update(secret2, "utf8").digest("hex");
var isSecret = (secret2, hash2) => {
  const [given, kept8] = [Buffer.from(secretHash(secret2), "hex"), Buffer.from(hash2, "hex")];
  return kept8.length === given.length && timingSafeEqual(given, kept8);
};
function textOf(prefix, { id: id3, secret: secret2 }) {
  const body = `${prefix}_${id3}_${secret2}`;
  return `${body}_${createHash2("sha256").update(body, "utf8").digest("hex").slice(0, 6)}`;
}

// lib/join-tokens/join-token.ts
import * as z14 from "zod";
var oneTimeForMs = hourMs;
var bootstrapForMs = 365 * dayMs;
var usesMax = 1e3;
var shownForMs = 30 * dayMs;
var TokenId = z14.string().regex(secretIdForm, "the id of a token is 12 lower-case letters and digits").brand();
var Admitted = z14.strictObject({ fp: Fingerprint, node: NodeId, at: EpochMs });
var JoinToken = z14.strictObject({
  id: TokenId,
  hash: z14.string().regex(/^[0-9a-f]{64}$/),
  /** One name, or a pattern of names. */
  nodes: NamePattern,
  kind: NodeKind,
  zone: ZoneName,
  cidr: Cidr.optional(),
  uses: z14.int().positive().max(usesMax),
  createdAt: EpochMs,
  expiresAt: EpochMs,
  revokedAt: EpochMs.optional(),
  admitted: z14.array(Admitted)
});
function statusOf({ revokedAt, expiresAt, uses, admitted: admitted3 }, now) {
  if (revokedAt !== void 0) return "revoked";
  if (admitted3.length >= uses) return "used";
  return expiresAt <= now ? "expired" : "valid";
}

// lib/join-tokens/decide.ts
function decide2(token3, command4, now) {
  if (command4.type === "create") return token3 ? nothing("there is such a token") : kept3(command4.token, `made for ${command4.token.nodes}`);
  if (!token3) return nothing("no token has this id");
  switch (command4.type) {
    case "revoke":
      return token3.revokedAt === void 0 ? kept3({ ...token3, revokedAt: now }, "revoked by an operator") : nothing("it is revoked already");
    case "use":
      return onUse(token3, command4, now);
    default:
      return unreachable(command4);
  }
}
function onUse(token3, shown5, now) {
  const why = faultOf(token3, shown5, now);
  if (why !== void 0) return nothing(why);
  const { fp: fp4, node: node5, fqdn: fqdn2 } = shown5;
  if (isAdmitted(token3, shown5)) return nothing(`it admitted ${node5} before`);
  return kept3({ ...token3, admitted: [...token3.admitted, { fp: fp4, node: node5, at: now }] }, `admitted ${fqdn2} as ${node5}`);
}
function faultOf(token3, shown5, now) {
  if (!isSecret(shown5.secret, token3.hash)) return "the secret is not that of this token";
  const status2 = statusOf(token3, now);
  if (status2 !== "valid" && !(status2 === "used" && isAdmitted(token3, shown5))) return `the token is ${status2}`;
  if (shown5.kind !== token3.kind) return `the token is for hosts of kind ${token3.kind}, not ${shown5.kind}`;
  if (!isMeant(readPattern(token3.nodes) ?? [], shown5.fqdn)) return `the token is for ${token3.nodes}, not ${shown5.fqdn}`;
  const network = token3.cidr === void 0 ? void 0 : readNetwork(token3.cidr);
  if (network && !isInside(network, shown5.source)) return `the token is for ${token3.cidr}, not ${shown5.source}`;
  if (shown5.outSince !== void 0 && shown5.outSince >= token3.createdAt) return "the token was made before an operator sent this host away";
  return void 0;
}
var isAdmitted = ({ admitted: admitted3 }, { fp: fp4 }) => admitted3.some((one4) => one4.fp === fp4);
var kept3 = (next3, because) => write(next3, because, { expiresAt: plusMs(next3.expiresAt, shownForMs) });

// lib/admission/source.ts
var newHostsMax = 200;
var countedForMs = hourMs;
function withOneMore(before, now) {
  if (!before || plusMs(before.since, countedForMs) <= now) return { since: now, hosts: 1 };
  return before.hosts >= newHostsMax ? void 0 : { ...before, hosts: before.hosts + 1 };
}

// lib/doors/pool.ts
var poolRef = (fp4) => ({ noun: "pooled-host", id: fp4 });
async function pooledHost(shell, reading, fp4) {
  const row2 = await reading.row(poolRef(fp4));
  return { row: row2, host: stateOf(row2, shell.now()) };
}
function poolChange(shell, fp4, { row: row2, host: host2 }, command4) {
  const decision = decideHost(host2, command4, shell.now());
  return decision.does === "nothing" ? [] : [{ ref: poolRef(fp4), readRev: row2?.rev ?? 0, decision }];
}
async function waits(shell, reading, held, asking) {
  const changes = poolChange(shell, asking.fp, held, { type: "ask", host: asking });
  if (held.host) return changes;
  const ref = { noun: "pool-source", id: sourceOf(asking.source) };
  const row2 = await reading.row(ref);
  const now = shell.now();
  const before = stateOf(row2, now);
  const counted2 = withOneMore(before, now);
  if (!counted2) throw tooMany(plusMs(before.since, countedForMs) - now);
  const expiresAt = plusMs(counted2.since, countedForMs);
  const decision = write(counted2, "one more host waits in the pool", { expiresAt });
  return [...changes, { ref, readRev: row2?.rev ?? 0, decision }];
}
var tooMany = (waitMs) => new Refusal(
  "onboarding-rate",
  "too many new hosts came from this network within the hour; a token or an admission rule lets hosts in without waiting",
  {
    headers: { "retry-after": String(Math.ceil(waitMs / 1e3)) }
  }
);
var pooledAnswer = ({ fp: fp4 }) => ({
  status: 202,
  body: { pooled: true, fingerprint: showFingerprint(fp4), nextMs: askAgainMs }
});

// lib/doors/admission.ts
async function byToken(shell, reading, text2, host2) {
  const parsed = parseSecret(text2, "mjt");
  if (typeof parsed === "string") return { denied: `what was shown is no join token (${parsed})` };
  const ref = { noun: "join-token", id: parsed.id };
  const row2 = await reading.row(ref);
  const now = shell.now();
  const token3 = stateOf(row2, now);
  if (!token3) return { denied: `no token has the id ${parsed.id}` };
  const shown5 = { ...host2, secret: parsed.secret };
  const fault2 = faultOf(token3, shown5, now);
  if (fault2 !== void 0) return { denied: `token ${parsed.id}: ${fault2}` };
  const decision = decide2(token3, { type: "use", ...shown5 }, now);
  return { zone: token3.zone, kind: token3.kind, changes: [{ ref, readRev: row2.rev, decision }] };
}
var byOperator = (shell, { host: host2, row: row2 }, { fp: fp4, fqdn: fqdn2 }) => host2?.standing === "admitted" && host2.fqdn === fqdn2 ? { ...host2.as, changes: poolChange(shell, fp4, { host: host2, row: row2 }, { type: "joined" }) } : void 0;
var rulesRef = { noun: "admission-rules", id: "deployment" };
async function byRule(reading, host2) {
  const row2 = await reading.row(rulesRef);
  const rules = row2?.body;
  const rule2 = rules && ruleFor(rules, host2);
  if (!rule2) return void 0;
  const decision = decideRules(rules, { type: "use", name: rule2.name, fqdn: host2.fqdn });
  return { zone: rule2.zone, kind: host2.kind, changes: [{ ref: rulesRef, readRev: row2.rev, decision }] };
}

// lib/doors/machine-keys.ts
var keyRef = (fp4) => ({ noun: "key", id: fp4 });
async function heldKey(shell, reading, fp4) {
  const [row2, clientRow2] = await reading.rows([keyRef(fp4), { noun: "client", id: fp4 }]);
  const now = shell.now();
  return { fp: fp4, row: row2, key: stateOf(row2, now) ?? ofClient(stateOf(clientRow2, now)) };
}
var ofClient = (client) => client === void 0 || client.standing === "alias" ? void 0 : { owner: { noun: "client", id: client.fp }, state: "bound", at: client.firstSeenAt };
function bindKey({ fp: fp4, row: row2, key }, owner, now) {
  if (key && !isOf(key, owner)) throw new Refusal("key-in-use", "this key belongs to another machine; every machine makes its own");
  if (key?.state === "revoked") throw new Refusal("key-in-use", "this key was given up; make another one");
  return key ? [] : [keyChange(fp4, row2, { owner, state: "bound", at: now }, `the key of ${owner.noun} ${owner.id}`)];
}
function revokeKey({ fp: fp4, row: row2, key }, owner, now) {
  if (key && (key.state === "revoked" || !isOf(key, owner))) return [];
  return [keyChange(fp4, row2, { owner, state: "revoked", at: now }, `no key of ${owner.noun} ${owner.id} any more`)];
}
var isOf = ({ owner }, { noun, id: id3 }) => owner.noun === noun && owner.id === id3;
var keyChange = (fp4, row2, key, because) => ({
  ref: keyRef(fp4),
  readRev: row2?.rev ?? 0,
  decision: write(key, because)
});

// lib/doors/zones.ts
import { Later as Later3 } from "../../lib/errors.ts";

// lib/zones/standing.ts
var standings = { none: 0, joining: 1, up: 2, suspect: 3, draining: 4, held: 5, down: 6, dropped: 7, quarantined: 8 };
var names = Object.fromEntries(Object.entries(standings).map(([name, code]) => [code, name]));
var standingOf = (code) => names[code] ?? "none";
var serves = (code) => code === standings.up || code === standings.suspect || code === standings.draining || code === standings.held || code === standings.quarantined;
var admits2 = (code) => code === standings.up;
var gone = (code) => code === standings.none || code === standings.down || code === standings.dropped;
var admitted = (code) => code !== standings.none && code !== standings.dropped;

// lib/zones/roster.ts
var entryBytes = 3;
var nodesMax = 65534;
var rosterSize = (roster) => roster.length / entryBytes;
var standingAt = (roster, index) => roster[index * entryBytes] ?? 0;
var generationAt = (roster, index) => (roster[index * entryBytes + 1] ?? 0) << 8 | (roster[index * entryBytes + 2] ?? 0);
function withEntry(roster, index, standing, generation2) {
  const next3 = new Uint8Array(Math.max(roster.length, (index + 1) * entryBytes));
  next3.set(roster);
  next3.set([standings[standing], generation2 >> 8 & 255, generation2 & 255], index * entryBytes);
  return next3;
}

// lib/zones/loaded.ts
function loadMap(slots, pages, deltas = []) {
  const map = emptyMap(slots);
  for (const [page, cells] of pages.entries()) decodePage(cells, map, page);
  for (const moves of deltas) applyDelta(moves, map);
  return map;
}
function loadMembers(pages) {
  const all = [];
  pages.forEach(({ members }, page) => {
    members.forEach((member2, i) => {
      all[page * membersPerPage + i] = member2 ?? void 0;
    });
  });
  return all;
}
function loadRevoked(revoked) {
  const revokedAt = /* @__PURE__ */ new Map();
  if (!revoked) return { revokedAt, tokensBefore: 0, revokedVersion: 0 };
  const view = new DataView(revoked.entries.buffer, revoked.entries.byteOffset, revoked.entries.byteLength);
  for (let i = 0; i < revoked.entries.length; i += 8) {
    const top = view.getUint32(i);
    revokedAt.set(top, Math.max(revokedAt.get(top) ?? 0, view.getUint32(i + 4)));
  }
  return { revokedAt, tokensBefore: revoked.tokensBefore, revokedVersion: revoked.version };
}
var servesAt = ({ head }, index, generation2) => index !== nobody && generationAt(head.roster, index) === generation2 && serves(standingAt(head.roster, index));
var admitsAt = ({ head }, index) => index !== nobody && admits2(standingAt(head.roster, index));
function indexOf(zone3, node5) {
  const index = zone3.members.findLastIndex((member2) => member2?.node === node5);
  return index === -1 ? void 0 : index;
}
function slotsOwned({ map, head }) {
  const owned = new Uint32Array(rosterSize(head.roster));
  for (const owner of map.owner) if (owner !== nobody) owned[owner]++;
  return owned;
}

// lib/doors/zones.ts
var zonesOf = (shell) => cached(shell, "zones", () => ({ byName: /* @__PURE__ */ new Map(), loading: /* @__PURE__ */ new Map(), names: /* @__PURE__ */ new Map() }));
function freshZone(shell, name) {
  const kept8 = zonesOf(shell).byName.get(name);
  return kept8 && shell.now() - kept8.readAt <= shell.settings.zoneMaxAgeMs ? kept8.zone : void 0;
}
function freshZoneByNumber(shell, number7) {
  const name = zonesOf(shell).names.get(number7);
  return name === void 0 ? void 0 : freshZone(shell, name);
}
async function zoneOf(shell, name, atLeast = 0) {
  const fresh = freshZone(shell, name);
  if (fresh && fresh.head.version >= atLeast) return fresh;
  const { loading } = zonesOf(shell);
  const running = loading.get(name);
  if (running) {
    const shared = await running;
    if (!shared || shared.head.version >= atLeast) return shared;
    const begun2 = loading.get(name);
    if (begun2) return begun2;
  }
  const load3 = refresh(shell, name).finally(() => loading.delete(name));
  loading.set(name, load3);
  return load3;
}
var zoneNow = (shell, name) => zoneOf(shell, name, Number.POSITIVE_INFINITY);
async function zoneByNumber(shell, number7, atLeast = 0) {
  const { names: names2 } = zonesOf(shell);
  if (!names2.has(number7)) {
    const row2 = await shell.table.read(keyOf({ noun: "zone-number", id: String(number7) }));
    if (!row2) return void 0;
    names2.set(number7, row2.body.name);
  }
  return zoneOf(shell, names2.get(number7), atLeast);
}
function forgetZone(shell, name) {
  const kept8 = zonesOf(shell).byName.get(name);
  if (kept8) kept8.readAt = 0;
}
async function refresh(shell, name) {
  const { byName: byName2, names: names2 } = zonesOf(shell);
  for (let attempt = 1; attempt <= refreshesMax; attempt++) {
    const readAt = shell.now();
    const [headRow, revokedRow] = await shell.table.readMany([keyOf({ noun: "zone", id: name }), keyOf({ noun: "revoked", id: name })]);
    if (!headRow) return void 0;
    const head = headRow.body;
    const kept8 = byName2.get(name)?.zone;
    const loaded = kept8 && kept8.head.version > head.version ? kept8 : await load(shell, headRow, revokedRow?.body, kept8);
    if (!loaded) continue;
    byName2.set(name, { zone: loaded, readAt });
    names2.set(head.number, name);
    return loaded;
  }
  throw new Later3("zone.moving", `zone ${name} changed through ${refreshesMax} reads of its map`);
}
var refreshesMax = 5;
async function load(shell, headRow, revoked, kept8) {
  const head = headRow.body;
  const sameMap = kept8?.head.mapVersion === head.mapVersion && kept8.head.slots === head.slots;
  const sameMembers = kept8?.head.membersVersion === head.membersVersion;
  const sameRevoked = kept8?.revokedVersion === (revoked?.version ?? 0);
  const map = sameMap ? kept8.map : await readMap(shell, head);
  if (!map) return void 0;
  return {
    head,
    map,
    members: sameMembers ? kept8.members : loadMembers((await readPages(shell, memberRefs(head))).map((row2) => row2?.body ?? { members: [] })),
    ...sameRevoked ? { revokedAt: kept8.revokedAt, tokensBefore: kept8.tokensBefore, revokedVersion: kept8.revokedVersion } : loadRevoked(revoked)
  };
}
async function readMap(shell, head) {
  const pages = (await readPages(shell, mapRefs(head))).flatMap((row2) => row2 ? [row2.body] : []);
  if (pages.some((page) => page.version > head.mapVersion)) return void 0;
  const since = Math.min(...pages.map((page) => page.version));
  const deltas = head.slots === slotsMin ? [] : await readDeltas(shell, head.name, since);
  return loadMap(
    head.slots,
    pages.map((page) => page.cells),
    deltas.filter((delta) => delta.version <= head.mapVersion).map((delta) => delta.moves)
  );
}
async function readDeltas(shell, zone3, since) {
  const deltas = [];
  for (let after; ; ) {
    const page = await shell.table.query({
      pk: zonePartition(zone3),
      from: deltaSort(since + 1),
      to: deltaSort(9999999999),
      limit: 200,
      ...after && { after }
    });
    deltas.push(...page.items.map((row2) => row2.body));
    if (!page.next) return deltas;
    after = page.next;
  }
}
var readPages = (shell, refs) => readAll(shell, refs.map(keyOf));
var mapRefs = ({ name, slots }) => Array.from({ length: Math.ceil(slots / pageSlots) }, (_, page) => ({ noun: "map", id: numbered(name, page) }));
var memberRefs = ({ name, roster }) => Array.from({ length: Math.ceil(rosterSize(roster) / membersPerPage) }, (_, page) => ({ noun: "members", id: numbered(name, page) }));
async function ensureDefaultZone(shell) {
  if (freshZone(shell, defaultZone) || await zoneOf(shell, defaultZone)) return;
  await applyPlan(shell, { id: shell.newId() }, async (reading) => {
    const head = await reading.row({ noun: "zone", id: defaultZone });
    return head ? { changes: [], because: ["the zone is there"] } : planZone(defaultZone, defaultZoneNumber, shell.now());
  });
}

// lib/doors/join.ts
async function join2({ body, caller, request }, shell) {
  if ((body.zone ?? defaultZone) === defaultZone) await ensureDefaultZone(shell);
  if (body.token === void 0 && body.zone !== void 0 && !await zoneOf(shell, body.zone))
    throw new Refusal("unknown-zone", `no zone is called ${body.zone}`, { errors: [{ pointer: "/zone", detail: "no such zone" }] });
  const asking = askingOf(body, caller.source);
  const id3 = shell.newId();
  const { outcome } = await applyPlan(shell, { id: id3 }, (reading) => planJoin(shell, reading, asking, { token: body.token, id: id3 }));
  if (outcome.is === "node") return { status: 201, body: { node: outcome.node, zone: outcome.zone, nextMs: 1 } };
  if (outcome.is === "pooled") return pooledAnswer(asking);
  const subject = `host ${asking.fqdn} ${asking.fp}`;
  const attempt = { request, route: nodeRoutes.join, who: "anyone", subject, type: "join-denied", detail: outcome.denied };
  await recordAttempt(shell, { ...attempt, sameAs: `${nodeRoutes.join.path} ${asking.fp} ${outcome.denied}` });
  throw new Refusal("join-denied", "the token admits no node here: it is wrong, used up, expired, revoked or made for another");
}
function askingOf({ publicKey: publicKey2, fqdn: fqdn2, kind, zone: zone3, watch: watch2, capacity }, source) {
  const fp4 = fingerprintOf(publicKey2);
  return { fp: fp4, publicKey: publicKey2, fqdn: fqdn2, kind, zone: zone3, watch: watch2 ?? `${fqdn2}:4505`, capacity, source };
}
async function planJoin(shell, reading, asking, { token: token3, id: call }) {
  const key = await heldKey(shell, reading, asking.fp);
  const node5 = ownerOf2(key, asking);
  const row2 = await reading.row({ noun: "node", id: node5 });
  const known3 = stateOf(row2, shell.now());
  const outSince = known3?.removedAt ?? (key.key?.state === "revoked" ? key.key.at : void 0);
  if (known3 && known3.publicKey !== asking.publicKey) throw new Refusal("key-in-use", "this key was given up; make another one");
  if (known3 && outSince === void 0) return memberPlan(shell, known3, row2, key, asking);
  const pool = await pooledHost(shell, reading, asking.fp);
  const rejectedAt = pool.host?.standing === "rejected" ? pool.host.rejectedAt : void 0;
  const host2 = { ...asking, node: node5, outSince: outSince ?? rejectedAt };
  const isOut = host2.outSince !== void 0;
  const admission = byOperator(shell, pool, host2) ?? (token3 !== void 0 ? await byToken(shell, reading, token3, host2) : isOut ? void 0 : await byRule(reading, host2));
  if (admission && "denied" in admission) return { changes: [], because: [admission.denied], outcome: { is: "denied", ...admission } };
  if (!admission && isOut) throw removed(asking);
  if (!admission)
    return { changes: await waits(shell, reading, pool, asking), because: ["it waits in the pool"], outcome: { is: "pooled" } };
  const left = admission.changes.some(({ ref }) => ref.noun === "pooled-host") ? [] : poolChange(shell, asking.fp, pool, { type: "joined" });
  const made = await nodeChanges(shell, reading, { known: known3, row: row2, key, host: host2, admission, call });
  return {
    changes: [...made, ...admission.changes, ...left],
    because: [`${host2.fqdn} is admitted`],
    outcome: { is: "node", node: node5, zone: known3?.zone ?? admission.zone }
  };
}
function ownerOf2({ key }, { publicKey: publicKey2 }) {
  if (key?.owner.noun === "client") throw new Refusal("key-in-use", "this key belongs to a client system; every machine makes its own");
  return key?.owner.id ?? nodeIdOf(publicKey2);
}
function memberPlan(shell, node5, row2, key, { fqdn: fqdn2 }) {
  if (node5.fqdn !== fqdn2)
    throw new Refusal("refused", `this key joined as ${node5.fqdn}; a name is bound at join`, {
      errors: [{ pointer: "/fqdn", detail: `bound to ${node5.fqdn}` }]
    });
  const bound = bindKey(key, { noun: "node", id: node5.id }, shell.now());
  const check = {
    ref: { noun: "node", id: node5.id },
    readRev: row2.rev,
    decision: { does: "nothing", because: "it joined before" }
  };
  return {
    changes: bound.length > 0 ? [...bound, { ...check, decision: { ...check.decision, ...row2.wakeAt !== void 0 && { wakeAt: row2.wakeAt } } }] : [],
    because: ["this key has joined already"],
    outcome: { is: "node", node: node5.id, zone: node5.zone }
  };
}
async function nodeChanges(shell, reading, { known: known3, row: row2, key, host: host2, admission, call }) {
  const now = shell.now();
  if (known3 && known3.fqdn !== host2.fqdn)
    throw new Refusal("refused", `this key joined as ${known3.fqdn}; a name is bound at join`, {
      errors: [{ pointer: "/fqdn", detail: `bound to ${known3.fqdn}` }]
    });
  const decision = decide(known3, known3 ? { type: "take-back", id: call } : joinOf(host2, admission, call), now);
  const wakeAt = decision.does === "write" ? earlier(row2?.wakeAt, decision.wakeAt) : void 0;
  const node5 = {
    ref: { noun: "node", id: host2.node },
    readRev: row2?.rev ?? 0,
    decision: { ...decision, ...wakeAt !== void 0 && !row2?.gone && { wakeAt } }
  };
  const nameRow = await reading.row({ noun: "fqdn", id: host2.fqdn });
  const holder = stateOf(nameRow, now)?.node;
  const replaced = holder && holder !== host2.node ? await takeOver(reading, holder, { type: "drop", id: call }, now) : [];
  const name = {
    ref: { noun: "fqdn", id: host2.fqdn },
    readRev: nameRow?.rev ?? 0,
    decision: write({ node: host2.node }, `the name of ${host2.node}`)
  };
  return [node5, name, ...keyChanges(key, host2, now), ...replaced];
}
var joinOf = ({ node: node5, publicKey: publicKey2, fqdn: fqdn2, watch: watch2, capacity }, { zone: zone3, kind }, id3) => ({
  ...{ type: "join", id: id3, node: node5, publicKey: publicKey2, fqdn: fqdn2, watch: watch2, zone: zone3, kind },
  ...capacity !== void 0 && { capacity }
});
function keyChanges(held, { node: node5 }, now) {
  const isRevoked = held.key?.state === "revoked";
  return bindKey(isRevoked ? { ...held, key: void 0 } : held, { noun: "node", id: node5 }, now);
}
var removed = ({ fqdn: fqdn2, fp: fp4 }) => new Refusal(
  "removed",
  `an operator has sent ${fqdn2} away: it is let in again by muster node admit ${fp4.slice(0, 16)}, or by a new token`
);
async function takeOver(reading, id3, drop3, now) {
  const ref = { noun: "node", id: id3 };
  const row2 = await reading.row(ref);
  const node5 = stateOf(row2, now);
  if (!node5) return [];
  const decision = decide(node5, drop3, now);
  if (decision.does === "write")
    throw new Refusal(
      "fqdn-in-use",
      `${node5.fqdn} is the name of node ${id3}, which is ${node5.status}; drop that node first if this machine takes its place`,
      { errors: [{ pointer: "/fqdn", detail: "in use" }] }
    );
  return [{ ref, readRev: row2.rev, decision }];
}

// lib/doors/node-systems.ts
import { createHash as createHash5 } from "node:crypto";

// lib/clients/status.ts
var statusBytes = { new: "0", onboarded: "1", orphan: "2", deleted: "3" };
var ownerOf3 = (zone3, fp4, pin) => pin === nobody ? zone3.map.owner[slotOf(fp4, zone3.head.slots)] : pin;
function placedStatus(zone3, fp4, pin, told3) {
  if (!told3?.confirmed) return "orphan";
  const owner = ownerOf3(zone3, fp4, pin);
  return told3.index === owner && servesAt(zone3, owner, told3.generation) ? "onboarded" : "orphan";
}
var tokenStatus = (zone3, token3) => placedStatus(zone3, token3.fp, token3.pin, token3);
function rowStatus(client, zone3) {
  if (!client || client.standing === "pooled") return "new";
  if (client.standing === "banned") return "deleted";
  return zone3 ? placedStatus(zone3, client.fp, pinOf(client), placementOf(client)) : "orphan";
}
var pinOf = (client) => client.standing === "accepted" && client.pin ? client.pin.index : nobody;
function placementOf(client) {
  if (client.standing !== "accepted" || !client.told) return void 0;
  const { index, generation: generation2, confirmedAt } = client.told;
  return { index, generation: generation2, confirmed: confirmedAt !== void 0 };
}
function tokenHolds(zone3, token3, nowS, lifeS) {
  if (token3.epoch !== zone3.head.epoch || token3.issuedAtS + lifeS < nowS || token3.issuedAtS < zone3.tokensBefore) return false;
  if (zone3.revokedAt.size === 0) return true;
  const revokedAt = zone3.revokedAt.get(Number.parseInt(token3.fp.slice(0, 8), 16));
  return revokedAt === void 0 || token3.issuedAtS > revokedAt;
}
function placeFor(zone3, fp4, pin, told3) {
  const owner = ownerOf3(zone3, fp4, pin);
  if (told3?.index === owner && servesAt(zone3, owner, told3.generation)) return owner;
  return admitsAt(zone3, owner) ? owner : void 0;
}

// lib/systems/list.ts
import * as z15 from "zod";
var entriesPerPage = 1e3;
var entryBytes2 = 8;
var Version = z15.strictObject({
  version: z15.int().positive(),
  count: z15.int().nonnegative(),
  /** The first entry of each page, 16 hex digits. */
  firsts: z15.array(z15.string())
});
var SystemsHead = z15.strictObject({
  newest: Version,
  before: Version.optional(),
  hash: z15.string(),
  mapVersion: z15.int().nonnegative(),
  /** The version of the zone's revocations when it was handed out: a later ban makes the list stale. */
  revokedVersion: z15.int().nonnegative()
});
var SystemsPage = z15.strictObject({ entries: z15.custom((value) => value instanceof Uint8Array, "bytes") });
function pagesOf(fps) {
  const pages = [];
  for (let at3 = 0; at3 < fps.length; at3 += entriesPerPage) {
    const part2 = fps.slice(at3, at3 + entriesPerPage);
    const entries = new Uint8Array(part2.length * entryBytes2);
    for (const [i, fp4] of part2.entries()) entries.set(Buffer.from(fp4.slice(0, entryBytes2 * 2), "hex"), i * entryBytes2);
    pages.push({ entries });
  }
  return pages;
}
var entriesOf = ({ entries }) => Array.from(
  { length: entries.length / entryBytes2 },
  (_, i) => Buffer.from(entries.subarray(i * entryBytes2, (i + 1) * entryBytes2)).toString("hex")
);
function pageFor(firsts, fp4) {
  const entry = fp4.slice(0, entryBytes2 * 2);
  let low = 0;
  let high = firsts.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (firsts[middle] <= entry) low = middle + 1;
    else high = middle;
  }
  return firsts.length === 0 ? void 0 : Math.max(0, low - 1);
}
function placeOnPage({ entries }, fp4) {
  const entry = Buffer.from(fp4.slice(0, entryBytes2 * 2), "hex");
  let low = 0;
  let high = entries.length / entryBytes2;
  while (low < high) {
    const middle = low + high >> 1;
    const order2 = Buffer.compare(entries.subarray(middle * entryBytes2, (middle + 1) * entryBytes2), entry);
    if (order2 === 0) return middle;
    if (order2 < 0) low = middle + 1;
    else high = middle;
  }
  return void 0;
}
function difference(before, now) {
  const known3 = new Set(before);
  const present = new Set(now.map((fp4) => fp4.slice(0, entryBytes2 * 2)));
  return { added: now.filter((fp4) => !known3.has(fp4.slice(0, entryBytes2 * 2))), gone: before.filter((entry) => !present.has(entry)) };
}
var firstsOf = (fps) => fps.filter((_, i) => i % entriesPerPage === 0).map((fp4) => fp4.slice(0, entryBytes2 * 2));

// lib/doors/client-rows.ts
async function clientRow(shell, fp4) {
  const row2 = await shell.table.read(keyOf({ noun: "client", id: fp4 }));
  const state = stateOf(row2, shell.now());
  if (!state) return void 0;
  return state.standing === "alias" ? clientRow(shell, state.of) : { state, row: row2 };
}

// lib/doors/owned-systems.ts
var systemsPerNodeMax = 9e4;
var atOnce = 8;
var wholeFrom = 1 / 4;
async function ownedSystems(shell, zone3, index) {
  const fps = [];
  for (let first = 0; first < clientPartitions; first += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, clientPartitions - first) }, (_, i) => first + i);
    const found2 = await Promise.all(some.map((partition) => inPartition(shell, zone3, index, partition)));
    for (const part2 of found2) for (const fp4 of part2) fps.push(fp4);
    if (fps.length > systemsPerNodeMax)
      throw new Refusal("refused", `more than ${systemsPerNodeMax} client systems on one node: add nodes, or give this one less weight`);
  }
  return fps;
}
async function inPartition(shell, zone3, index, partition) {
  const slots = zone3.head.slots / clientPartitions;
  const ranges = rangesOf(zone3, index, partition * slots, slots);
  const owned = ranges.reduce((sum, { count }) => sum + count, 0);
  const pk = clientList.zone(zone3.head.name, partition);
  if (owned > slots * wholeFrom) {
    const all = await entriesIn(shell, pk, void 0);
    return owned === slots ? all : all.filter((fp4) => zone3.map.owner[slotOf(fp4, zone3.head.slots)] === index);
  }
  const fps = [];
  for (const { range } of ranges) fps.push(...await entriesIn(shell, pk, range));
  return fps;
}
function rangesOf({ map, head }, index, first, slots) {
  const ranges = [];
  for (let slot = first; slot < first + slots; slot++) {
    if (map.owner[slot] !== index) continue;
    const begin2 = slot;
    while (slot + 1 < first + slots && map.owner[slot + 1] === index) slot++;
    const range = { from: slotRange(begin2, head.slots).from, to: slotRange(slot, head.slots).to };
    ranges.push({ range, count: slot - begin2 + 1 });
  }
  return ranges;
}
async function entriesIn(shell, pk, range) {
  const fps = [];
  for (let after; ; ) {
    const page = await shell.table.queryIndex({ index: "list", pk, ...range, limit: 1e3, ...after && { after } });
    for (const entry of page.items) fps.push(entry.sk);
    if (!page.next) return fps;
    after = page.next;
  }
}

// lib/runtime/on-route.ts
import * as z17 from "zod";

// lib/api/json.ts
var bodyBytesMax2 = 64 * 1024;
var depthMax = 32;
function parseBody(text2) {
  refuseLarge(text2);
  refuseDeep(text2);
  let value;
  try {
    value = JSON.parse(text2);
  } catch (error) {
    throw new Refusal("malformed-json", error instanceof Error ? error.message : "not JSON");
  }
  if (/__proto__|\\u/.test(text2) && holdsProto(value)) throw new Refusal("malformed-json", "the key __proto__ is not allowed");
  if (keysIn(value) !== membersIn(text2)) throw new Refusal("malformed-json", "a key stands twice in the same object");
  return value;
}
function refuseLarge(text2) {
  if (text2.length > bodyBytesMax2 || Buffer.byteLength(text2) > bodyBytesMax2)
    throw new Refusal("too-large", `the body has more than ${bodyBytesMax2} bytes`);
}
function refuseDeep(text2) {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text2.length; i++) {
    const char = text2[i];
    if (inString) {
      if (char === "\\") i++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{" || char === "[") {
      depth++;
      if (depth > depthMax) throw new Refusal("malformed-json", `nested deeper than ${depthMax} levels`);
    } else if (char === "}" || char === "]") depth--;
  }
}
var membersIn = (text2) => text2.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"/g, "").split(":").length - 1;
function keysIn(value) {
  if (typeof value !== "object" || value === null) return 0;
  const held = Object.values(value);
  return held.reduce((sum, one4) => sum + keysIn(one4), Array.isArray(value) ? 0 : held.length);
}
function holdsProto(value) {
  if (typeof value !== "object" || value === null) return false;
  if (Object.hasOwn(value, "__proto__")) return true;
  return Object.values(value).some(holdsProto);
}

// lib/api/router.ts
function router(routes) {
  const compiled = Object.entries(routes).map(([name, { method, path }]) => {
    const segments = path.split("/").slice(1);
    return { name, method, segments, literals: segments.filter((segment) => !segment.startsWith("{")).length };
  }).sort((a, b) => b.literals - a.literals);
  return (method, path) => {
    const given = path.split("/").slice(1);
    const matching = compiled.filter(
      ({ segments }) => segments.length === given.length && segments.every((segment, i) => segment === given[i] || segment.startsWith("{") && given[i] !== "")
    );
    const found2 = matching.find((route2) => route2.method === method);
    if (found2) return { name: found2.name, params: paramsOf(found2.segments, given) };
    return matching.length > 0 ? { allow: [...new Set(matching.map((route2) => route2.method))] } : void 0;
  };
}
function paramsOf(segments, given) {
  const params = {};
  segments.forEach((segment, i) => {
    if (segment.startsWith("{")) params[segment.slice(1, -1)] = decoded(given[i]);
  });
  return params;
}
var decoded = (segment) => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

// lib/runtime/on-route.ts
import { Later as Later4 } from "../../lib/errors.ts";

// lib/runtime/idempotency.ts
import { createHash as createHash3 } from "node:crypto";

// lib/identity/rights.ts
var adminScopes = ["read", "operate", "admin", "security"];
var rightsOf = (scopes2, zones) => Object.fromEntries(scopes2.map((scope) => [scope, zones]));
var scopesOf = (rights) => adminScopes.filter((scope) => rights[scope] === "all" || (rights[scope]?.length ?? 0) > 0);
var both = (a, b) => Object.fromEntries(adminScopes.filter((scope) => a[scope] ?? b[scope]).map((scope) => [scope, wider(a[scope] ?? [], b[scope] ?? [])]));
var wider = (a, b) => a === "all" || b === "all" ? "all" : [.../* @__PURE__ */ new Set([...a, ...b])].sort();

// lib/api/client-routes.ts
import * as z16 from "zod";
var byte = z16.enum(["0", "1", "2", "3"]);
var fp = z16.strictObject({ fp: Fingerprint });
var clientHeaders = {
  /** The membership token, both ways. */
  token: "muster-token",
  /** Answered as `1` when the token that came with the call does not hold any more: a knock brings another, and nothing else does. */
  knock: "muster-knock",
  /** Seconds until the next call. */
  next: "muster-next",
  /** What to watch: `host:port;every=seconds`. */
  watch: "muster-watch",
  /** Sent from when a client has lost its node until the watch succeeds or the node changes: for how many seconds it has been so, 1 or more. */
  lost: "muster-lost"
};
var clientRoutes = {
  knock: route({
    method: "POST",
    path: "/system/knock",
    summary: "Knock: who is there; answers the status byte, and a token once accepted",
    scope: "client",
    body: z16.strictObject({
      publicKey: PublicKey,
      fqdn: Fqdn,
      machineId: z16.string().min(1).max(64),
      facts: z16.record(z16.string().min(1).max(64), z16.string().max(256)).refine((facts2) => Object.keys(facts2).length <= 32, "at most 32 facts").default({}),
      suggestedTags: z16.array(Tag).max(16).default([]),
      minion: z16.strictObject({ id: z16.string().min(1).max(255), publicKey: PemPublicKey, proof: z16.string().max(4096) }).optional(),
      /** An onboarding token. One that is not taken changes nothing for the machine; why, its administrator is told. */
      token: z16.string().max(200).optional(),
      confirmed: Fqdn.optional(),
      lost: z16.boolean().optional()
    }),
    reply: byte,
    replyType: "text/plain",
    statuses: [200],
    errors: [
      "unknown-zone",
      "signature-missing",
      "signature-profile",
      "signature-coverage",
      "signature-invalid",
      "digest-mismatch",
      "clock-skew",
      "fingerprint-mismatch",
      "weak-key",
      "unsupported-key",
      "proof-invalid",
      "key-in-use",
      "nonce-reused",
      "onboarding-rate"
    ]
  }),
  systemStatus: route({
    method: "GET",
    path: "/system/status",
    summary: "The status byte: 0 new, 1 onboarded, 2 orphan, 3 deleted; with a token, a sign of life",
    scope: "client",
    query: fp,
    reply: byte,
    replyType: "text/plain",
    statuses: [200],
    errors: ["signature-missing"]
  }),
  orphan: route({
    method: "GET",
    path: "/system/orphan",
    summary: "The node's name, or 204 with retry-after: not your turn, keep knocking",
    scope: "client",
    query: fp,
    reply: Fqdn,
    replyType: "text/plain",
    statuses: [200, 204],
    errors: ["unknown-system", "signature-missing"]
  })
};

// lib/api/openapi-headers.ts
var text = { type: "string" };
var seconds = { type: "integer", minimum: 0 };
var token = {
  name: clientHeaders.token,
  description: "The membership token: opaque, to be sent with the next call",
  schema: text
};
var next2 = { name: clientHeaders.next, description: "Seconds until the next call", schema: seconds };
var watch = { name: clientHeaders.watch, description: "What to watch: host:port;every=seconds, a TCP connect", schema: text };
var knock = {
  name: clientHeaders.knock,
  description: "1 when the token that was sent does not hold any more: the next call should be a knock, which brings another",
  schema: { const: "1" }
};
var lost = {
  name: clientHeaders.lost,
  description: "For how many seconds the client has not heard its node; sent until its watch succeeds again or the node changes",
  schema: { type: "integer", minimum: 1 }
};
var ofRoute = {
  knock: { answered: { 200: [next2, token, watch] } },
  systemStatus: { sent: [token, lost], answered: { 200: [next2, token, knock] } },
  orphan: { sent: [token], answered: { 200: [token, watch, next2, knock], 204: [next2, knock] } }
};
var etag = { name: "ETag", description: "The version of what is answered", schema: text };
var ifMatch = {
  name: "If-Match",
  description: "The ETag that was read: refused as version-conflict when it is no longer the newest",
  schema: text
};
var ifNoneMatch = {
  name: "If-None-Match",
  description: "The ETag that was read: answered 304 while it still holds",
  schema: text
};
var idempotencyKey = {
  name: "Idempotency-Key",
  description: "Any text of the caller: the same call with the same key is made once and answered the same, for a day",
  schema: { type: "string", minLength: 1, maxLength: 200 }
};
var headersSent = (name, route2) => [
  ...ofRoute[name]?.sent ?? [],
  ...route2.etag && route2.method === "PATCH" ? [ifMatch] : [],
  ...route2.statuses.includes(304) ? [ifNoneMatch] : [],
  ...takesIdempotencyKey(route2) ? [idempotencyKey] : []
].map((header) => ({ ...header, in: "header", required: false }));
var headersAnswered = (name, route2, status2) => byName([...ofRoute[name]?.answered[status2] ?? [], ...route2.etag ? [etag] : [], ...status2 === 204 ? [retryAfter] : []]);
var retryAfter = { name: "Retry-After", description: "Seconds after which to try again", schema: seconds };
var generation = {
  name: "muster-generation",
  description: "With must-rejoin: the generation to name as flushed",
  schema: seconds
};
var challenge = {
  name: "WWW-Authenticate",
  description: "Bearer, with what is wrong with the token, or the scope that is needed (RFC 6750)",
  schema: text
};
var isForBearers = ({ scope }) => adminScopes.includes(scope);
function headersRefused(route2, status2) {
  if ((status2 === 401 || status2 === 403) && isForBearers(route2)) return byName([challenge]);
  if (status2 === 503 || status2 === 429) return byName([retryAfter]);
  if (status2 === 412) return byName([etag]);
  if (status2 === 409) return byName([retryAfter, ...route2.scope === "node" ? [generation] : []]);
  return void 0;
}
var takesIdempotencyKey = ({ method, path, secret: secret2 }) => method === "POST" && path.startsWith("/api/v1/") && !secret2;
var byName = (headers) => Object.fromEntries(headers.map(({ name, description: description2, schema }) => [name, { description: description2, schema }]));

// lib/runtime/idempotency.ts
import { Conflict as Conflict4 } from "../../lib/errors.ts";
var rememberForMs = dayMs;
var startedForMs = 3e4;
async function idempotently(shell, route2, request, handle) {
  const key = request.header("idempotency-key");
  if (!key || !takesIdempotencyKey(route2)) return handle();
  if (key.length > 200) throw new Refusal("invalid", "an Idempotency-Key has at most 200 characters");
  const who = shell.actor?.who.replaceAll(/[ %]/g, encodeURIComponent) ?? "";
  const ref = { noun: "idempotency", id: `${who} ${key}` };
  const call = createHash3("sha256").update(`${request.method} ${request.path}?${request.query}
${request.body}`).digest("hex");
  const row2 = await shell.table.read(keyOf(ref));
  const before = stateOf(row2, shell.now());
  if (before && before.call !== call) throw new Refusal("idempotency-mismatch", `this Idempotency-Key was used for another call`);
  if (before?.reply) return before.reply;
  if (before?.startedAt !== void 0 && shell.now() - before.startedAt < startedForMs) throw inProgress();
  const started = await remember(shell, ref, row2, { call, startedAt: shell.now() });
  try {
    const reply = await handle();
    await remember(shell, ref, started, { call, reply });
    return reply;
  } catch (error) {
    await remember(shell, ref, started, { call }).catch(() => void 0);
    throw error;
  }
}
async function remember(shell, ref, row2, body) {
  const at3 = shell.now();
  const by = shell.newId();
  const put = contentOf(ref, row2, write(body, "an idempotent call", { expiresAt: plusMs(at3, rememberForMs) }), { by, at: at3, exact: true });
  const readRev = row2?.rev ?? 0;
  try {
    await shell.table.commit([{ put, readRev }]);
  } catch (error) {
    if (!(error instanceof Conflict4)) throw error;
    const now = await shell.table.read(keyOf(ref));
    if (now?.by !== by || now.rev !== readRev + 1) throw inProgress();
  }
  return { ...put, rev: readRev + 1 };
}
var inProgress = () => new Refusal("in-progress", "a call with this Idempotency-Key is being answered", { headers: { "retry-after": "1" } });

// lib/runtime/rates.ts
var rounding = 1e-9;
function take(before, rate, now) {
  const grown = before ? before.tokens + Math.max(0, now - before.at) * rate.perSecond / secondMs : rate.burst;
  const tokens = Math.min(rate.burst, grown);
  if (tokens >= 1 - rounding) return { bucket: { tokens: tokens - 1, at: now }, waitMs: 0 };
  return { bucket: { tokens, at: now }, waitMs: Math.ceil((1 - tokens - rounding) * (secondMs / rate.perSecond)) };
}
var bucketsMax = 2e4;
var Buckets = class {
  #newer = /* @__PURE__ */ new Map();
  #older = /* @__PURE__ */ new Map();
  #max;
  constructor(max = bucketsMax) {
    this.#max = max;
  }
  /** How many are remembered: twice the most of one generation at the most. */
  get size() {
    return this.#newer.size + this.#older.size;
  }
  /** Takes a call for this caller; how many ms it has to wait, 0 when it may. */
  take(caller, rate, now) {
    const { bucket, waitMs } = take(this.#newer.get(caller) ?? this.#older.get(caller), rate, now);
    if (this.#newer.size >= this.#max && !this.#newer.has(caller)) [this.#older, this.#newer] = [this.#newer, /* @__PURE__ */ new Map()];
    this.#newer.set(caller, bucket);
    return waitMs;
  }
};

// lib/runtime/limit-callers.ts
var newcomersPaths = ["/nodes/join", "/api/v1/sign-in"];
function limitSource(shell, { path }, source) {
  if (source === "127.0.0.1" || source === "::1") return;
  const counted2 = sourceOf(source);
  limit(shell, "source", counted2, "this network address");
  if (newcomersPaths.includes(path)) limit(shell, "newcomers", counted2, "this network address");
}
function limitCaller(shell, { who, actor }) {
  const called = actor?.who ?? who;
  if (called === "anyone" || called === "operator" && actor?.key === void 0) return;
  const kind = /^(node|client):/.exec(called)?.[1];
  limit(shell, kind ?? "admin", actor?.key ?? called, called);
}
function limit(shell, name, caller, called) {
  const rate = shell.settings.rates?.[name];
  if (!rate) return;
  const waitMs = cached(shell, `rates ${name}`, () => new Buckets()).take(caller, rate, shell.now());
  if (waitMs === 0) return;
  throw new Refusal("rate-limited", `${called} calls more often than ${rate.perSecond} times a second`, {
    headers: { "retry-after": String(Math.ceil(waitMs / secondMs)) }
  });
}

// lib/runtime/on-route.ts
function onRoutes(routes, handlers, verify4, quick) {
  const match = router(routes);
  const answer = async (request, given) => {
    let shell = given;
    try {
      const found2 = match(request.method, request.path);
      if (!found2) throw new Refusal("not-found", `there is nothing at ${request.path}`);
      if ("allow" in found2)
        throw new Refusal("wrong-method", `${request.path} takes ${found2.allow.join(", ")}`, {
          headers: { allow: found2.allow.join(", ") }
        });
      const route2 = routes[found2.name];
      limitSource(shell, route2, request.source);
      refuseEncoded(request);
      const caller = await verify4(request, route2, found2.params, shell);
      limitCaller(shell, caller);
      if (caller.actor) shell = { ...given, actor: caller.actor };
      const call = parse(route2, found2.params, request, caller);
      const handle2 = async () => replyOf(await handlers[found2.name](call, shell));
      return await idempotently(shell, route2, request, handle2);
    } catch (error) {
      return refuse(error, request, shell);
    }
  };
  const handle = (request, shell) => {
    try {
      return quick?.(request, shell) ?? answer(request, shell);
    } catch (error) {
      return refuse(error, request, shell);
    }
  };
  return { on: "route", handle };
}
function refuseEncoded(request) {
  const encoding = request.header("content-encoding");
  if (encoding !== void 0 && encoding.toLowerCase() !== "identity")
    throw new Refusal("content-encoding", `the body is encoded as ${encoding}; send it as it is`);
}
var noQuery = z17.strictObject({});
function parse(route2, params, request, caller) {
  const query = Object.fromEntries(new URLSearchParams(request.query));
  return {
    params: checked(route2.params, params),
    query: checked(route2.query ?? noQuery, query),
    body: parsedBody(route2, request),
    request,
    caller
  };
}
var parsedBody = (route2, request) => route2.body ? checked(route2.body, bodyOf(request)) : void 0;
function bodyOf(request) {
  const type = request.header("content-type");
  if (!/^application\/json\s*(;|$)/i.test(type ?? ""))
    throw new Refusal("unsupported-media-type", `the body is ${type ?? "of no type"}; send application/json`);
  return request.body === "" ? {} : parseBody(request.body);
}
function checked(schema, value) {
  if (!schema) return void 0;
  const read = schema.safeParse(value);
  if (!read.success) throw refusalOf(read.error);
  return read.data;
}
var replyOf = ({ status: status2, body, text: text2, headers }) => {
  if (text2 !== void 0) return { status: status2, headers: { "content-type": "text/plain; charset=utf-8", ...headers }, body: text2 };
  if (body === void 0) return { status: status2, headers: headers ?? {} };
  return { status: status2, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
};
function refuse(error, request, shell) {
  const refusal = refusalFor(error, request, shell);
  return {
    status: problems[refusal.type][0],
    headers: { "content-type": "application/problem+json", ...refusal.headers },
    body: JSON.stringify(problemOf(refusal, request.id))
  };
}
function refusalFor(error, request, shell) {
  const fields = { id: request.id, method: request.method, path: request.path };
  if (error instanceof Refusal) {
    shell.log("debug", "door.refused", { ...fields, type: error.type });
    return error;
  }
  const detail = error instanceof Error ? error.message : String(error);
  if (error instanceof Later4) {
    shell.log("warn", "door.refused", { ...fields, type: error.code, detail });
    return new Refusal("busy", "something Muster needs is busy; try again", { headers: { "retry-after": "2" } });
  }
  shell.log("error", "door.failed", { ...fields, detail, stack: error instanceof Error ? error.stack : void 0 });
  return new Refusal("unexpected", "something unexpected happened; the instance names this call in the log");
}

// lib/doors/next-key.ts
async function takeNextKey(shell, id3, next3) {
  const call = shell.newId();
  const { node: node5 } = await applyPlan(shell, { id: call }, async (reading) => {
    const { change, before, after } = await nodeChange(shell, reading, id3, { type: "take-key", id: call, publicKey: next3 });
    const isTaken = after?.publicKey === next3;
    if (before === void 0 || before.publicKey === next3 || !isTaken)
      return { changes: [], because: ["nothing to take"], node: isTaken ? after : void 0 };
    const owner = { noun: "node", id: id3 };
    const [bound, given] = [
      await heldKey(shell, reading, fingerprintOf(next3)),
      await heldKey(shell, reading, fingerprintOf(before.publicKey))
    ];
    const changes = [change, ...bindKey(bound, owner, shell.now()), ...revokeKey(given, owner, shell.now())];
    return { changes, because: ["the next key has signed"], node: after };
  });
  return node5;
}
async function nodeChange(shell, reading, id3, command4) {
  const ref = { noun: "node", id: id3 };
  const row2 = await reading.row(ref);
  const now = shell.now();
  const before = stateOf(row2, now);
  const decision = decide(before, command4, now);
  const wakeAt = earlier(row2?.wakeAt, decision.does === "remove" ? void 0 : decision.wakeAt);
  const change = { ref, readRev: row2?.rev ?? 0, decision: { ...decision, ...wakeAt !== void 0 && { wakeAt } } };
  return { change, before, after: decision.does === "write" ? decision.next : before };
}

// lib/doors/nonce.ts
import { Conflict as Conflict5, Later as Later5 } from "../../lib/errors.ts";

// lib/identity/signature.ts
import { createHash as createHash4, createPrivateKey, sign, verify } from "node:crypto";
var clockSkewMaxS = 300;
var signatureLifeMaxS = 60;
var covered = '("@method" "@path" "@query" "content-digest")';
var inputForm = /^muster=(\("@method" "@path" "@query" "content-digest"\);created=(\d{1,11});expires=(\d{1,11});nonce="([A-Za-z0-9_-]{16,64})";keyid="([0-9a-f]{64})";alg="ed25519";tag="muster-([A-Za-z0-9._-]{1,64})")$/;
var signatureForm = /^muster=:([A-Za-z0-9+/]{86}==):$/;
var targetForm = /^[!-~]*$/;
var contentDigestOf = (body) => `sha-256=:${createHash4("sha256").update(body, "utf8").digest("base64")}:`;
function readSignature(call, { deployment, nowS }) {
  const [input, value, digest] = [call.header("signature-input"), call.header("signature"), call.header("content-digest")];
  if (!input || !value) return fault("signature-missing", "this call must be signed (RFC 9421): signature-input or signature is missing");
  const form2 = inputForm.exec(input);
  if (!form2) return misformed(input);
  const [, params, created, expires, nonce, keyId, tag] = form2;
  if (!targetForm.test(call.method + call.path + call.query))
    return fault("signature-profile", "method, path and query are visible ASCII, anything else in them percent-encoded");
  const bytes = Buffer.from(signatureForm.exec(value)?.[1] ?? "", "base64");
  if (bytes.length !== 64 || value !== `muster=:${bytes.toString("base64")}:`)
    return fault("signature-profile", "the header signature is not one Ed25519 signature under the label muster");
  const claim = { keyId, created: Number(created), expires: Number(expires), nonce };
  if (claim.expires <= claim.created || claim.expires > claim.created + signatureLifeMaxS)
    return fault("signature-profile", `expires is 1 to ${signatureLifeMaxS} s after created`);
  if (Math.abs(nowS - claim.created) > clockSkewMaxS)
    return fault("clock-skew", `created is ${Math.abs(nowS - claim.created)} s off; at most ${clockSkewMaxS} s are taken`);
  if (digest !== contentDigestOf(call.body) || !call.body.isWellFormed())
    return fault("digest-mismatch", "content-digest is not the SHA-256 digest of the body");
  if (tag !== deployment) return fault("signature-invalid", "the signature is not of this key over this call");
  return { ok: true, claim: { ...claim, base: baseOf(call, digest, params), signature: bytes } };
}
var isSignedBy = ({ base, signature }, key) => verify(null, Buffer.from(base, "utf8"), key, signature);
var baseOf = ({ method, path, query }, digest, params) => `"@method": ${method}
"@path": ${path}
"@query": ?${query}
"content-digest": ${digest}
"@signature-params": ${params}`;
function misformed(input) {
  const components = /^[^=]*=\(([^)]*)\)/.exec(input)?.[1];
  if (components !== void 0 && !components.includes('"content-digest"'))
    return fault("signature-coverage", "the signature does not cover content-digest, so anybody could change the body");
  return fault(
    "signature-profile",
    `one signature, under the label muster, over ${covered}, with created, expires, nonce, keyid, alg="ed25519" and tag, in this order`
  );
}
var fault = (kind, detail) => ({ ok: false, fault: kind, detail });

// lib/doors/nonce.ts
var nonceForMs = (2 * clockSkewMaxS + 1) * secondMs;
async function useNonce(shell, keyId, nonce) {
  const ref = { noun: "nonce", id: `${keyId}/${nonce}` };
  const by = shell.newId();
  const at3 = shell.now();
  const used = write({}, "a signed call was made", { expiresAt: plusMs(at3, nonceForMs) });
  let row2;
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    try {
      await shell.table.commit([{ put: contentOf(ref, row2, used, { by, at: at3, exact: true }), readRev: row2?.rev ?? 0 }]);
      return;
    } catch (error) {
      if (!(error instanceof Conflict5)) throw error;
    }
    row2 = await shell.table.read(keyOf(ref));
    if (row2?.by === by) return;
    if (stateOf(row2, at3) !== void 0)
      throw new Refusal("nonce-reused", "this very call was made before; sign it anew, with another nonce");
    if (!row2) await shell.sleep(shell.random() * 20 * 2 ** attempt);
  }
  throw new Later5("row.busy", `the nonce of a call by ${keyId} kept moving through ${attemptsMax} attempts`);
}

// lib/api/signed.ts
var signingHeaders = {
  /** The deployment that signatures must be made for. */
  deployment: "muster-deployment",
  /** The deployment's clock in ms since 1970, when the caller's differs too much. */
  time: "muster-time"
};

// lib/doors/signed.ts
var readyKeysMax = 1e4;
var notOfThisKey = "the signature is not of this key over this call";
function claimOf(request, shell) {
  refuseLarge(request.body);
  const now = shell.now();
  const read = readSignature(request, { deployment: shell.settings.deployment, nowS: Math.floor(now / secondMs) });
  if (!read.ok) throw unsigned(shell, read.fault, read.detail);
  return read.claim;
}
function checkSigned(shell, claim, publicKey2) {
  const { keyId, key } = readyKey(shell, publicKey2);
  if (claim.keyId !== keyId || !isSignedBy(claim, key)) throw notSigned(shell);
}
function checkSignedByBody(shell, claim, publicKey2) {
  if (claim.keyId !== readyKey(shell, publicKey2).keyId)
    throw new Refusal("fingerprint-mismatch", "keyid is not the SHA-256 fingerprint of the public key in the body", {
      errors: [{ pointer: "/publicKey", detail: "another key than the one that signed" }]
    });
  checkSigned(shell, claim, publicKey2);
}
var notSigned = (shell) => unsigned(shell, "signature-invalid", notOfThisKey);
var unsigned = (shell, fault2, detail) => new Refusal(fault2, detail, {
  headers: {
    [signingHeaders.deployment]: shell.settings.deployment,
    ...fault2 === "clock-skew" && { [signingHeaders.time]: String(shell.now()) }
  }
});
function readyKey(shell, publicKey2) {
  const ready = cached(shell, "ready-keys", () => /* @__PURE__ */ new Map());
  const known3 = ready.get(publicKey2);
  if (known3) return known3;
  const made = { keyId: fingerprintOf(publicKey2), key: verifyingKey(publicKey2) };
  if (ready.size >= readyKeysMax) ready.delete(ready.keys().next().value);
  ready.set(publicKey2, made);
  return made;
}

// lib/doors/verify-node.ts
var takenOnce = /* @__PURE__ */ new Set([nodeRoutes.join, nodeRoutes.up, nodeRoutes.rotate, nodeRoutes.leaving]);
var verifyNode = async (request, route2, params, shell) => {
  const { claim, who, node: node5 } = route2 === nodeRoutes.join ? newcomer(request, shell) : await member(request, shell, idIn(route2, params), request.id);
  if (takenOnce.has(route2)) await useNonce(shell, claim.keyId, claim.nonce);
  const actor = { who: `node:${who}`, key: claim.keyId, source: request.source, request: request.id };
  return { who: actor.who, source: request.source, actor, keyId: claim.keyId, ...node5 && { node: node5 } };
};
function nodeOf({ node: node5, who }) {
  if (!node5) throw new Error(`${who} joins: it is no node yet`);
  return node5;
}
function newcomer(request, shell) {
  const { publicKey: publicKey2 } = parsedBody(nodeRoutes.join, request);
  const claim = claimOf(request, shell);
  checkSignedByBody(shell, claim, publicKey2);
  return { claim, who: nodeIdOf(publicKey2) };
}
async function member(request, shell, id3, call) {
  const claim = claimOf(request, shell);
  const node5 = stateOf(await shell.table.read(keyOf({ noun: "node", id: id3 })), shell.now());
  if (!node5) throw new Refusal("unknown-node", `no node ${id3} has joined`);
  const isNext = node5.nextKey !== void 0 && claim.keyId === fingerprintOf(node5.nextKey);
  checkSigned(shell, claim, isNext ? node5.nextKey : node5.publicKey);
  if (node5.removedAt !== void 0) throw removed2(node5);
  if (!isNext) return { claim, who: id3, node: node5 };
  const actor = { who: `node:${id3}`, key: claim.keyId, source: request.source, request: call };
  const renewed2 = await takeNextKey({ ...shell, actor }, node5.id, node5.nextKey);
  if (!renewed2) throw notSigned(shell);
  return { claim, who: id3, node: renewed2 };
}
var removed2 = ({ fqdn: fqdn2 }) => new Refusal("removed", `an operator has removed ${fqdn2}: it is let in again by muster node admit ${fqdn2}, or by a new token`);
function idIn(route2, params) {
  const read = route2.params.safeParse(params);
  if (!read.success) throw refusalOf(read.error);
  return params["id"];
}

// lib/doors/node-systems.ts
async function systemsHandler({ query, caller }, shell) {
  const { node: node5, zone: zone3 } = await nodeAndZone(shell, caller, zoneNow);
  const index = indexOf(zone3, node5.id);
  const fps = index === void 0 ? [] : await withoutBanned(shell, zone3, await ownedSystems(shell, zone3, index));
  const id3 = node5.id;
  const { head } = await applyPlan(shell, { id: shell.newId() }, (reading) => storeList(reading, id3, fps, zone3));
  const since = query.since === head.newest.version ? head.newest : query.since === head.before?.version ? head.before : void 0;
  if (!since) return { status: 200, body: { version: head.newest.version, whole: true, systems: fps, gone: [] } };
  const { added, gone: gone2 } = difference(await entriesOfVersion(shell, id3, since), fps);
  return { status: 200, body: { version: head.newest.version, whole: false, systems: added, gone: gone2 } };
}
async function withoutBanned(shell, zone3, fps) {
  const revoked = fps.filter((fp4) => zone3.revokedAt.has(Number.parseInt(fp4.slice(0, 8), 16)));
  const rows = await readAll(
    shell,
    revoked.map((fp4) => keyOf({ noun: "client", id: fp4 }))
  );
  const gone2 = new Set(revoked.filter((_, i) => rows[i]?.body?.standing !== "accepted"));
  return fps.filter((fp4) => !gone2.has(fp4));
}
async function storeList(reading, node5, fps, { head: { mapVersion }, revokedVersion }) {
  const ref = { noun: "systems", id: node5 };
  const row2 = await reading.row(ref);
  const known3 = row2?.body;
  const hash2 = createHash5("sha256").update(fps.join("\n")).digest("base64url");
  if (known3?.hash === hash2) return sameList(ref, row2?.rev ?? 0, known3, revokedVersion);
  const version = (known3?.newest.version ?? 0) + 1;
  const head = {
    newest: { version, count: fps.length, firsts: firstsOf(fps) },
    ...known3 && { before: known3.newest },
    hash: hash2,
    mapVersion,
    revokedVersion
  };
  const because = `list version ${version} of ${fps.length} client systems`;
  const pages = pagesOf(fps).map((page, n) => ({
    ref: pageRef(node5, version, n),
    decision: write(page, because)
  }));
  const rows = await reading.rows(pages.map((page) => page.ref));
  return {
    changes: [
      { ref, readRev: row2?.rev ?? 0, decision: write(head, because) },
      ...pages.map((page, i) => ({ ...page, readRev: rows[i]?.rev ?? 0 }))
    ],
    because: [because],
    head
  };
}
function sameList(ref, readRev, known3, revokedVersion) {
  const because = "the list has not changed";
  if (known3.revokedVersion >= revokedVersion) return { changes: [], because: [because], head: known3 };
  const head = { ...known3, revokedVersion };
  return { changes: [{ ref, readRev, decision: write(head, because) }], because: [because], head };
}
async function entriesOfVersion(shell, node5, version) {
  const keys = version.firsts.map((_, page) => keyOf(pageRef(node5, version.version, page)));
  const rows = await readAll(shell, keys);
  return rows.flatMap((row2) => row2 ? entriesOf(row2.body) : []);
}
var pageRef = (node5, version, page) => ({ noun: "systems-page", id: `${node5}/${version % 3}.${page}` });
async function systemHandler({ params, caller }, shell) {
  const { node: node5, zone: zone3 } = await nodeAndZone(shell, caller, zoneOf);
  const client = (await clientRow(shell, params.fp))?.state;
  const verdict = verdictOf(client, node5, zone3);
  if (verdict.verdict !== "not-yours") return { status: 200, body: verdict };
  return { status: 200, body: verdictOf(client, node5, await zoneNow(shell, node5.zone) ?? zone3) };
}
function verdictOf(client, node5, zone3) {
  if (client?.standing === "banned") return { verdict: "banned" };
  if (client?.standing !== "accepted") return { verdict: "unknown" };
  if (client.zone !== node5.zone) return { verdict: "not-yours" };
  const owner = ownerOf3(zone3, client.fp, pinOf(client));
  if (owner !== nobody && owner === indexOf(zone3, node5.id)) return { verdict: "accept" };
  const whose = owner === nobody ? void 0 : zone3.members[owner]?.fqdn;
  return { verdict: "not-yours", ...whose && { node: whose } };
}
async function nodeAndZone(shell, caller, read) {
  const node5 = nodeOf(caller);
  const zone3 = await read(shell, node5.zone);
  if (!zone3) throw new Refusal("unknown-node", `no zone has a node ${node5.id}`);
  return { node: node5, zone: zone3 };
}

// lib/identity/rotation-proof.ts
import { createPrivateKey as createPrivateKey2, sign as sign2, verify as verify2 } from "node:crypto";
var statementOf = ({ deployment, node: node5, from, to }) => Buffer.from(`muster-rotate:${deployment}:${node5}:${fingerprintOf(from)}:${fingerprintOf(to)}`, "utf8");
var isProofOfRotation = (proof, rotation) => verify2(null, statementOf(rotation), verifyingKey(rotation.to), Buffer.from(proof, "base64url"));

// lib/doors/rotate.ts
async function rotate({ params, body, caller }, shell) {
  const { publicKey: to, proof } = body;
  const from = nodeOf(caller).publicKey;
  const done = { status: 202, body: { fingerprint: fingerprintOf(to) } };
  if (from === to) return done;
  if (!isProofOfRotation(proof, { deployment: shell.settings.deployment, node: params.id, from, to }))
    throw new Refusal("proof-invalid", "the proof is not a signature of the new key over this rotation", {
      errors: [{ pointer: "/proof", detail: "not by the key in /publicKey, or for another node, key or deployment" }]
    });
  const id3 = shell.newId();
  await applyPlan(shell, { id: id3 }, async (reading) => {
    bindKey(await heldKey(shell, reading, fingerprintOf(to)), { noun: "node", id: params.id }, shell.now());
    const { change, before } = await nodeChange(shell, reading, params.id, { type: "name-key", id: id3, publicKey: to });
    if (before?.publicKey !== from || before.removedAt !== void 0) throw notSigned(shell);
    if (before.status === "quarantined" && before.reason === "clone")
      throw new Refusal("quarantined", "two machines have this key: an operator must look before either takes another");
    return { changes: [change], because: ["a node names its next key"] };
  });
  return done;
}

// lib/deployment/deployment.ts
import * as z18 from "zod";
var Deployment = z18.strictObject({
  beatMinMs: z18.int().min(100).optional(),
  /** Whether status and orphan answer without a token that holds; they do unless it says otherwise. */
  openCalls: z18.boolean().optional(),
  /** How many machines that nobody knows may knock from one network address within an hour; 0 is any number. */
  newKeysPerSource: z18.int().nonnegative().optional(),
  /** Zones that allow clients which never sign: here and not in the zones' heads, because a knock of an unknown machine is of no zone yet. */
  unsignedZones: z18.array(ZoneName).optional(),
  admitted: z18.record(z18.string(), z18.int().nonnegative())
});
var newKeysPerSource = 1e3;
function decideDeployment(deployment, command4) {
  const before = deployment ?? { admitted: {} };
  if (command4.type === "set") return onSet(before, command4);
  if (command4.type === "unsigned-clients") return onUnsigned(before, command4);
  if (before.admitted[command4.zone] === command4.nodes) return nothing("as many nodes as before");
  return write(
    { ...before, admitted: { ...before.admitted, [command4.zone]: command4.nodes } },
    `${command4.nodes} admitted nodes in zone ${command4.zone}`
  );
}
function onSet(before, { type: _type, id: _id, ...wanted }) {
  const set = Object.entries(wanted).filter(([name, value]) => value !== void 0 && value !== before[name]);
  if (set.length === 0) return nothing("nothing to set");
  const because = set.map(([name, value]) => name === "beatMinMs" ? `the fastest heartbeat is ${value} ms` : `${name} is ${value}`);
  return write({ ...before, ...Object.fromEntries(set) }, because.join(", "));
}
function onUnsigned(before, { zone: zone3, allowed }) {
  const zones = before.unsignedZones ?? [];
  if (zones.includes(zone3) === allowed) return nothing(`zone ${zone3} ${allowed ? "allows" : "refuses"} unsigned clients already`);
  const unsignedZones = allowed ? [...zones, zone3].sort() : zones.filter((one4) => one4 !== zone3);
  return write({ ...before, unsignedZones }, `zone ${zone3} ${allowed ? "allows" : "refuses"} unsigned clients`);
}
var newKeysPerSourceOf = (deployment) => deployment?.newKeysPerSource ?? newKeysPerSource;
var allowsUnsigned = (deployment, zone3) => deployment?.unsignedZones?.some((one4) => one4 === zone3) ?? false;
var admittedNodes = (deployment) => Object.values(deployment?.admitted ?? {}).reduce((sum, n) => sum + n, 0);
var intervalOf = (deployment, beatMinMs) => intervalMsOf(admittedNodes(deployment), deployment?.beatMinMs ?? beatMinMs);

// lib/doors/settings.ts
var deploymentRef = { noun: "deployment", id: "deployment" };
async function deploymentOf(shell) {
  const kept8 = cached(shell, "deployment", () => ({ deployment: void 0, readAt: void 0 }));
  const now = shell.now();
  if (kept8.readAt === void 0 || now - kept8.readAt > shell.settings.zoneMaxAgeMs) {
    kept8.deployment = (await shell.table.read(keyOf(deploymentRef)))?.body;
    kept8.readAt = now;
  }
  return kept8.deployment;
}
function rememberDeployment(shell, deployment) {
  const kept8 = cached(shell, "deployment", () => ({ deployment: void 0, readAt: void 0 }));
  kept8.deployment = deployment;
  kept8.readAt = shell.now();
}
var intervalNow = async (shell) => intervalOf(await deploymentOf(shell), shell.settings.beatMinMs);
var beatMinNow = async (shell) => (await deploymentOf(shell))?.beatMinMs ?? shell.settings.beatMinMs;

// lib/doors/nodes.ts
var askAgainMs2 = 2e3;
var nodeHandlers = {
  join: join2,
  up,
  heartbeat,
  events,
  leaving: leaving2,
  rotate,
  desired,
  systems: systemsHandler,
  system: systemHandler
};
async function refuseReplaced(shell, { id: id3, fqdn: fqdn2 }) {
  const holder = (await shell.table.read(keyOf({ noun: "fqdn", id: fqdn2 })))?.body;
  if (!holder || holder.node === id3) return;
  const other = stateOf(await shell.table.read(keyOf({ noun: "node", id: holder.node })), shell.now());
  if (other) throw new Refusal("removed", `${fqdn2} is the name of node ${holder.node} now; join under another name`);
}
async function up({ params, body, caller }, shell) {
  const node5 = nodeOf(caller);
  const intervalMs = await intervalNow(shell);
  if (node5.status === "dropped" && body.flushed !== node5.generation) throw mustRejoin(node5);
  if (node5.status === "dropped") await refuseReplaced(shell, node5);
  const acknowledged = node5.boot?.id === body.boot.id && node5.status !== "down" && node5.status !== "suspect" && node5.status !== "dropped";
  if (acknowledged)
    return {
      status: 200,
      body: {
        acknowledged: true,
        incarnation: node5.incarnation,
        generation: node5.generation,
        nextMs: jittered(intervalMs, shell.random())
      }
    };
  const { id: id3, boot, facts: facts2, flushed } = body;
  await report(shell, {
    type: "node.up",
    version: 1,
    id: id3,
    node: params.id,
    receivedAt: shell.now(),
    intervalMs,
    data: { boot, facts: facts2, ...flushed !== void 0 && { flushed } }
  });
  if (node5.status !== "dropped" && node5.boot?.before === boot.id)
    throw new Refusal(
      "key-cloned",
      "another machine speaks with this key: it was copied. Give one of the two a folder of its own, and let an operator look"
    );
  return { status: 202, body: { acknowledged: false, nextMs: Math.min(askAgainMs2, intervalMs) } };
}
async function heartbeat({ params, body, caller }, shell) {
  const node5 = nodeOf(caller);
  const [desiredRead, systemsRead] = await shell.table.readMany(
    (body.digest ? ["desired", "systems"] : ["desired"]).map((noun) => keyOf({ noun, id: params.id }))
  );
  refuseStranger(node5, body.incarnation);
  const intervalMs = await intervalNow(shell);
  const { id: id3, incarnation, seq, load: load3, tableHash, digest } = body;
  const data = { load: load3, ...tableHash !== void 0 && { tableHash }, ...digest && { digest } };
  const beat = {
    type: "node.heartbeat",
    version: 1,
    id: id3,
    node: params.id,
    incarnation,
    seq,
    receivedAt: shell.now(),
    intervalMs,
    data
  };
  if (seq > node5.seq) await report(shell, beat);
  if (node5.status === "quarantined")
    throw new Refusal("quarantined", `quarantined: ${node5.reason}; an operator must look`, {
      headers: { "retry-after": String(Math.ceil(intervalMs / 1e3)) }
    });
  const zone3 = await zoneOf(shell, node5.zone);
  const systems = systemsRead?.body;
  return {
    status: 200,
    body: {
      nextMs: jittered(intervalMs, shell.random()),
      desired: desiredRead?.rev ?? 0,
      resync: false,
      listStale: digest !== void 0 && isStale(digest.listVersion, systems, zone3?.revokedVersion ?? 0),
      mapVersion: zone3?.head.mapVersion ?? 0
    }
  };
}
var isStale = (held, systems, revokedVersion) => systems === void 0 ? held !== 0 : held !== systems.newest.version || systems.revokedVersion < revokedVersion;
async function events({ params, body, caller }, shell) {
  const node5 = nodeOf(caller);
  for (const [i, { node: about }] of body.entries())
    if (about !== void 0 && about !== node5.id)
      throw new Refusal("not-owner", `${node5.id} does not speak for ${about}`, {
        errors: [{ pointer: `/${i}/node`, detail: "another node" }]
      });
  for (const event of body) refuseStranger(node5, event.incarnation);
  const intervalMs = await intervalNow(shell);
  const receivedAt = shell.now();
  await Promise.all(
    body.map(({ at: _theirs, ...event }) => report(shell, { ...event, node: params.id, receivedAt, intervalMs }))
  );
  return { status: 202, body: { accepted: body.length } };
}
async function leaving2({ params, body, caller }, shell) {
  const node5 = nodeOf(caller);
  refuseStranger(node5, body.incarnation);
  const { id: id3, incarnation, mode, untilMs } = body;
  refuseDeadline(untilMs, shell.now(), "/untilMs");
  const data = { mode, ...untilMs !== void 0 && { until: untilMs } };
  await report(shell, {
    type: "node.leaving",
    version: 1,
    id: id3,
    node: params.id,
    incarnation,
    receivedAt: shell.now(),
    intervalMs: await intervalNow(shell),
    data
  });
  return { status: 202, body: { accepted: 1 } };
}
async function desired({ params, request, caller }, shell) {
  nodeOf(caller);
  const row2 = await shell.table.read(keyOf({ noun: "desired", id: params.id }));
  const headers = { etag: `"${row2?.rev ?? 0}"` };
  if (request.header("if-none-match") === headers.etag) return { status: 304, headers };
  const body = row2?.body ?? { release: [] };
  return { status: 200, body, headers };
}
var report = (shell, one4) => shell.queue.send(one4.type === "node.heartbeat" ? "heartbeats" : "reports", JSON.stringify(one4));
function refuseStranger(node5, incarnation) {
  if (node5.status === "dropped") {
    if (node5.planned) throw new Refusal("removed", `${node5.fqdn} has left as it should; start its agent again to join as new`);
    throw mustRejoin(node5);
  }
  if (node5.status === "absent" || node5.status === "waiting" || node5.status === "down")
    throw new Refusal("send-node-up", `the node is ${node5.status}: send node-up`);
  if (incarnation !== node5.incarnation)
    throw new Refusal("send-node-up", `incarnation ${incarnation} is not the acknowledged one, ${node5.incarnation}: send node-up`);
}
var mustRejoin = (node5) => new Refusal("must-rejoin", `given up at generation ${node5.generation}: flush, and send node-up with flushed ${node5.generation}`, {
  headers: { "muster-generation": String(node5.generation) }
});

// functions/node-door.ts
var node_door_default = onRoutes(nodeRoutes, nodeHandlers, verifyNode);

// lib/clients/client.ts
import * as z19 from "zod";
var Minion = z19.strictObject({ id: z19.string().min(1).max(255), fingerprint: Fingerprint });
var Told = z19.strictObject({
  /** The node's index in the zone. */
  index: z19.int().nonnegative(),
  node: NodeId,
  generation: z19.int().nonnegative(),
  at: EpochMs,
  /** Set when the daemon or the node's digest confirmed it. */
  confirmedAt: EpochMs.optional()
});
var known = {
  fp: Fingerprint,
  publicKey: PublicKey,
  fqdn: Fqdn,
  machineId: z19.string().max(64),
  minion: Minion.optional(),
  facts: z19.record(z19.string(), z19.string()),
  suggestedTags: z19.array(Tag),
  firstSeenAt: EpochMs,
  /** Written at most hourly. */
  seenAt: EpochMs,
  /** Nobody has shown to hold the key: all its knocks were unsigned, as a zone may allow. */
  unsigned: z19.literal(true).optional()
};
var Client = z19.discriminatedUnion("standing", [
  /** `refused`: why the onboarding token that it brought last was not taken. */
  z19.strictObject({ ...known, standing: z19.literal("pooled"), refused: z19.string().optional() }),
  z19.strictObject({
    ...known,
    standing: z19.literal("accepted"),
    zone: ZoneName,
    tags: z19.array(Tag),
    groups: z19.array(Tag),
    acceptedAt: EpochMs,
    /** Bulk accept staggers admissions: not before this moment. */
    notBefore: EpochMs.optional(),
    told: Told.optional(),
    pin: z19.strictObject({ index: z19.int().nonnegative(), hard: z19.boolean() }).optional()
  }),
  /** For ever: a ban is a tombstone. `zone` only if it had been accepted, so that its node hears of it. */
  z19.strictObject({ ...known, standing: z19.literal("banned"), bannedAt: EpochMs, zone: ZoneName.optional() })
]);
var ClientAlias = z19.strictObject({ standing: z19.literal("alias"), of: Fingerprint });
var pooledForMs2 = 30 * dayMs;
var seenEveryMs2 = 36e5;

// lib/clients/decide.ts
function decide3(client, command4, now) {
  if (command4.type === "knock") return client ? onKnockAgain(client, command4, now) : onFirstKnock(command4, now);
  if (!client) return nothing("this key never knocked");
  if (client.standing === "banned") return nothing("banned, for ever");
  switch (command4.type) {
    case "accept":
      return onAccept(client, command4, now);
    case "ban":
      return onBan(client, now);
    case "seen":
      return onSeen(client, now);
    case "edit":
    case "tell":
    case "confirm":
    case "unregister":
      return client.standing === "accepted" ? onPlaced(client, command4, now) : nothing("not accepted yet");
    default:
      return unreachable(command4);
  }
}
function onFirstKnock({ who, unsigned: unsigned2, token: token3 }, now) {
  const seen3 = { type: "client.seen", version: 1, data: { system: who.fp, fqdn: who.fqdn } };
  const next3 = {
    ...said(who),
    standing: "pooled",
    firstSeenAt: now,
    seenAt: now,
    ...unsigned2 && { unsigned: unsigned2 },
    ...refusedBy(token3)
  };
  if (token3 && "accepts" in token3) return onToken(next3, token3.accepts, now, [seen3]);
  return write(next3, `an unknown machine knocked; ${waits2(next3)}`, {
    events: [seen3],
    expiresAt: plusMs(now, pooledForMs2)
  });
}
function onKnockAgain(client, { who, unsigned: unsigned2, token: token3 }, now) {
  if (client.standing === "banned") return nothing("banned, for ever");
  if (unsigned2 && (client.standing === "accepted" || !client.unsigned)) return nothing("nobody signed it, so it changes nothing");
  const described = describedBy(client, who, unsigned2);
  if (described.standing === "accepted")
    return isSame(client, described) ? onSeen(client, now) : write({ ...described, seenAt: now }, "it describes itself anew");
  const { refused: before, ...pooled2 } = described;
  if (token3 && "accepts" in token3) return onToken({ ...pooled2, seenAt: now }, token3.accepts, now, []);
  const next3 = { ...pooled2, ...refusedBy(token3) };
  if (isSame(client, next3)) return onSeen(client, now);
  const because = next3.refused === before ? "it describes itself anew" : waits2(next3);
  return write({ ...next3, seenAt: now }, because, kept4(client, now));
}
function describedBy(client, who, unsigned2) {
  const { fqdn: fqdn2, facts: facts2, minion } = said(who);
  const { unsigned: _until, ...before } = client;
  return { ...before, ...unsigned2 && { unsigned: unsigned2 }, fqdn: fqdn2, facts: facts2, ...minion && { minion } };
}
function onToken(client, { token: token3, zone: zone3, tags, groups }, now, events2) {
  const decision = onAccept(client, { zone: zone3, tags, groups }, now);
  if (decision.does !== "write") return decision;
  return { ...decision, because: `accepted into zone ${zone3} by the onboarding token ${token3}`, events: [...events2, ...decision.events] };
}
var refusedBy = (token3) => token3 && "refused" in token3 ? { refused: token3.refused } : {};
var waits2 = ({ refused }) => `it waits in the onboarding pool${refused === void 0 ? "" : `; its onboarding token was not taken: ${refused}`}`;
function onAccept(client, { zone: zone3, tags, groups }, now) {
  if (client.standing === "accepted") return nothing(`accepted already, in zone ${client.zone}`);
  const { refused: _none, ...known3 } = client;
  const next3 = { ...known3, standing: "accepted", zone: zone3, tags: [...tags], groups: [...groups], acceptedAt: now };
  const events2 = [{ type: "client.accepted", version: 1, data: { system: client.fp, fqdn: client.fqdn, zone: zone3, tags, groups } }];
  return write(next3, `accepted into zone ${zone3}`, { events: events2 });
}
function onBan(client, now) {
  const { fp: fp4, publicKey: publicKey2, fqdn: fqdn2, machineId, minion, facts: facts2, suggestedTags, firstSeenAt, seenAt } = client;
  const next3 = {
    fp: fp4,
    publicKey: publicKey2,
    fqdn: fqdn2,
    machineId,
    facts: facts2,
    suggestedTags,
    firstSeenAt,
    seenAt,
    ...minion && { minion },
    standing: "banned",
    bannedAt: now,
    ...client.standing === "accepted" && { zone: client.zone }
  };
  return write(next3, "banned, for ever", { events: [{ type: "client.banned", version: 1, data: { system: fp4, fqdn: fqdn2 } }] });
}
function onSeen(client, now) {
  if (now - client.seenAt < seenEveryMs2) return nothing("seen within the hour");
  const because = client.standing === "pooled" && client.refused !== void 0 ? waits2(client) : "a sign of life";
  return write({ ...client, seenAt: now }, because, kept4(client, now));
}
function onPlaced(client, command4, now) {
  switch (command4.type) {
    case "edit":
      return write(
        { ...client, tags: [...command4.tags ?? client.tags], groups: [...command4.groups ?? client.groups] },
        "tags or groups edited"
      );
    case "tell":
      return onTell(client, command4, now);
    case "confirm":
      return onConfirm(client, command4, now);
    case "unregister": {
      const { told: _cleared, ...next3 } = client;
      if (!client.told) return nothing("it is on no node");
      const events2 = [{ type: "client.unregistered", version: 1, data: { system: client.fp, fqdn: client.fqdn } }];
      return write(next3, "unregistered: an orphan, its key stays accepted", { events: events2 });
    }
    default:
      return unreachable(command4);
  }
}
function onTell(client, { index, node: node5, generation: generation2 }, now) {
  if (client.told?.index === index && client.told.generation === generation2) return nothing("it was told this node already");
  const told3 = { index, node: node5, generation: generation2, at: now };
  const events2 = [
    { type: "client.assigned", version: 1, data: { system: client.fp, fqdn: client.fqdn, zone: client.zone, node: node5, generation: generation2 } }
  ];
  return write({ ...client, told: told3, seenAt: now }, "told its node", { events: events2 });
}
function onConfirm(client, { index, generation: generation2, by }, now) {
  const { told: told3 } = client;
  if (!told3 || told3.index !== index || told3.generation !== generation2) return nothing("a confirmation for another place than it was told");
  if (told3.confirmedAt !== void 0) return nothing("confirmed already");
  return write(
    { ...client, told: { ...told3, confirmedAt: now }, seenAt: now },
    by === "daemon" ? "its daemon confirmed" : "its node's digest shows it"
  );
}
var said = ({ fp: fp4, publicKey: publicKey2, fqdn: fqdn2, machineId, minion, facts: facts2, suggestedTags }) => ({
  fp: fp4,
  publicKey: publicKey2,
  fqdn: fqdn2,
  machineId,
  facts: { ...facts2 },
  suggestedTags: [...suggestedTags],
  ...minion && { minion }
});
var kept4 = (client, now) => client.standing === "pooled" ? { expiresAt: plusMs(now, pooledForMs2) } : {};

// lib/doors/intervals.ts
var coveredS = 6 * 3600;
var uncoveredS = 15 * 60;
var waitingMinS = 5;
var waitingMaxS = 60;
var deletedS = 86400;
var renewCoveredS = 3.5 * 86400;
var renewUncoveredS = 3600;
var renewAfterS = (covered2) => covered2 ? renewCoveredS : renewUncoveredS;
function nextSeconds(status2, { now, random, covered: covered2, lostS, client }) {
  const base = baseSeconds(status2, lostS, covered2, (now - sinceOf(client, now)) / 1e3);
  return jittered2(base, random);
}
var knockSeconds = (random) => jittered2(waitingMinS, random);
var jittered2 = (seconds2, random) => Math.max(1, Math.round(seconds2 * (0.9 + 0.2 * random)));
function baseSeconds(status2, lostS, covered2, waitedS) {
  if (status2 === "deleted") return deletedS;
  if (status2 !== "onboarded") return rising(waitedS);
  if (lostS !== void 0) return rising(lostS);
  return covered2 ? coveredS : uncoveredS;
}
var rising = (sinceS) => clamp(sinceS / 10, waitingMinS, waitingMaxS);
var lostSecondsOf = (text2) => text2 !== void 0 && /^[1-9]\d{0,8}$/.test(text2) ? Number(text2) : void 0;
function sinceOf(client, now) {
  if (client?.standing === "pooled") return client.firstSeenAt;
  if (client?.standing === "accepted") return client.told?.at ?? client.acceptedAt;
  return now;
}
var watchOf = (zone3, index, beatMinMs) => `${zone3.members[index].watch};every=${Math.max(1, Math.round(3 * beatMinMs / 1e3))}`;

// lib/doors/byte.ts
function byteAnswer(of, { shell, covered: covered2, lostS, client }) {
  const next3 = nextSeconds(of, { now: shell.now(), random: shell.random(), covered: covered2, lostS, client });
  return { status: 200, text: statusBytes[of], headers: { [clientHeaders.next]: String(next3), "content-type": "text/plain" } };
}

// lib/digests/digest.ts
import * as z20 from "zod";
var Bits = z20.custom((value) => value instanceof Uint8Array, "bytes");
var One = z20.strictObject({
  listVersion: z20.int().nonnegative(),
  bits: Bits,
  /** When the door received it. */
  at: EpochMs
});
var DigestRow = One.extend({ before: One.optional() });
var bitsMax = 16 * 1024;
var refreshMs = 5 * minuteMs;
function decideDigest(row2, beat) {
  const digest = beat.data.digest;
  if (!digest) return nothing("a heartbeat without a digest");
  if (row2 && beat.receivedAt <= row2.at) return nothing("a digest received before the one on record");
  const bits = new Uint8Array(Buffer.from(digest.bits, "base64"));
  if (bits.length > bitsMax) return nothing(`a digest of ${bits.length} B, ${bitsMax} at most`);
  const now = { listVersion: digest.listVersion, bits, at: beat.receivedAt };
  if (!row2) return write(now, "the first digest of the node");
  const isSame2 = shows(row2, now) && (!row2.before || shows(row2.before, row2));
  if (isSame2 && beat.receivedAt - row2.at < refreshMs) return nothing("the node sees the same clients as before");
  const { before: _older, ...before } = row2;
  return write(
    { ...now, before },
    isSame2 ? "the node still sees the same clients" : "the node sees other clients than before"
  );
}
var shows = (one4, other) => one4.listVersion === other.listVersion && Buffer.compare(one4.bits, other.bits) === 0;
function receivedAfter(row2, moment3) {
  if (row2.at <= moment3) return void 0;
  const { before, ...newest } = row2;
  return before && before.at > moment3 ? row2 : newest;
}
var digestShows = (row2, listVersion, position) => row2 !== void 0 && [row2, row2.before].some((one4) => one4?.listVersion === listVersion && ((one4.bits[position >> 3] ?? 0) & 1 << (position & 7)) !== 0);

// lib/doors/coverage.ts
async function nodeSees(shell, fp4, told3) {
  const [digestRow, systemsRow] = await shell.table.readMany([
    keyOf({ noun: "digest", id: told3.node }),
    keyOf({ noun: "systems", id: told3.node })
  ]);
  const digest = digestRow && receivedAfter(digestRow.body, told3.at);
  const systems = systemsRow?.body;
  if (!digest || !systems) return false;
  for (const version of [systems.newest, systems.before]) {
    if (!version || digest.listVersion !== version.version && digest.before?.listVersion !== version.version) continue;
    const page = pageFor(version.firsts, fp4);
    if (page === void 0) continue;
    const row2 = await shell.table.read(keyOf(pageRef(told3.node, version.version, page)));
    const place2 = row2 && placeOnPage(row2.body, fp4);
    if (place2 !== void 0 && digestShows(digest, version.version, page * entriesPerPage + place2)) return true;
  }
  return false;
}
async function withCoverage(shell, client, zone3) {
  const { told: told3 } = client;
  if (!told3 || !servesAt(zone3, told3.index, told3.generation)) return { client, covered: false };
  const covered2 = await nodeSees(shell, client.fp, told3);
  return {
    client: covered2 && told3.confirmedAt === void 0 ? { ...client, told: { ...told3, confirmedAt: shell.now() } } : client,
    covered: covered2
  };
}
async function confirmedByDigest(shell, before, zone3) {
  const { client, covered: covered2 } = await withCoverage(shell, before, zone3);
  const { told: told3 } = before;
  const confirms = covered2 && told3 && told3.confirmedAt === void 0;
  if (!confirms && shell.now() - before.seenAt < seenEveryMs2) return { client, covered: covered2 };
  const id3 = shell.newId();
  const command4 = confirms ? { type: "confirm", id: id3, index: told3.index, generation: told3.generation, by: "digest" } : { type: "seen", id: id3 };
  const { state } = await apply(shell, { noun: "client", id: before.fp }, command4, decide3);
  return { client: state?.standing === "accepted" ? state : client, covered: covered2 };
}

// lib/doors/from-row.ts
async function byteFromRow(shell, client) {
  const zone3 = client?.standing === "accepted" ? await zoneOf(shell, client.zone) : void 0;
  const confirmed = client?.standing === "accepted" && zone3 ? await withCoverage(shell, client, zone3) : void 0;
  return byteAnswer(rowStatus(confirmed?.client ?? client, zone3), { shell, covered: confirmed?.covered ?? false, client });
}
async function needOpenCalls(shell) {
  if ((await deploymentOf(shell))?.openCalls !== false) return;
  const seconds2 = String(knockSeconds(shell.random()));
  throw new Refusal("signature-missing", "calls without a token are switched off here: a signed knock brings one", {
    headers: { [clientHeaders.knock]: "1", [clientHeaders.next]: seconds2, "retry-after": seconds2 }
  });
}

// lib/identity/minion-proof.ts
import { createPublicKey as createPublicKey2, verify as verify3 } from "node:crypto";
var rsaBitsMin = 2048;
var rsaMost = { bits: 8192, exponent: 2n ** 32n };
var minionStatement = (daemon) => `muster-minion:${daemon}`;
function faultOfProof({ publicKey: publicKey2, proof }, daemon) {
  const key = keyIn(publicKey2);
  if (!key) return "the public key is none that Muster can read";
  const kind = key.asymmetricKeyType;
  if (kind !== "rsa" && kind !== "ed25519") return "the public key is neither an RSA nor an Ed25519 key";
  const rsa = kind === "rsa" && faultOfRsa(key);
  if (rsa) return rsa;
  if (kind === "ed25519" && faultOfKey(key.export({ format: "jwk" }).x)) return "the public key is one by which anybody could sign";
  const signature = Buffer.from(proof, "base64");
  if (signature.length === 0 || signature.toString("base64") !== proof) return "the proof is not in base64";
  const statement = Buffer.from(minionStatement(daemon), "utf8");
  return verify3(kind === "rsa" ? "sha256" : null, statement, key, signature) ? void 0 : "the proof is not a signature of this key over this daemon's fingerprint";
}
function faultOfRsa({ asymmetricKeyDetails: { modulusLength: bits = 0, publicExponent = 0n } = {} }) {
  if (bits < rsaBitsMin || bits > rsaMost.bits) return `an RSA key has ${rsaBitsMin} to ${rsaMost.bits} bits; this one has ${bits}`;
  return publicExponent >= rsaMost.exponent ? "the public exponent of the RSA key has more than 32 bits" : void 0;
}
function keyIn(pem) {
  try {
    return createPublicKey2(pem);
  } catch {
    return void 0;
  }
}

// lib/onboarding-tokens/onboarding-token.ts
import * as z21 from "zod";
var goodForMs = dayMs;
var goodForMsMax = 365 * dayMs;
var usesMax2 = 1e6;
var shownForMs2 = 30 * dayMs;
var OnboardingTokenId = z21.string().regex(secretIdForm, "the id of a token is 12 lower-case letters and digits").brand();
var OnboardingToken = z21.strictObject({
  id: OnboardingTokenId,
  hash: z21.string().regex(/^[0-9a-f]{64}$/),
  zone: ZoneName,
  tags: z21.array(Tag),
  groups: z21.array(Tag),
  cidr: Cidr.optional(),
  uses: z21.int().positive().max(usesMax2),
  /** How many machines it has accepted. */
  used: z21.int().nonnegative(),
  createdAt: EpochMs,
  expiresAt: EpochMs,
  revokedAt: EpochMs.optional()
});
function statusOf2({ revokedAt, expiresAt, uses, used }, now) {
  if (revokedAt !== void 0) return "revoked";
  if (used >= uses) return "used";
  return expiresAt <= now ? "expired" : "valid";
}

// lib/onboarding-tokens/decide.ts
function decide4(token3, command4, now) {
  if (command4.type === "create") return token3 ? nothing("there is such a token") : kept5(command4.token, "made by an administrator");
  if (!token3) return nothing("no token has this id");
  switch (command4.type) {
    case "revoke":
      return token3.revokedAt === void 0 ? kept5({ ...token3, revokedAt: now }, "revoked") : nothing("it is revoked already");
    case "use": {
      const why = faultOf2(token3, command4, now);
      return why === void 0 ? kept5({ ...token3, used: token3.used + 1 }, `accepted ${command4.fqdn}`) : nothing(why);
    }
    default:
      return unreachable(command4);
  }
}
function faultOf2(token3, { secret: secret2, source }, now) {
  if (!isSecret(secret2, token3.hash)) return "the secret is not that of this token";
  const status2 = statusOf2(token3, now);
  if (status2 !== "valid") return status2 === "used" ? `it has accepted ${token3.uses} already` : `it is ${status2}`;
  const network = token3.cidr === void 0 ? void 0 : readNetwork(token3.cidr);
  return network && !isInside(network, source) ? `it is for ${token3.cidr}, not ${source}` : void 0;
}
var kept5 = (next3, because) => write(next3, because, { expiresAt: plusMs(next3.expiresAt, shownForMs2) });

// lib/doors/knock-rows.ts
async function knockAgain(shell, before, knocking) {
  const { who, isSigned, token: token3 } = knocking;
  const isNewMinion = who.minion && who.minion.fingerprint !== before.minion?.fingerprint;
  const mayBeAccepted = before.standing === "pooled" && isSigned && token3 !== void 0;
  if (before.standing !== "banned" && (isNewMinion || mayBeAccepted)) return keepKnock(shell, before.fp, knocking);
  const command4 = commandOf(shell, knocking, void 0);
  const { state } = await apply(shell, { noun: "client", id: before.fp }, command4, decide3);
  return state ?? before;
}
async function keepKnock(shell, fp4, knocking) {
  const ref = { noun: "client", id: fp4 };
  const id3 = shell.newId();
  let made;
  await applyPlan(shell, { id: id3 }, async (reading) => {
    const row2 = await reading.row(ref);
    const now = shell.now();
    const known3 = stateOf(row2, now);
    if (!known3) await refuseBound(shell, reading, fp4);
    const alias = await aliasOf(shell, reading, fp4, knocking);
    if (alias.banned) {
      made = alias.banned;
      return { changes: [], because: ["banned by the key of its minion"] };
    }
    const token3 = known3 && known3.standing !== "pooled" ? void 0 : await tokenOf(shell, reading, id3, knocking);
    const decision = decide3(known3, { ...commandOf(shell, knocking, token3?.shown), id: id3 }, now);
    made = decision.does === "write" ? decision.next : known3;
    const others = decision.does === "write" ? [...alias.changes, ...token3?.changes ?? []] : [];
    return { changes: [{ ref, readRev: row2?.rev ?? 0, decision }, ...others], because: [decision.because] };
  });
  return made;
}
var commandOf = (shell, { who, isSigned }, token3) => ({
  type: "knock",
  id: shell.newId(),
  who,
  unsigned: isSigned ? void 0 : true,
  token: token3
});
async function refuseBound(shell, reading, fp4) {
  const { key } = await heldKey(shell, reading, fp4);
  if (key && key.owner.noun !== "client") throw new Refusal("key-in-use", "this key belongs to a node; every machine makes its own");
}
async function aliasOf(shell, reading, fp4, { who: { minion } }) {
  if (!minion) return { changes: [] };
  const ref = { noun: "client", id: minion.fingerprint };
  const row2 = await reading.row(ref);
  const known3 = stateOf(row2, shell.now());
  const other = known3?.standing === "alias" ? stateOf(await reading.row({ noun: "client", id: known3.of }), shell.now()) : known3;
  if (other?.standing === "banned") return { changes: [], banned: other };
  if (other || known3?.standing === "alias" && known3.of === fp4) return { changes: [] };
  return { changes: [{ ref, readRev: row2?.rev ?? 0, decision: write({ standing: "alias", of: fp4 }, `another key of ${fp4}`) }] };
}
async function tokenOf(shell, reading, id3, knocking) {
  const { token: token3, isSigned, source, who } = knocking;
  if (token3 === void 0) return void 0;
  const refused = (why) => ({ shown: { refused: why }, changes: [] });
  if (!isSigned) return refused("the knock that brought it was not signed");
  const parts = parseSecret(token3, "mot");
  if (typeof parts === "string") return refused(parts === "mistyped" ? "it was mistyped or cut short" : "it is no onboarding token");
  const ref = { noun: "onboarding-token", id: parts.id };
  const row2 = await reading.row(ref);
  const now = shell.now();
  const known3 = stateOf(row2, now);
  const decision = decide4(known3, { type: "use", id: id3, secret: parts.secret, source, fqdn: who.fqdn }, now);
  if (decision.does !== "write") return refused(decision.because);
  const { zone: zone3, tags, groups } = decision.next;
  return {
    shown: { accepts: { token: parts.id, zone: zone3, tags, groups } },
    changes: [{ ref, readRev: row2?.rev ?? 0, decision }]
  };
}

// lib/clients/new-keys.ts
var newKeysForMs = hourMs;
function withOneMoreKey(before, max, now) {
  if (!before || plusMs(before.since, newKeysForMs) <= now) return { since: now, keys: 1 };
  return before.keys >= max ? void 0 : { ...before, keys: before.keys + 1 };
}

// lib/doors/new-machines.ts
async function countNewMachine(shell, source) {
  const max = newKeysPerSourceOf(await deploymentOf(shell));
  if (max === 0) return;
  const { decision, before } = await apply(
    shell,
    { noun: "source", id: sourceOf(source) },
    { id: shell.newId() },
    (counted2, _input, now) => {
      const next3 = withOneMoreKey(counted2, max, now);
      const expires = next3 && { expiresAt: plusMs(next3.since, newKeysForMs) };
      return next3 ? write(next3, "a machine that nobody knew knocked", expires) : nothing("too many of them");
    }
  );
  if (decision.does === "nothing") throw tooMany2(max, plusMs(before.since, newKeysForMs), shell);
}
var comeBackWithinS = 60;
function tooMany2(max, until, shell) {
  const waitS = Math.ceil((until - shell.now()) / secondMs) + Math.floor(shell.random() * comeBackWithinS);
  return new Refusal(
    "onboarding-rate",
    `${max} new machines knocked from this network address within an hour; an administrator may allow more`,
    {
      headers: { "retry-after": String(waitS) }
    }
  );
}

// lib/identity/token.ts
import { timingSafeEqual as timingSafeEqual2 } from "node:crypto";

// lib/identity/hmac.ts
import { hash } from "node:crypto";
var blockBytes = 64;
var digestBytes = 32;
function hmacSha256(secret2, message) {
  const key = secret2.length > blockBytes ? hash("sha256", secret2, "buffer") : secret2;
  const inner = Buffer.allocUnsafe(blockBytes + message.length);
  const outer = Buffer.allocUnsafe(blockBytes + digestBytes);
  for (let i = 0; i < blockBytes; i++) {
    const byte2 = key[i] ?? 0;
    inner[i] = byte2 ^ 54;
    outer[i] = byte2 ^ 92;
  }
  inner.set(message, blockBytes);
  outer.write(hash("sha256", inner, "binary"), blockBytes, "latin1");
  const digest = Buffer.from(hash("sha256", outer, "binary"), "latin1");
  inner.fill(0, 0, blockBytes);
  outer.fill(0, 0, blockBytes);
  return digest;
}

// lib/identity/token.ts
var noIndex = 65535;
var tokenLifeS = 7 * 86400;
var bodyBytes = 38;
var macBytes = 16;
var confirmedBit = 1;
var coveredBit = 2;
function mintToken(token3, key) {
  const bytes = Buffer.alloc(bodyBytes + macBytes);
  bytes.write(token3.fp, 0, 16, "hex");
  bytes.writeUInt32BE(token3.zone, 16);
  bytes.writeUInt16BE(token3.index, 20);
  bytes.writeUInt16BE(token3.generation, 22);
  bytes.writeUInt16BE(token3.pin, 24);
  bytes.writeUInt32BE(token3.mapVersion, 26);
  bytes.writeUInt16BE(token3.epoch, 30);
  bytes.writeUInt32BE(token3.issuedAtS, 32);
  bytes.writeUInt8((token3.confirmed ? confirmedBit : 0) | (token3.covered ? coveredBit : 0), 36);
  bytes.writeUInt8(key.id, 37);
  bytes.set(mac(bytes, key), bodyBytes);
  return bytes.toString("base64url");
}
function tokenKeyId(text2) {
  if (text2.length !== 72) return void 0;
  const bytes = Buffer.from(text2, "base64url");
  return bytes.length === bodyBytes + macBytes ? bytes[37] : void 0;
}
function readToken(text2, key) {
  if (text2.length !== 72 || text2.includes("+") || text2.includes("/")) return void 0;
  const bytes = Buffer.from(text2, "base64url");
  if (bytes.length !== bodyBytes + macBytes || bytes[37] !== key.id) return void 0;
  if (!timingSafeEqual2(bytes.subarray(bodyBytes), mac(bytes, key))) return void 0;
  const flags = bytes[36];
  return {
    fp: bytes.toString("hex", 0, 16),
    zone: bytes.readUInt32BE(16),
    index: bytes.readUInt16BE(20),
    generation: bytes.readUInt16BE(22),
    pin: bytes.readUInt16BE(24),
    mapVersion: bytes.readUInt32BE(26),
    epoch: bytes.readUInt16BE(30),
    issuedAtS: bytes.readUInt32BE(32),
    confirmed: (flags & confirmedBit) !== 0,
    covered: (flags & coveredBit) !== 0
  };
}
var mac = (bytes, key) => hmacSha256(key.secret, bytes.subarray(0, bodyBytes)).subarray(0, macBytes);

// lib/doors/tokens.ts
async function heldToken(shell, text2, fp4) {
  const keyId = text2 === void 0 ? void 0 : tokenKeyId(text2);
  const key = keyId === void 0 ? void 0 : await shell.keys.byId(keyId);
  const token3 = key && readToken(text2, key);
  if (!token3 || token3.fp !== fp4.slice(0, 32)) return void 0;
  const zone3 = await zoneByNumber(shell, token3.zone, token3.mapVersion);
  if (!zone3 || !tokenHolds(zone3, token3, Math.floor(shell.now() / 1e3), tokenLifeS)) return void 0;
  return { token: token3, zone: zone3 };
}
var clocksApartS = 1;
async function tokenFor(shell, client, zone3, { covered: covered2, askedAt }) {
  const issuedAtS = Math.floor(askedAt / 1e3) - clocksApartS;
  const fromS = tokensFromS(zone3, client.fp);
  if (issuedAtS >= fromS) return { token: await minted(shell, client, zone3, { covered: covered2, issuedAtS }), client };
  const now = (await clientRow(shell, client.fp))?.state;
  if (now?.standing !== "accepted") return { client: now };
  return { token: await minted(shell, now, zone3, { covered: covered2, issuedAtS: fromS }), client: now };
}
var tokensFromS = ({ revokedAt, tokensBefore }, fp4) => Math.max(tokensBefore, (revokedAt.get(Number.parseInt(fp4.slice(0, 8), 16)) ?? -1) + 1);
async function minted(shell, client, zone3, { covered: covered2, issuedAtS }) {
  const key = await shell.keys.current();
  const told3 = placementOf(client);
  return mintToken(
    {
      fp: client.fp.slice(0, 32),
      zone: zone3.head.number,
      index: told3?.index ?? noIndex,
      generation: told3?.generation ?? 0,
      pin: pinOf(client),
      mapVersion: zone3.head.version,
      epoch: zone3.head.epoch,
      issuedAtS,
      confirmed: told3?.confirmed ?? false,
      covered: covered2
    },
    key
  );
}

// lib/doors/knock.ts
async function knock2({ body, caller, request }, shell) {
  const fp4 = fingerprintOf(body.publicKey);
  const askedAt = shell.now();
  const found2 = (await clientRow(shell, fp4))?.state;
  if (found2?.standing === "banned") return deleted(found2, shell);
  const who = whoOf(body, fp4);
  if (await isBannedByMinion(shell, who, found2)) return deleted(void 0, shell);
  const isSigned = caller.signed !== void 0;
  const knocking = { who: isSigned ? who : { ...who, minion: void 0 }, isSigned, token: body.token, source: caller.source };
  if (!found2) await countNewMachine(shell, caller.source);
  if (caller.signed) await useNonce(shell, caller.signed.keyId, caller.signed.nonce);
  else if (found2?.standing === "accepted") return unsignedAnswer(found2, request, shell);
  const client = found2 ? await knockAgain(shell, found2, knocking) : await keepKnock(shell, fp4, knocking);
  const lostS = body.lost ? 0 : void 0;
  if (client.standing !== "accepted" || !isSigned)
    return byteAnswer(rowStatus(client, void 0), { shell, covered: false, lostS, client });
  return accepted(shell, client, body, { lostS, askedAt });
}
var deleted = (client, shell) => byteAnswer("deleted", { shell, covered: false, client });
async function isBannedByMinion(shell, { minion }, known3) {
  if (!minion || minion.fingerprint === known3?.minion?.fingerprint) return false;
  return (await clientRow(shell, minion.fingerprint))?.state.standing === "banned";
}
async function unsignedAnswer(client, request, shell) {
  if (!allowsUnsigned(await deploymentOf(shell), client.zone)) claimOf(request, shell);
  return byteFromRow(shell, client);
}
async function accepted(shell, client, body, { lostS, askedAt }) {
  const zone3 = await (body.lost ? zoneOf : zoneNow)(shell, client.zone);
  if (!zone3) throw new Refusal("unknown-zone", `zone ${client.zone} is gone`);
  const { told: told3 } = client;
  let now = client;
  if (body.confirmed !== void 0 && told3 && told3.confirmedAt === void 0 && zone3.members[told3.index]?.fqdn === body.confirmed) {
    const command4 = { type: "confirm", id: shell.newId(), index: told3.index, generation: told3.generation, by: "daemon" };
    const { state } = await apply(shell, { noun: "client", id: client.fp }, command4, decide3);
    if (state?.standing === "accepted") now = state;
  }
  const { client: seen3, covered: covered2 } = await confirmedByDigest(shell, now, zone3);
  const { token: token3, client: sure } = await tokenFor(shell, seen3, zone3, { covered: covered2, askedAt });
  const place2 = sure?.standing === "accepted" ? sure.told : void 0;
  const isElsewhere = body.confirmed !== void 0 && place2 !== void 0 && zone3.members[place2.index]?.fqdn !== body.confirmed;
  const answer = byteAnswer(isElsewhere ? "orphan" : rowStatus(sure, zone3), { shell, covered: covered2, lostS, client: sure });
  const watch2 = place2 && servesAt(zone3, place2.index, place2.generation) ? { [clientHeaders.watch]: watchOf(zone3, place2.index, await beatMinNow(shell)) } : {};
  return { ...answer, headers: { ...answer.headers, ...watch2, ...token3 && { [clientHeaders.token]: token3 } } };
}
function whoOf({ publicKey: publicKey2, fqdn: fqdn2, machineId, facts: facts2, suggestedTags, minion }, fp4) {
  const fault2 = minion && faultOfProof(minion, fp4);
  if (fault2 !== void 0) throw new Refusal("proof-invalid", fault2, { errors: [{ pointer: "/minion/proof", detail: fault2 }] });
  return {
    ...{ fp: fp4, publicKey: publicKey2, fqdn: fqdn2, machineId, facts: facts2, suggestedTags },
    ...minion && { minion: { id: minion.id, fingerprint: minionFingerprintOf(minion.publicKey) } }
  };
}

// lib/doors/clients.ts
var clientHandlers = { knock: knock2, systemStatus, orphan };
async function systemStatus({ query, request }, shell) {
  const text2 = request.header(clientHeaders.token);
  const held = await heldToken(shell, text2, query.fp);
  const lostS = lostSecondsOf(request.header(clientHeaders.lost));
  if (!held) return fromRow(query.fp, text2 !== void 0, shell);
  const { token: token3, zone: zone3 } = held;
  const ageS = Math.floor(shell.now() / 1e3) - token3.issuedAtS;
  if (token3.confirmed && ageS < renewAfterS(token3.covered))
    return byteAnswer(tokenStatus(zone3, token3), { shell, covered: token3.covered, lostS });
  return renewed(query.fp, zone3, lostS, shell);
}
async function fromRow(fp4, brought, shell) {
  await needOpenCalls(shell);
  const client = (await clientRow(shell, fp4))?.state;
  const answer = await byteFromRow(shell, client);
  return brought && client?.standing === "accepted" ? toKnock(answer, shell) : answer;
}
async function renewed(fp4, zone3, lostS, shell) {
  const askedAt = shell.now();
  const found2 = await clientRow(shell, fp4);
  if (found2?.state.standing !== "accepted") return byteAnswer(rowStatus(found2?.state, zone3), { shell, covered: false, lostS });
  const { client, covered: covered2 } = await confirmedByDigest(shell, found2.state, zone3);
  const { token: token3, client: sure } = await tokenFor(shell, client, zone3, { covered: covered2, askedAt });
  const answer = byteAnswer(rowStatus(sure, zone3), { shell, covered: covered2, lostS, client: sure });
  return { ...answer, headers: { ...answer.headers, ...token3 && { [clientHeaders.token]: token3 } } };
}
async function orphan({ query, request }, shell) {
  const text2 = request.header(clientHeaders.token);
  const askedAt = shell.now();
  const held = await heldToken(shell, text2, query.fp);
  if (!held) await needOpenCalls(shell);
  const found2 = await clientRow(shell, query.fp);
  if (!found2) throw new Refusal("unknown-system", "no machine with this fingerprint has knocked");
  if (found2.state.standing !== "accepted") return wait(shell, found2.state);
  const zone3 = await zoneOf(shell, found2.state.zone, held?.token.mapVersion);
  if (!zone3) return wait(shell, found2.state);
  const place2 = placeFor(zone3, found2.state.fp, pinOf(found2.state), placementOf(found2.state));
  if (!held && !await mayAskUnsigned(found2.state, shell)) {
    const answer = await grantedBefore(found2.state, zone3, shell);
    return text2 === void 0 ? answer : toKnock(answer, shell);
  }
  if (place2 === void 0) return wait(shell, found2.state);
  const command4 = {
    type: "tell",
    id: shell.newId(),
    index: place2,
    node: zone3.members[place2].node,
    generation: generationAt(zone3.head.roster, place2)
  };
  const { state } = await apply(shell, { noun: "client", id: found2.state.fp }, command4, decide3);
  if (state?.standing !== "accepted") return wait(shell, state);
  if (!held) return grantedBefore(state, zone3, shell);
  const { token: token3, client: sure } = await tokenFor(shell, state, zone3, { covered: false, askedAt });
  if (sure?.standing !== "accepted" || sure.told?.index !== place2) return wait(shell, sure);
  return token3 ? named(zone3, place2, shell, { [clientHeaders.token]: token3 }) : wait(shell, state);
}
var mayAskUnsigned = async (client, shell) => client.unsigned === true && allowsUnsigned(await deploymentOf(shell), client.zone);
async function grantedBefore(client, zone3, shell) {
  const { told: told3 } = client;
  const place2 = placeFor(zone3, client.fp, pinOf(client), placementOf(client));
  if (!told3 || told3.index !== place2 || !servesAt(zone3, told3.index, told3.generation)) return wait(shell, client);
  return named(zone3, place2, shell, {});
}
async function named(zone3, index, shell, headers) {
  return {
    status: 200,
    text: zone3.members[index].fqdn,
    headers: { [clientHeaders.watch]: watchOf(zone3, index, await beatMinNow(shell)), ...headers }
  };
}
function toKnock(answer, shell) {
  const seconds2 = String(knockSeconds(shell.random()));
  const headers = { ...answer.headers, [clientHeaders.knock]: "1", [clientHeaders.next]: seconds2 };
  return { ...answer, headers: answer.status === 204 ? { ...headers, "retry-after": seconds2 } : headers };
}
function wait(shell, client) {
  const seconds2 = String(nextSeconds("orphan", { now: shell.now(), random: shell.random(), covered: false, client }));
  return { status: 204, headers: { "retry-after": seconds2, [clientHeaders.next]: seconds2 } };
}

// lib/doors/quick-status.ts
var fpOnly = /^fp=([0-9a-fA-F]{64}|(?:[0-9a-fA-F]{2}(?::|%3[aA])){31}[0-9a-fA-F]{2})$/;
function quickStatus(request, shell) {
  if (request.method !== "GET" || request.path !== "/system/status") return void 0;
  const text2 = request.header(clientHeaders.token);
  const query = text2 === void 0 ? null : fpOnly.exec(request.query);
  const keyId = query === null ? void 0 : tokenKeyId(text2);
  const key = keyId === void 0 ? void 0 : shell.keys.known(keyId);
  const token3 = key && readToken(text2, key);
  if (!token3?.confirmed) return void 0;
  const fp4 = query[1].length === 64 ? query[1] : query[1].replaceAll(/:|%3a/gi, "");
  if (!fp4.toLowerCase().startsWith(token3.fp)) return void 0;
  const zone3 = freshZoneByNumber(shell, token3.zone);
  const now = shell.now();
  const nowS = Math.floor(now / 1e3);
  if (!zone3 || zone3.head.version < token3.mapVersion || nowS - token3.issuedAtS >= renewAfterS(token3.covered)) return void 0;
  if (!tokenHolds(zone3, token3, nowS, tokenLifeS)) return void 0;
  const status2 = tokenStatus(zone3, token3);
  const lostS = lostSecondsOf(request.header(clientHeaders.lost));
  const next3 = nextSeconds(status2, { now, random: shell.random(), covered: token3.covered, lostS });
  return { status: 200, headers: { "content-type": "text/plain", [clientHeaders.next]: String(next3) }, body: statusBytes[status2] };
}

// lib/doors/verify-client.ts
var verifyClient = async (request, route2, _params, shell) => {
  const stranger = { who: "anyone", source: request.source };
  if (route2.path !== clientRoutes.knock.path) return stranger;
  if (request.header("signature-input") === void 0 && ((await deploymentOf(shell))?.unsignedZones ?? []).length > 0) return stranger;
  const claim = claimOf(request, shell);
  checkSignedByBody(shell, claim, parsedBody(clientRoutes.knock, request).publicKey);
  return { who: `client:${claim.keyId}`, source: request.source, signed: { keyId: claim.keyId, nonce: claim.nonce } };
};

// functions/knock.ts
var knock_default = onRoutes(clientRoutes, clientHandlers, verifyClient, quickStatus);

// lib/api/admin-routes.ts
import * as z33 from "zod";

// lib/api/admin-admission-routes.ts
import * as z25 from "zod";

// lib/api/page.ts
import * as z22 from "zod";
var paged = { limit: z22.coerce.number().int().min(1).max(200).default(50), cursor: z22.string().max(500).optional() };
var listOf2 = (item) => z22.strictObject({ items: z22.array(item), next: z22.string().optional() });

// lib/api/views.ts
import * as z24 from "zod";

// lib/api-keys/api-key.ts
import * as z23 from "zod";
var keyDays = { usual: 90, max: 400 };
var sessionForMs = 12 * hourMs;
var linkForMs = 10 * minuteMs;
var linkLeftMs = minuteMs;
var usedEveryMs = hourMs;
var shownForMs3 = 30 * dayMs;
var ApiKeyId = z23.string().regex(secretIdForm, "the id of a key is 12 lower-case letters and digits").brand();
var reach = z23.union([z23.literal("all"), z23.array(ZoneName).readonly()]);
var ApiKey = z23.strictObject({
  id: ApiKeyId,
  hash: z23.string().regex(/^[0-9a-f]{64}$/),
  kind: z23.enum(["key", "session", "link"]),
  name: z23.string(),
  rights: z23.partialRecord(z23.enum(adminScopes), reach),
  /** Whom calls are put down to: `key:<id>` for an API key, for the others who made the link. */
  who: z23.string(),
  /** By whose session or key the link was made: what it let in ends with that. */
  parent: ApiKeyId.optional(),
  /** When the issuer's token ends by which the link was made: what it let in ends then. */
  until: EpochMs.optional(),
  createdAt: EpochMs,
  createdBy: z23.string(),
  expiresAt: EpochMs,
  /** Written at most hourly. */
  lastUsedAt: EpochMs.optional(),
  revokedAt: EpochMs.optional()
});
var statusOf3 = ({ revokedAt, expiresAt }, now) => revokedAt !== void 0 ? "revoked" : expiresAt <= now ? "expired" : "valid";

// lib/api/views.ts
var Moment = z24.iso.datetime();
var NodeView = z24.strictObject({
  id: NodeId,
  fqdn: Fqdn,
  zone: ZoneName,
  kind: NodeKind,
  status: z24.enum(["absent", "waiting", "joining", "up", "suspect", "down", "leaving", "dropped", "quarantined"]),
  because: z24.string(),
  incarnation: z24.int(),
  generation: z24.int(),
  index: z24.int().optional(),
  watch: z24.string(),
  weight: z24.number(),
  capacity: z24.int().optional(),
  labels: z24.record(z24.string(), z24.string()),
  joinedAt: Moment,
  /** When an operator removed it: it stays out until it is let in again. A Muster that removes none does not say so. */
  removedAt: Moment.optional(),
  /**
   * The key that it signs with, and the one that it has named to follow, as fingerprints in hex pairs with colons; `since` when it is told
   * of one node alone. A Muster from before does not say.
   */
  key: z24.strictObject({ fingerprint: z24.string(), since: Moment.optional(), next: z24.string().optional() }).optional(),
  heardAt: Moment.optional(),
  leaseUntil: Moment.optional(),
  leaving: z24.strictObject({ mode: LeaveMode, since: Moment, until: Moment.optional() }).optional(),
  load: Load.optional(),
  /** Slots of the zone's map that it owns. */
  slots: z24.int(),
  /** About how many accepted client systems those slots hold, from the last count. */
  systemsAbout: z24.int(),
  host: HostFacts.extend({ at: Moment }).optional()
});
var SystemView = z24.strictObject({
  fp: z24.string(),
  fingerprint: z24.string(),
  fqdn: Fqdn,
  machineId: z24.string(),
  status: z24.enum(["new", "onboarded", "orphan", "deleted"]),
  because: z24.string(),
  zone: ZoneName.optional(),
  /** The node it was told; `confirmed` once the daemon or the node's digest said so. */
  node: z24.strictObject({ id: NodeId, fqdn: Fqdn.optional(), at: Moment, confirmed: z24.boolean() }).optional(),
  tags: z24.array(Tag),
  groups: z24.array(Tag),
  suggestedTags: z24.array(Tag),
  minion: z24.strictObject({ id: z24.string(), fingerprint: z24.string() }).optional(),
  /** Nobody has shown to hold the key: all its knocks were unsigned. */
  unsigned: z24.literal(true).optional(),
  facts: z24.record(z24.string(), z24.string()),
  firstSeenAt: Moment,
  seenAt: Moment
});
var ZoneView = z24.strictObject({
  name: ZoneName,
  number: z24.int(),
  kind: z24.enum(["management", "storage"]),
  mode: z24.enum(["production", "recovery"]),
  version: z24.int(),
  because: z24.string(),
  remapAfterMs: z24.int(),
  readmit: z24.enum(["auto", "admin"]),
  /** Whether clients that never sign are let in; a Muster that does not say so knows none that sign. */
  unsignedClients: z24.boolean().optional(),
  epoch: z24.int(),
  systemsAbout: z24.int(),
  countedAt: Moment.optional(),
  map: z24.strictObject({
    slots: z24.int(),
    version: z24.int(),
    unowned: z24.int(),
    awayFromHome: z24.int(),
    nodes: z24.array(
      z24.strictObject({ node: NodeId, fqdn: Fqdn, standing: z24.string(), generation: z24.int(), slots: z24.int(), systemsAbout: z24.int() })
    )
  })
});
var Explanation = z24.strictObject({
  subject: z24.string(),
  state: z24.string(),
  because: z24.string(),
  since: Moment,
  by: z24.string(),
  /** Whom the last decision is put down to, if to anybody. */
  who: z24.string().optional(),
  looksAgainAt: Moment.optional(),
  also: z24.array(z24.strictObject({ subject: z24.string(), because: z24.string(), at: Moment.optional() }))
});
var HistoryView = z24.strictObject({
  seq: z24.int(),
  type: z24.string(),
  version: z24.int(),
  at: Moment,
  because: z24.string(),
  by: z24.string(),
  /** Whom it is put down to, if to anybody. */
  who: z24.string().optional(),
  data: z24.record(z24.string(), z24.json())
});
var LetterFailure = z24.strictObject({ code: z24.string(), reason: z24.string(), at: Moment });
var DeadLetterView = z24.strictObject({
  id: z24.string(),
  status: z24.enum(["dead", "redriven"]),
  /** Where it is given back to; `feed` is an image of a row whose events could not go out. */
  queue: z24.enum(["heartbeats", "reports", "feed"]),
  via: z24.enum(["door", "bus", "feed"]),
  /** When the message was first sent. */
  sentAt: Moment,
  /** How often it died: once, and once more for each time it was given back in vain. */
  deaths: z24.int(),
  /** How often it was received over all that. */
  receives: z24.int(),
  first: LetterFailure,
  last: LetterFailure,
  /** The length of the whole message. */
  bytes: z24.int(),
  /** Only its beginning is kept, so that it cannot be given back. */
  cut: z24.boolean(),
  /** The latest time it was given back, and the call that did. */
  redriven: z24.strictObject({ at: Moment, by: z24.string(), attempt: z24.int() }).optional(),
  /** When it is forgotten. */
  expiresAt: Moment
});
var DeadLetterWhole = DeadLetterView.extend({ message: z24.string() });
var NodeTokenView = z24.strictObject({
  id: TokenId,
  status: z24.enum(["valid", "used", "expired", "revoked"]),
  /** The name, or the pattern of names, that it admits. */
  nodes: z24.string(),
  kind: NodeKind,
  zone: ZoneName,
  cidr: z24.string().optional(),
  uses: z24.int(),
  createdAt: Moment,
  expiresAt: Moment,
  revokedAt: Moment.optional(),
  /** The hosts that it let in. */
  admitted: z24.array(z24.strictObject({ fingerprint: z24.string(), node: NodeId, at: Moment }))
});
var PooledHostView = z24.strictObject({
  fp: z24.string(),
  fingerprint: z24.string(),
  fqdn: Fqdn,
  kind: NodeKind,
  /** The zone that it asks for, or was admitted into. */
  zone: ZoneName.optional(),
  standing: z24.enum(["waiting", "admitted", "rejected"]),
  because: z24.string(),
  watch: z24.string(),
  capacity: z24.int().optional(),
  source: z24.string(),
  firstSeenAt: Moment,
  /** Written at most hourly. */
  seenAt: Moment
});
var reach2 = z24.union([z24.literal("all"), z24.array(ZoneName)]);
var ApiKeyView = z24.strictObject({
  id: ApiKeyId,
  /** Links are in no list; one is shown when it is revoked. */
  kind: z24.enum(["key", "session", "link"]),
  status: z24.enum(["valid", "expired", "revoked"]),
  name: z24.string(),
  /** Each scope, and where it is held. */
  rights: z24.partialRecord(z24.enum(adminScopes), reach2),
  createdAt: Moment,
  createdBy: z24.string(),
  expiresAt: Moment,
  /** Written at most hourly. */
  lastUsedAt: Moment.optional(),
  revokedAt: Moment.optional()
});
var OnboardingTokenView = z24.strictObject({
  id: OnboardingTokenId,
  status: z24.enum(["valid", "used", "expired", "revoked"]),
  /** Where the machines that it accepts belong, with which tags and groups. */
  zone: ZoneName,
  tags: z24.array(Tag),
  groups: z24.array(Tag),
  cidr: z24.string().optional(),
  uses: z24.int(),
  used: z24.int(),
  createdAt: Moment,
  expiresAt: Moment,
  revokedAt: Moment.optional()
});

// lib/api/admin-admission-routes.ts
var hosts = z25.array(z25.union([Fingerprint, Fqdn])).min(1).max(100);
var results = z25.strictObject({ results: z25.array(z25.strictObject({ host: z25.string(), done: z25.boolean(), because: z25.string() })) });
var ruleList = z25.strictObject({ rules: z25.array(AdmissionRule) });
var adminAdmissionRoutes = {
  createNodeToken: route({
    method: "POST",
    path: "/api/v1/node-tokens",
    summary: "Make a token by which a host becomes a node: for one name once, within an hour at the most; or for a pattern of names, so often, within a year. The secret is in this answer only",
    scope: "admin",
    body: z25.strictObject({
      nodes: NamePattern,
      kind: NodeKind.default("uyuni"),
      zone: ZoneName.optional(),
      uses: z25.int().positive().max(usesMax).default(1),
      expiresAt: Moment.optional(),
      cidr: Cidr.optional()
    }),
    reply: z25.strictObject({ secret: z25.string(), token: NodeTokenView }),
    statuses: [201],
    errors: ["unknown-zone", "invalid"],
    secret: true
  }),
  listNodeTokens: route({
    method: "GET",
    path: "/api/v1/node-tokens",
    summary: "Join tokens, those that ended within the last month too",
    scope: "read",
    query: z25.strictObject(paged),
    reply: listOf2(NodeTokenView),
    statuses: [200],
    errors: ["bad-cursor"]
  }),
  revokeNodeToken: route({
    method: "POST",
    path: "/api/v1/node-tokens/{id}/revoke",
    summary: "Revoke a join token; the nodes that it let in stay",
    scope: "admin",
    params: z25.strictObject({ id: TokenId }),
    body: z25.strictObject({}).default({}),
    reply: NodeTokenView,
    statuses: [200],
    errors: ["unknown-token"]
  }),
  listNodePool: route({
    method: "GET",
    path: "/api/v1/node-pool",
    summary: "Hosts that asked to be nodes, and that no token or rule let in",
    scope: "read",
    query: z25.strictObject(paged),
    reply: listOf2(PooledHostView),
    statuses: [200],
    errors: ["bad-cursor"]
  }),
  admitHosts: route({
    method: "POST",
    path: "/api/v1/node-pool/admit",
    summary: "Admit hosts from the pool, and those that were removed: their next join makes them nodes",
    scope: "operate",
    body: z25.strictObject({ hosts, zone: ZoneName.optional(), kind: NodeKind.optional() }),
    reply: results,
    statuses: [200],
    errors: ["unknown-zone"]
  }),
  rejectHosts: route({
    method: "POST",
    path: "/api/v1/node-pool/reject",
    summary: "Send hosts in the pool away: they stay out until they are admitted, or have a token that is newer",
    scope: "operate",
    body: z25.strictObject({ hosts }),
    reply: results,
    statuses: [200],
    errors: []
  }),
  listAdmissionRules: route({
    method: "GET",
    path: "/api/v1/admission-rules",
    summary: "The rules that admit hosts without a token, in the order in which they are asked",
    scope: "read",
    reply: ruleList,
    statuses: [200],
    errors: []
  }),
  addAdmissionRule: route({
    method: "POST",
    path: "/api/v1/admission-rules",
    summary: "Admit hosts by name, network and kind, any number or so many; replaces the rule of this name",
    scope: "admin",
    body: AdmissionRule.extend({ zone: ZoneName.optional() }),
    reply: ruleList,
    statuses: [200],
    errors: ["unknown-zone", "refused"]
  }),
  deleteAdmissionRule: route({
    method: "POST",
    path: "/api/v1/admission-rules/{name}/delete",
    summary: "Delete a rule; the nodes that it let in stay",
    scope: "admin",
    params: z25.strictObject({ name: RuleName }),
    body: z25.strictObject({}).default({}),
    reply: ruleList,
    statuses: [200],
    errors: ["unknown-rule"]
  })
};

// lib/api/admin-audit-routes.ts
import * as z26 from "zod";
var AuditZone = z26.union([ZoneName, z26.literal("-")]);
var AuditDay = z26.iso.date("a day is written 2026-11-21");
var Who = z26.string().min(1).max(300);
var days = { from: AuditDay.optional(), to: AuditDay.optional() };
var AuditView = z26.strictObject({
  n: z26.int(),
  at: Moment,
  /** `-` when it is of none. */
  zone: z26.string(),
  who: z26.string(),
  /** The id of the key or token that was shown. */
  key: z26.string().optional(),
  source: z26.string(),
  request: z26.string(),
  did: z26.enum(["began", "changed", "ended", "tried"]),
  what: z26.strictObject({ noun: z26.string(), id: z26.string(), row: z26.string(), rev: z26.int() }),
  because: z26.string(),
  /** The names of the fields that changed. */
  fields: z26.array(z26.string()).optional(),
  /** What was concluded; numbered from `first` on in the history of what changed. */
  events: z26.strictObject({ first: z26.int(), types: z26.array(z26.string()) }).optional(),
  /** Of an attempt that was refused. */
  refused: z26.strictObject({ route: z26.string(), type: z26.string(), subject: z26.string().optional() }).optional(),
  previous: z26.string(),
  hash: z26.string()
});
var AuditPlace = z26.strictObject({ zone: z26.string(), day: AuditDay, n: z26.int() });
var AuditFault = z26.strictObject({ ...AuditPlace.shape, what: z26.string() });
var adminAuditRoutes = {
  listAudit: route({
    method: "GET",
    path: "/api/v1/audit",
    summary: "What people and automation did or tried, in the order of days, zones and numbers; the last seven days unless told",
    scope: "security",
    query: z26.strictObject({ zone: AuditZone.optional(), ...days, who: Who.optional(), ...paged }),
    /** What stands at a place and is no entry is named, whoever it may have been of; `verify` says what is wrong with it. */
    reply: listOf2(AuditView).extend({ unreadable: z26.array(AuditPlace).optional() }),
    statuses: [200],
    errors: ["bad-cursor"]
  }),
  verifyAudit: route({
    method: "GET",
    path: "/api/v1/audit/verify",
    summary: "Whether the audit is whole: a part at a call, go on with `next`; all that is kept unless told",
    scope: "security",
    query: z26.strictObject({ ...days, cursor: paged.cursor }),
    reply: z26.strictObject({
      /** Nothing was found in this part. */
      ok: z26.boolean(),
      /** Entries that were looked at in this part. */
      entries: z26.int(),
      /** Chains, one a zone and day, whose end was reached in this part. */
      days: z26.int(),
      faults: z26.array(AuditFault),
      /** The first day of which chains are kept. */
      keptSince: AuditDay,
      next: z26.string().optional()
    }),
    statuses: [200],
    errors: ["bad-cursor"]
  })
};

// lib/api/admin-dead-letter-routes.ts
import * as z27 from "zod";
var LetterId = z27.string().regex(
  /^(?!\.{1,2}$)[\w.~=#@:!*'()-]{1,300}$/,
  "the id of a dead letter is 1 to 300 letters, digits or .~=#@:!*'()_-, as the list shows it"
);
var FailureCode = z27.string().regex(/^[a-z0-9.-]{1,64}$/, "a code is 1 to 64 lower-case letters, digits, dots or hyphens");
var LetterQueue = DeadLetterView.shape.queue;
var lettersMax = 100;
var letter = z27.strictObject({ id: LetterId });
var results2 = z27.strictObject({
  /** `busy`: not done now, and may be when the order is given again; any other that is not done will not be. */
  results: z27.array(z27.strictObject({ id: z27.string(), done: z27.boolean(), busy: z27.literal(true).optional(), because: z27.string() })),
  next: z27.string().optional()
});
var chosen = {
  ids: z27.array(LetterId).min(1).max(lettersMax).optional(),
  code: FailureCode.optional(),
  queue: LetterQueue.optional(),
  /** With a code: where the call before left off. */
  cursor: paged.cursor
};
var isOneChoice = ({ ids, code, queue, cursor }) => ids === void 0 ? code !== void 0 : code === void 0 && queue === void 0 && cursor === void 0;
var oneChoice = { error: "either ids are wanted, or a code, with a queue and a cursor if need be" };
var adminDeadLetterRoutes = {
  listDeadLetters: route({
    method: "GET",
    path: "/api/v1/dead-letters",
    summary: "Messages that were put aside, by what became of them, queue or code of the latest error; a page may be short while more follow",
    scope: "read",
    query: z27.strictObject({
      status: DeadLetterView.shape.status.optional(),
      queue: LetterQueue.optional(),
      code: FailureCode.optional(),
      ...paged
    }),
    reply: listOf2(DeadLetterView),
    statuses: [200],
    errors: ["bad-cursor"]
  }),
  getDeadLetter: route({
    method: "GET",
    path: "/api/v1/dead-letters/{id}",
    summary: "One of them, with its message",
    scope: "read",
    params: letter,
    reply: DeadLetterWhole,
    statuses: [200],
    errors: ["unknown-dead-letter"]
  }),
  redriveDeadLetters: route({
    method: "POST",
    path: "/api/v1/dead-letters/redrive",
    summary: `Give dead letters back to where they came from, those named or all of a code, ${lettersMax} a call; safe to repeat`,
    scope: "operate",
    body: z27.strictObject({
      ...chosen,
      /** Also those that were given back and have not died since: their queue may have lost them. */
      again: z27.boolean().default(false)
    }).refine(isOneChoice, oneChoice),
    reply: results2,
    statuses: [200],
    errors: ["bad-cursor"]
  }),
  dropDeadLetters: route({
    method: "POST",
    path: "/api/v1/dead-letters/drop",
    summary: `Drop dead letters, those named or all of a code, ${lettersMax} a call; their messages are gone`,
    scope: "operate",
    body: z27.strictObject(chosen).refine(isOneChoice, oneChoice),
    reply: results2,
    statuses: [200],
    errors: ["bad-cursor"]
  })
};

// lib/api/admin-key-routes.ts
import * as z28 from "zod";
var KeyName = z28.string().regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,100}$/u, "a name is 1 to 100 characters that can be shown");
var secret = z28.string().min(1).max(200);
var adminKeyRoutes = {
  createKey: route({
    method: "POST",
    path: "/api/v1/keys",
    summary: `Make an API key for a program, with scopes, in all zones or some, for ${keyDays.usual} days unless told, ${keyDays.max} at the most. The secret is in this answer only. Nobody gives what he does not have`,
    scope: "security",
    body: z28.strictObject({
      name: KeyName,
      scopes: z28.array(z28.enum(adminScopes)).min(1).max(adminScopes.length),
      /** Where the scopes hold: everywhere when it is absent. */
      zones: z28.array(ZoneName).min(1).max(50).optional(),
      expiresInDays: z28.int().min(1).max(keyDays.max).optional(),
      /** Instead of days. */
      expires: Moment.optional()
    }).refine(({ expiresInDays, expires }) => expiresInDays === void 0 || expires === void 0, {
      error: "either expiresInDays or expires",
      path: ["expires"]
    }),
    reply: z28.strictObject({ secret: z28.string(), key: ApiKeyView }),
    statuses: [201],
    errors: ["insufficient-scope", "unknown-zone", "invalid", "refused"],
    secret: true
  }),
  listKeys: route({
    method: "GET",
    path: "/api/v1/keys",
    summary: "API keys and sessions, those that ended within the last month too; a page may be short while more follow",
    scope: "security",
    query: z28.strictObject(paged),
    reply: listOf2(ApiKeyView),
    statuses: [200],
    errors: ["bad-cursor"]
  }),
  revokeKey: route({
    method: "POST",
    path: "/api/v1/keys/{id}/revoke",
    summary: "Revoke an API key or a sign-in link, or end a session, within 5 s everywhere; safe to repeat",
    scope: "security",
    params: z28.strictObject({ id: ApiKeyId }),
    body: z28.strictObject({}).default({}),
    reply: ApiKeyView,
    statuses: [200],
    errors: ["unknown-key"]
  }),
  createSignInLink: route({
    method: "POST",
    path: "/api/v1/sign-in-links",
    summary: "Make a link by which somebody signs in once, within 10 min, with the caller's own rights, for no longer than the caller's token holds. The secret is in this answer only",
    scope: "admin",
    body: z28.strictObject({}).default({}),
    reply: z28.strictObject({ link: z28.string(), expires: Moment }),
    statuses: [201],
    errors: ["refused"],
    secret: true
  }),
  signIn: route({
    method: "POST",
    path: "/api/v1/sign-in",
    summary: "Sign in by the secret of a link, once; answers a bearer token for 12 h at the most",
    scope: "anyone",
    body: z28.strictObject({ secret }),
    reply: z28.strictObject({ token: z28.string(), expires: Moment, name: z28.string() }),
    statuses: [201],
    errors: ["bearer-invalid"],
    secret: true
  }),
  signOut: route({
    method: "POST",
    path: "/api/v1/sign-out",
    summary: "End the caller's own session, within 5 s everywhere; what is no session is refused, and the detail says where it ends",
    scope: "read",
    body: z28.strictObject({}).default({}),
    reply: ApiKeyView,
    statuses: [200],
    errors: ["refused"]
  }),
  waysToSignIn: route({
    method: "GET",
    path: "/api/v1/sign-in",
    summary: "How people sign in here; with `oidc`, at which issuer",
    scope: "anyone",
    reply: z28.strictObject({
      methods: z28.array(z28.enum(["oidc", "link"])),
      issuer: z28.string().optional(),
      clientId: z28.string().optional(),
      scopes: z28.string().optional()
    }),
    statuses: [200],
    errors: []
  }),
  whoAmI: route({
    method: "GET",
    path: "/api/v1/whoami",
    summary: "Who the caller is to Muster, and what it may do where",
    scope: "read",
    reply: z28.strictObject({ who: z28.string(), name: z28.string(), rights: ApiKeyView.shape.rights }),
    statuses: [200],
    errors: []
  })
};

// lib/api/admin-node-routes.ts
import * as z29 from "zod";
var node = z29.strictObject({ id: z29.union([NodeId, Fqdn]) });
var labelsMax = 8;
var labels = z29.record(z29.string().min(1).max(32), Tag).refine((given) => Object.keys(given).length <= labelsMax, `a node has at most ${labelsMax} labels`).meta({ maxProperties: labelsMax });
var adminNodeRoutes = {
  listNodes: route({
    method: "GET",
    path: "/api/v1/nodes",
    summary: "The nodes of a zone",
    scope: "read",
    query: z29.strictObject({ zone: ZoneName.optional(), ...paged }),
    reply: listOf2(NodeView),
    statuses: [200],
    errors: ["bad-cursor", "unknown-zone"]
  }),
  getNode: route({
    method: "GET",
    path: "/api/v1/nodes/{id}",
    summary: "One node, by id or fully qualified name",
    scope: "read",
    params: node,
    reply: NodeView,
    statuses: [200],
    errors: ["unknown-node"],
    etag: true
  }),
  editNode: route({
    method: "PATCH",
    path: "/api/v1/nodes/{id}",
    summary: "Set weight, capacity (null: unlimited) or labels of a node",
    scope: "operate",
    params: node,
    body: z29.strictObject({
      weight: z29.number().min(0.01).max(100).optional(),
      capacity: z29.int().positive().nullable().optional(),
      labels: labels.optional()
    }),
    reply: NodeView,
    statuses: [200],
    errors: ["unknown-node", "version-conflict"],
    etag: true
  }),
  leaveNode: route({
    method: "POST",
    path: "/api/v1/nodes/{id}/leave",
    summary: "Let a node go on purpose: drain moves its client systems, hold keeps them for it; stay cancels either, and lifts a quarantine",
    scope: "operate",
    params: node,
    body: z29.strictObject({ mode: z29.enum(["drain", "hold", "stay"]).default("drain"), until: Moment.optional() }),
    reply: z29.strictObject({ done: z29.boolean(), because: z29.string() }),
    statuses: [202],
    errors: ["unknown-node", "refused"]
  }),
  dropNode: route({
    method: "POST",
    path: "/api/v1/nodes/{id}/drop",
    summary: "Give a node up at once: its client systems go elsewhere, it must join as new",
    scope: "operate",
    params: node,
    body: z29.strictObject({}).default({}),
    reply: z29.strictObject({ done: z29.boolean(), because: z29.string() }),
    statuses: [202],
    errors: ["unknown-node", "refused"]
  }),
  removeNode: route({
    method: "POST",
    path: "/api/v1/nodes/{id}/remove",
    summary: "Give a node up for good: its key opens no door any more, until the host is admitted again or joins by a newer token",
    scope: "admin",
    params: node,
    body: z29.strictObject({}).default({}),
    reply: z29.strictObject({ done: z29.boolean(), because: z29.string() }),
    statuses: [202],
    errors: ["unknown-node"]
  })
};

// lib/api/admin-onboarding-routes.ts
import * as z30 from "zod";
var adminOnboardingRoutes = {
  createOnboardingToken: route({
    method: "POST",
    path: "/api/v1/onboarding-tokens",
    summary: "Make a token by which so many machines are accepted into a zone at their first knock, with tags and groups. The secret is in this answer only",
    scope: "admin",
    body: z30.strictObject({
      zone: ZoneName.optional(),
      tags: z30.array(Tag).max(64).default([]),
      groups: z30.array(Tag).max(64).default([]),
      uses: z30.int().positive().max(usesMax2).default(1),
      expiresAt: Moment.optional(),
      cidr: Cidr.optional()
    }),
    reply: z30.strictObject({ secret: z30.string(), token: OnboardingTokenView }),
    statuses: [201],
    errors: ["unknown-zone", "invalid"],
    secret: true
  }),
  listOnboardingTokens: route({
    method: "GET",
    path: "/api/v1/onboarding-tokens",
    summary: "Onboarding tokens, those that ended within the last month too",
    scope: "operate",
    query: z30.strictObject(paged),
    reply: listOf2(OnboardingTokenView),
    statuses: [200],
    errors: ["bad-cursor"]
  }),
  revokeOnboardingToken: route({
    method: "POST",
    path: "/api/v1/onboarding-tokens/{id}/revoke",
    summary: "Revoke an onboarding token; the machines that it accepted stay accepted",
    scope: "admin",
    params: z30.strictObject({ id: OnboardingTokenId }),
    body: z30.strictObject({}).default({}),
    reply: OnboardingTokenView,
    statuses: [200],
    errors: ["unknown-token"]
  })
};

// lib/api/admin-system-routes.ts
import * as z31 from "zod";
var system = z31.strictObject({ fp: Fingerprint });
var many = z31.array(Fingerprint).min(1).max(200);
var results3 = z31.strictObject({ results: z31.array(z31.strictObject({ fp: z31.string(), done: z31.boolean(), because: z31.string() })) });
var adminSystemRoutes = {
  listSystems: route({
    method: "GET",
    path: "/api/v1/systems",
    summary: "Client systems by status, zone, node or tag; a page may be short while more follow",
    scope: "read",
    query: z31.strictObject({
      status: z31.enum(["new", "onboarded", "orphan", "deleted"]).optional(),
      zone: ZoneName.optional(),
      node: z31.union([NodeId, Fqdn]).optional(),
      tag: Tag.optional(),
      /** The first hex digits of fingerprints, 8 or more: finds a system by what an administrator has read off a screen. */
      prefix: z31.string().regex(/^[0-9a-f]{8,64}$/, "8 to 64 lower-case hex digits").optional(),
      ...paged
    }),
    reply: listOf2(SystemView),
    statuses: [200],
    errors: ["bad-cursor", "unknown-zone", "unknown-node"]
  }),
  getSystem: route({
    method: "GET",
    path: "/api/v1/systems/{fp}",
    summary: "One client system, by either of its fingerprints",
    scope: "read",
    params: system,
    reply: SystemView,
    statuses: [200],
    errors: ["unknown-system"],
    etag: true
  }),
  editSystem: route({
    method: "PATCH",
    path: "/api/v1/systems/{fp}",
    summary: "Set tags or groups of an accepted client system",
    scope: "operate",
    params: system,
    body: z31.strictObject({ tags: z31.array(Tag).max(64).optional(), groups: z31.array(Tag).max(64).optional() }),
    reply: SystemView,
    statuses: [200],
    errors: ["unknown-system", "version-conflict", "refused"],
    etag: true
  }),
  accept: route({
    method: "POST",
    path: "/api/v1/systems/accept",
    summary: "Accept keys from the onboarding pool into a zone, with tags and groups",
    scope: "operate",
    body: z31.strictObject({
      systems: many,
      zone: ZoneName.optional(),
      tags: z31.array(Tag).max(64).default([]),
      groups: z31.array(Tag).max(64).default([])
    }),
    reply: results3,
    statuses: [200],
    errors: ["unknown-zone"]
  }),
  unregister: route({
    method: "POST",
    path: "/api/v1/systems/unregister",
    summary: "Take client systems off their nodes; their keys stay accepted, and they find a place again",
    scope: "operate",
    body: z31.strictObject({ systems: many }),
    reply: results3,
    statuses: [200],
    errors: []
  }),
  ban: route({
    method: "POST",
    path: "/api/v1/systems/ban",
    summary: "Ban fingerprints, for ever",
    scope: "security",
    body: z31.strictObject({ systems: many }),
    reply: results3,
    statuses: [200],
    errors: []
  })
};

// lib/api/admin-token-key-routes.ts
import * as z32 from "zod";
var TokenKeyView = z32.strictObject({
  id: z32.int(),
  /** `signs`: the newest; `verifies`: the one before, whose tokens still hold. */
  use: z32.enum(["signs", "verifies"]),
  /** Since when it is there; absent for the key that the deployment began with. */
  since: Moment.optional()
});
var adminTokenKeyRoutes = {
  listTokenKeys: route({
    method: "GET",
    path: "/api/v1/token-keys",
    summary: "The keys that sign and verify membership tokens and cursors, the newest first: ids, and since when; never secrets",
    scope: "read",
    reply: z32.strictObject({ items: z32.array(TokenKeyView) }),
    statuses: [200],
    errors: []
  }),
  rotateTokenKeys: route({
    method: "POST",
    path: "/api/v1/token-keys/rotate",
    summary: "Sign with a new key from now on; the one before still verifies, and any older one is retired",
    scope: "security",
    body: z32.strictObject({
      /** Also when tokens of the key that is retired may still be in use: their owners must knock again. */
      force: z32.boolean().default(false)
    }),
    reply: z32.strictObject({
      /** The id of the key that signs from now on. */
      current: z32.int(),
      /** The id of the key that verifies no more. */
      retired: z32.int().optional(),
      because: z32.string()
    }),
    statuses: [200],
    errors: ["refused"]
  })
};

// lib/api/admin-routes.ts
var subjects = z33.enum(["node", "system", "client", "zone"]);
var Settings = z33.strictObject({
  /** The fastest heartbeat, in ms. */
  beatMinMs: z33.int().min(100).max(3e5),
  /** The interval that nodes are told now, before jitter. */
  intervalMs: z33.int(),
  admittedNodes: z33.int(),
  /** Whether the status and orphan calls of client systems are answered without a token that holds. Absent, like the next, in answers of an older Muster. */
  openCalls: z33.boolean().optional(),
  /** How many machines that nobody knows may knock from one network address within an hour; 0 is any number. */
  newKeysPerSource: z33.int().optional()
});
var deadCountedMax = 1e3;
var adminRoutes = {
  ...adminNodeRoutes,
  ...adminAdmissionRoutes,
  ...adminSystemRoutes,
  ...adminOnboardingRoutes,
  ...adminAuditRoutes,
  ...adminDeadLetterRoutes,
  ...adminTokenKeyRoutes,
  ...adminKeyRoutes,
  status: route({
    method: "GET",
    path: "/api/v1/status",
    summary: "The deployment at a glance",
    scope: "read",
    reply: z33.strictObject({
      deployment: z33.string(),
      version: z33.string(),
      now: Moment,
      intervalMs: z33.int(),
      sweptAt: Moment.optional(),
      /** Without those that were given back; 1,000 stands for that many or more. Not for callers who are limited to zones. */
      deadLetters: z33.int().max(deadCountedMax).optional(),
      zones: z33.array(
        z33.strictObject({
          name: ZoneName,
          mode: z33.string(),
          version: z33.int(),
          slots: z33.int(),
          nodes: z33.record(z33.string(), z33.int()),
          systemsAbout: z33.int()
        })
      )
    }),
    statuses: [200],
    errors: []
  }),
  listZones: route({
    method: "GET",
    path: "/api/v1/zones",
    summary: "All zones",
    scope: "read",
    query: z33.strictObject(paged),
    reply: listOf2(ZoneView),
    statuses: [200],
    errors: ["bad-cursor"]
  }),
  getZone: route({
    method: "GET",
    path: "/api/v1/zones/{zone}",
    summary: "A zone and its map in summary",
    scope: "read",
    params: z33.strictObject({ zone: ZoneName }),
    reply: ZoneView,
    statuses: [200],
    errors: ["unknown-zone"]
  }),
  editZone: route({
    method: "PATCH",
    path: "/api/v1/zones/{zone}",
    summary: "Allow or refuse clients that never sign: they take the place of an accepted fingerprint without showing that they hold its key",
    scope: "admin",
    params: z33.strictObject({ zone: ZoneName }),
    body: z33.strictObject({ unsignedClients: z33.boolean().optional() }),
    reply: ZoneView,
    statuses: [200],
    errors: ["unknown-zone"]
  }),
  explain: route({
    method: "GET",
    path: "/api/v1/explain/{kind}/{id}",
    summary: "Why a node, client system or zone is as it is",
    scope: "read",
    params: z33.strictObject({ kind: subjects, id: z33.string().min(1).max(253) }),
    reply: Explanation,
    statuses: [200],
    errors: ["unknown-node", "unknown-system", "unknown-zone"]
  }),
  history: route({
    method: "GET",
    path: "/api/v1/history/{kind}/{id}",
    summary: "What was concluded about it, oldest first; `after` fills holes in a consumer",
    scope: "read",
    params: z33.strictObject({ kind: subjects, id: z33.string().min(1).max(253) }),
    query: z33.strictObject({
      after: z33.coerce.number().int().nonnegative().default(0),
      limit: z33.coerce.number().int().min(1).max(200).default(50)
    }),
    reply: z33.strictObject({ items: z33.array(HistoryView), more: z33.boolean() }),
    statuses: [200],
    errors: ["unknown-node", "unknown-system", "unknown-zone"]
  }),
  getSettings: route({
    method: "GET",
    path: "/api/v1/settings",
    summary: "Settings of the deployment",
    scope: "read",
    reply: Settings,
    statuses: [200],
    errors: [],
    etag: true
  }),
  editSettings: route({
    method: "PATCH",
    path: "/api/v1/settings",
    summary: "Set the fastest heartbeat, whether client systems may ask without a token, and how many new ones may come from one address",
    scope: "admin",
    body: z33.strictObject({
      beatMinMs: z33.int().min(100).max(3e5).optional(),
      openCalls: z33.boolean().optional(),
      newKeysPerSource: z33.int().min(0).max(1e6).optional()
    }),
    reply: Settings,
    statuses: [200],
    errors: ["version-conflict"],
    etag: true
  }),
  openapi: route({
    method: "GET",
    path: "/api/v1/openapi.json",
    summary: "This API as OpenAPI 3.1",
    scope: "read",
    reply: z33.looseObject({ openapi: z33.string() }),
    statuses: [200],
    errors: []
  })
};

// lib/api-keys/decide.ts
function decideApiKey(key, command4, now) {
  if (command4.type === "make") return key ? nothing("there is a key of this id") : kept6(command4.key, `made: ${command4.key.kind}`);
  if (!key) return nothing("there is no key of this id");
  switch (command4.type) {
    case "revoke":
      return key.revokedAt === void 0 ? kept6({ ...key, revokedAt: now }, "revoked") : nothing("it was revoked before");
    case "used":
      return isToBeNoted(key, now) ? kept6({ ...key, lastUsedAt: now }, "used") : nothing("its use was noted within the hour");
    default:
      return unreachable(command4);
  }
}
var isToBeNoted = ({ lastUsedAt }, now) => lastUsedAt === void 0 || now - lastUsedAt >= usedEveryMs;
function planSignIn(link, session, now) {
  if (link.key.kind !== "link" || statusOf3(link.key, now) !== "valid") return { changes: [], because: ["the link is good no more"] };
  const burnt = kept6({ ...link.key, revokedAt: now }, "signed in by it, once");
  const begun2 = decideApiKey(void 0, { type: "make", id: session.id, key: session }, now);
  return {
    changes: [
      { ref: { noun: "api-key", id: link.key.id }, readRev: link.rev, decision: burnt },
      { ref: { noun: "api-key", id: session.id }, readRev: 0, decision: begun2 }
    ],
    because: [burnt.because, begun2.because]
  };
}
var kept6 = (key, because) => write(key, because, { expiresAt: key.kind === "key" ? plusMs(key.expiresAt, shownForMs3) : key.expiresAt });

// lib/identity/scopes.ts
var brings = {
  read: [],
  operate: ["read"],
  admin: ["read", "operate"],
  security: ["read"]
};
var inFull = (rights) => adminScopes.reduce((all, scope) => rights[scope] === void 0 ? all : both(all, rightsOf(brings[scope], rights[scope])), rights);
var covers = (rights, given) => {
  const held = inFull(rights);
  return adminScopes.every((scope) => isWithin(given[scope] ?? [], held[scope] ?? []));
};
var isWithin = (part2, whole) => whole === "all" || part2 !== "all" && part2.every((zone3) => whole.includes(zone3));

// lib/issuer/issuer.ts
var InvalidToken = class extends Error {
  name = "InvalidToken";
};

// lib/doors/verify-admin.ts
var keyMaxAgeMs = 3e3;
var keysMax2 = 1e3;
var verifyAdmin = (request, route2, _params, shell) => callerOf(request, route2, shell);
async function callerOf(request, route2, shell) {
  const { source } = request;
  if (route2.scope === "anyone") return { who: "anyone", source, name: "", rights: {}, zones: [] };
  const known3 = await identified(request, route2, shell);
  const rights = inFull(known3.rights);
  const scope = route2.scope;
  const zones = rights[scope] ?? [];
  if (zones.length === 0) {
    const refusal = lacking(scope, `this call needs the scope ${scope}, which ${known3.name || known3.who} does not have`);
    await attempted(request, route2, refusal.type, refusal.message, shell, known3);
    throw refusal;
  }
  const actor = { who: known3.who, source, request: request.id, ...known3.key !== void 0 && { key: known3.key } };
  const { name, expiresAt } = known3;
  return { who: "admin", source, name, rights, zones, actor, ...expiresAt !== void 0 && { expiresAt } };
}
var lacking = (scope, detail) => new Refusal("insufficient-scope", detail, {
  headers: { "www-authenticate": `Bearer realm="muster", error="insufficient_scope", scope="${scope}"` }
});
var notTaken = (detail) => new Refusal("bearer-invalid", detail, { headers: { "www-authenticate": 'Bearer realm="muster", error="invalid_token"' } });
async function identified(request, route2, shell) {
  const header = request.header("authorization");
  if (header === void 0 || header === "")
    throw new Refusal("sign-in-needed", "this call needs a bearer token: sign in with muster login, or show an API key", {
      headers: { "www-authenticate": 'Bearer realm="muster"' }
    });
  const known3 = await knownBy(/^Bearer +(\S+) *$/i.exec(header)?.[1], shell);
  if (typeof known3 !== "string") return known3;
  await attempted(request, route2, "bearer-invalid", known3, shell);
  throw notTaken(known3);
}
async function knownBy(token3, shell) {
  if (token3 === void 0) return "the header authorization is not of the form Bearer <token>";
  if (token3.split(".").length === 3) return ofIssuer(token3, shell);
  const prefix = token3.startsWith("mak_") ? "mak" : "mst";
  const parts = parseSecret(token3, prefix);
  if (parts === "mistyped") return "the token was mistyped or cut short: its last letters do not belong to it";
  if (parts === "no-secret") return "the token is none that Muster makes";
  if (prefix === "mst" && shell.operatorHash !== void 0 && isSecret(parts.secret, shell.operatorHash)) return operator;
  const key = await keyNow(shell, parts.id);
  const isOurs = key !== void 0 && key.kind === (prefix === "mak" ? "key" : "session") && isSecret(parts.secret, key.hash);
  if (!isOurs || !await isGood(key, shell)) return "the token is not valid: it is wrong, expired or revoked";
  await noteUse(shell, key);
  return { who: key.who, name: key.name, rights: key.rights, key: key.id };
}
var operator = { who: "operator", name: "operator", rights: rightsOf(adminScopes, "all") };
async function ofIssuer(token3, shell) {
  if (!shell.issuer) return "nobody signs in here by a token of an issuer";
  try {
    const { subject, ...known3 } = await shell.issuer.verify(token3);
    return { who: `admin:${subject}`, ...known3 };
  } catch (error) {
    if (error instanceof InvalidToken) return error.message;
    throw error;
  }
}
async function isGood(key, shell) {
  if (statusOf3(key, shell.now()) !== "valid") return false;
  if (key.parent === void 0) return true;
  const parent = await keyNow(shell, key.parent);
  return parent !== void 0 && statusOf3(parent, shell.now()) === "valid";
}
var metBy = (shell) => cached(shell, "api-keys", () => /* @__PURE__ */ new Map());
async function keyNow(shell, id3) {
  const met = metBy(shell);
  const now = shell.now();
  const last = met.get(id3);
  if (last && Math.abs(now - last.readAt) <= keyMaxAgeMs) return last.key;
  const key = stateOf(await shell.table.read(keyOf({ noun: "api-key", id: id3 })), now);
  met.delete(id3);
  if (met.size >= keysMax2) met.clear();
  if (key) met.set(id3, { key, readAt: now });
  return key;
}
var forgetKey = (shell, id3) => void metBy(shell).delete(id3);
async function noteUse(shell, key) {
  if (!isToBeNoted(key, shell.now())) return;
  try {
    const command4 = { type: "used", id: shell.newId() };
    await apply(shell, { noun: "api-key", id: key.id }, command4, decideApiKey);
    forgetKey(shell, key.id);
  } catch (error) {
    shell.log("warn", "key.use-unnoted", { key: key.id, detail: error instanceof Error ? error.message : String(error) });
  }
}
var attempted = (request, route2, type, detail, shell, known3) => recordAttempt(shell, { request, route: route2, type, detail, ...known3 && { who: known3.who, ...known3.key && { key: known3.key } } });

// lib/doors/admin/zones-of-caller.ts
var seesZone = ({ zones }, zone3) => zones === "all" || zone3 !== void 0 && zones.includes(zone3);
var seesPool = ({ rights }) => rights.read === "all" || (rights.operate ?? []).length > 0 || (rights.security ?? []).length > 0;
var seesSystem = (caller, client) => client.standing === "pooled" || client.zone === void 0 ? seesPool(caller) : seesZone(caller, client.zone);
var zonesListed = ({ zones }, asked) => asked !== void 0 ? [asked] : zones === "all" ? [defaultZone] : [...zones].sort();
var isEverywhere = ({ zones }) => zones === "all";
function needsEverywhere(caller, scope) {
  if (!isEverywhere(caller)) throw lacking(scope, `this concerns the whole deployment: it needs the scope ${scope} in all zones`);
}

// lib/doors/admin/found.ts
async function foundNode(shell, idOrName, caller) {
  const id3 = NodeId.safeParse(idOrName).success ? idOrName : await idOfName(shell, idOrName.toLowerCase());
  const row2 = id3 === void 0 ? void 0 : await shell.table.read(keyOf({ noun: "node", id: id3 }));
  const node5 = stateOf(row2, shell.now());
  if (!node5 || !seesZone(caller, node5.zone)) throw new Refusal("unknown-node", `no node is called ${idOrName}`);
  return { node: node5, row: row2 };
}
var idOfName = async (shell, fqdn2) => (await shell.table.read(keyOf({ noun: "fqdn", id: fqdn2 })))?.body?.node;
async function foundZone(shell, name, caller) {
  const zone3 = seesZone(caller, name) ? await zoneOf(shell, name) : void 0;
  if (!zone3) throw new Refusal("unknown-zone", `no zone is called ${name}`);
  return zone3;
}
async function refuseUnknown(shell, name, caller) {
  if (name !== defaultZone || !seesZone(caller, name)) await foundZone(shell, name, caller);
}

// lib/doors/admin/admission-zone.ts
async function admissionZone(shell, given, caller) {
  const zone3 = given ?? defaultZone;
  if (zone3 === defaultZone) await ensureDefaultZone(shell);
  await foundZone(shell, zone3, caller);
  return zone3;
}

// lib/doors/admin/admission-rules.ts
async function listAdmissionRules({ caller }, shell) {
  needsEverywhere(caller, "read");
  const row2 = stateOf(await shell.table.read(keyOf(rulesRef)), shell.now());
  return { status: 200, body: row2 ?? { rules: [] } };
}
async function addAdmissionRule({ body, request, caller }, shell) {
  needsEverywhere(caller, "admin");
  const rule2 = { ...body, zone: await admissionZone(shell, body.zone, caller) };
  const { decision, state } = await command(shell, request.id, { type: "add", rule: rule2 });
  if (decision.does === "nothing") throw new Refusal("refused", decision.because);
  return { status: 200, body: state };
}
async function deleteAdmissionRule({ params, request, caller }, shell) {
  needsEverywhere(caller, "admin");
  const { decision, state } = await command(shell, request.id, { type: "delete", name: params.name });
  if (decision.does === "nothing") throw new Refusal("unknown-rule", `no admission rule is called ${params.name}`);
  return { status: 200, body: state };
}
var command = (shell, id3, one4) => apply(shell, rulesRef, { ...one4, id: id3 }, decideRules);

// lib/api-keys/view.ts
var iso3 = (at3) => new Date(at3).toISOString();
var shown = (rights) => Object.fromEntries(Object.entries(rights).map(([scope, reach3]) => [scope, reach3 === "all" ? reach3 : [...reach3]]));
function apiKeyView(key, now) {
  const { id: id3, kind, name, rights, createdAt, createdBy, expiresAt, lastUsedAt, revokedAt } = key;
  return {
    ...{ id: id3, kind, status: statusOf3(key, now), name, rights: shown(rights) },
    ...{ createdAt: iso3(createdAt), createdBy, expiresAt: iso3(expiresAt) },
    ...lastUsedAt !== void 0 && { lastUsedAt: iso3(lastUsedAt) },
    ...revokedAt !== void 0 && { revokedAt: iso3(revokedAt) }
  };
}

// lib/identity/cursor.ts
import { createCipheriv, createHash as createHash6, createHmac, timingSafeEqual as timingSafeEqual3 } from "node:crypto";
var macBytes2 = 12;
var blockBytes2 = 16;
function mintCursor(position, query, key) {
  const body = Buffer.from(position, "utf8");
  const tag = mac2(body, query, key);
  return Buffer.concat([Buffer.from([key.id]), tag, sealed(body, tag, key)]).toString("base64url");
}
var cursorKeyId = (text2) => {
  const bytes = Buffer.from(text2, "base64url");
  return bytes.length > macBytes2 + 1 && bytes.toString("base64url") === text2 ? bytes[0] : void 0;
};
function readCursor(text2, query, key) {
  const bytes = Buffer.from(text2, "base64url");
  if (cursorKeyId(text2) !== key.id) return void 0;
  const tag = bytes.subarray(1, 1 + macBytes2);
  const body = sealed(bytes.subarray(1 + macBytes2), tag, key);
  return timingSafeEqual3(tag, mac2(body, query, key)) ? body.toString("utf8") : void 0;
}
function sealed(body, tag, key) {
  const secret2 = createHmac("sha256", key.secret).update("cursor cipher\0").digest();
  const cipher = createCipheriv("aes-256-ctr", secret2, Buffer.concat([tag, Buffer.alloc(blockBytes2 - macBytes2)]));
  return Buffer.concat([cipher.update(body), cipher.final()]);
}
var mac2 = (body, query, key) => createHmac("sha256", key.secret).update("cursor\0").update(createHash6("sha256").update(query).digest()).update(body).digest().subarray(0, macBytes2);

// lib/doors/admin/cursors.ts
async function positionOf(shell, cursor, query) {
  if (cursor === void 0) return void 0;
  const keyId = cursorKeyId(cursor);
  const key = keyId === void 0 ? void 0 : await shell.keys.byId(keyId);
  const position = key && readCursor(cursor, query, key);
  if (position === void 0)
    throw new Refusal("bad-cursor", "the cursor is not one of ours, or belongs to another query", {
      errors: [{ pointer: "/cursor", detail: "not valid here" }]
    });
  return position;
}
var parted = (position) => {
  const slash = position.indexOf("/");
  return [Number(position.slice(0, slash)), position.slice(slash + 1) || void 0];
};
var positionAt = (list, after) => `${list}/${after ?? ""}`;
var cursorAt = async (shell, position, query) => mintCursor(position, query, await shell.keys.current());

// lib/doors/admin/api-keys.ts
var refOf2 = (id3) => ({ noun: "api-key", id: id3 });
var iso4 = (at3) => new Date(at3).toISOString();
async function createKey({ body, request, caller }, shell) {
  needsEverywhere(caller, "security");
  const { name, scopes: scopes2, zones = "all" } = body;
  const rights = rightsOf(scopes2, zones);
  if (!covers(caller.rights, rights)) {
    const wanted = scopes2.find((scope) => !covers(caller.rights, rightsOf([scope], zones)));
    throw lacking(wanted, `nobody gives what he does not have: ${caller.name} lacks the scope ${wanted} there`);
  }
  await ownDoor(shell, caller, "API keys, which would outlive it");
  const minted2 = mintSecret("mak", shell.randomBytes);
  const key = keyOfSecret(minted2, { kind: "key", name, rights, who: `key:${minted2.id}`, ...lifeOf(body, shell.now()) }, caller);
  const made = await order(shell, key.id, { type: "make", id: request.id, key });
  return { status: 201, body: { secret: minted2.text, key: apiKeyView(made ?? key, shell.now()) } };
}
function lifeOf({ expires, expiresInDays = keyDays.usual }, now) {
  const expiresAt = expires === void 0 ? plusMs(now, expiresInDays * dayMs) : Date.parse(expires);
  if (expiresAt > now && expiresAt <= now + keyDays.max * dayMs) return { createdAt: now, expiresAt };
  const detail = `a key ends within ${keyDays.max} days, and not before now`;
  throw new Refusal("invalid", `/expires: ${detail}`, { errors: [{ pointer: "/expires", detail }] });
}
async function listKeys({ query, caller }, shell) {
  needsEverywhere(caller, "security");
  const after = await positionOf(shell, query.cursor, "keys");
  const page = await shell.table.queryIndex({
    index: "list",
    pk: apiKeyList,
    limit: query.limit,
    ...after !== void 0 && { after }
  });
  const rows = await readAll(
    shell,
    page.items.map(({ key }) => key)
  );
  const now = shell.now();
  const items = rows.flatMap((row2) => {
    const key = stateOf(row2, now);
    return key ? [apiKeyView(key, now)] : [];
  });
  return { status: 200, body: { items, ...page.next !== void 0 && { next: await cursorAt(shell, page.next, "keys") } } };
}
async function revokeKey2({ params, request, caller }, shell) {
  needsEverywhere(caller, "security");
  const key = await order(shell, params.id, { type: "revoke", id: request.id });
  if (!key) throw new Refusal("unknown-key", `no key has the id ${params.id}, or it ended long ago`);
  return { status: 200, body: apiKeyView(key, shell.now()) };
}
async function signOut({ request, caller }, shell) {
  const { who, key: id3 } = caller.actor;
  if (id3 === void 0)
    throw new Refusal(
      "refused",
      who === "operator" ? "this is no session: the operator's secret ends when its host stops" : "this is no session of Muster: the sign-in at the issuer ends there, and this token by itself"
    );
  const own = stateOf(await shell.table.read(keyOf(refOf2(id3))), shell.now());
  if (own?.kind === "key") throw new Refusal("refused", `this is no session: an API key ends by muster key revoke ${id3}`);
  const ended = own && await order(shell, id3, { type: "revoke", id: request.id });
  if (!ended) throw notTaken("the session has ended already");
  return { status: 200, body: apiKeyView(ended, shell.now()) };
}
async function createSignInLink({ request, caller }, shell) {
  const by = await ownDoor(shell, caller, "links");
  const now = shell.now();
  const { name, rights, expiresAt: until } = caller;
  if (until !== void 0 && until - now < linkLeftMs)
    throw new Refusal("refused", "the token of this call ends within a minute, and what a link lets in with it: renew it first");
  const minted2 = mintSecret("msl", shell.randomBytes);
  const life = { createdAt: now, expiresAt: Math.min(plusMs(now, linkForMs), until ?? Number.POSITIVE_INFINITY) };
  const ends = { ...by && { parent: by.id }, ...until !== void 0 && { until } };
  const of = { kind: "link", name, rights, who: caller.actor.who, ...life, ...ends };
  await order(shell, minted2.id, { type: "make", id: request.id, key: keyOfSecret(minted2, of, caller) });
  return { status: 201, body: { link: `${originOf(request)}/sign-in#${minted2.text}`, expires: iso4(life.expiresAt) } };
}
async function ownDoor(shell, { actor }, what) {
  const by = actor?.key === void 0 ? void 0 : stateOf(await shell.table.read(keyOf(refOf2(actor.key))), shell.now());
  if (by?.parent || by?.until !== void 0)
    throw new Refusal("refused", `a session that began by the link of another makes no ${what}: sign in yourself`);
  return by;
}
function originOf(request) {
  const host2 = request.header("host") ?? "localhost";
  const isLoopback = /^(127(\.\d{1,3}){3}|localhost|\[::1\])(:\d+)?$/i.test(host2);
  const told3 = request.header("x-forwarded-proto");
  const scheme = told3 === "http" || told3 === "https" ? told3 : isLoopback ? "http" : "https";
  return `${scheme}://${host2}`;
}
async function signIn({ body, request, caller }, shell) {
  const minted2 = mintSecret("mst", shell.randomBytes);
  const session = await begun(shell, body.secret, minted2, request);
  if (typeof session !== "string")
    return { status: 201, body: { token: minted2.text, expires: iso4(session.expiresAt), name: session.name } };
  const route2 = { scope: "anyone", method: request.method, path: request.path };
  await attempted({ id: request.id, source: caller.source }, route2, "bearer-invalid", session, shell);
  throw notTaken(session);
}
async function begun(shell, secret2, minted2, { id: id3, source }) {
  const parts = parseSecret(secret2, "msl");
  if (parts === "mistyped") return "the secret was mistyped or cut short: its last letters do not belong to it";
  const gone2 = "the link is not valid: it is wrong, used or older than 10 min";
  if (parts === "no-secret") return gone2;
  const row2 = await shell.table.read(keyOf(refOf2(parts.id)));
  const link = stateOf(row2, shell.now());
  if (!link || !isSecret(parts.secret, link.hash)) return gone2;
  const parent = link.parent && stateOf(await shell.table.read(keyOf(refOf2(link.parent))), shell.now());
  if (link.parent && (!parent || statusOf3(parent, shell.now()) !== "valid")) return gone2;
  const now = shell.now();
  const session = {
    ...{ ...link, id: minted2.id, hash: minted2.hash, kind: "session", createdAt: now },
    expiresAt: Math.min(plusMs(now, sessionForMs), ...[parent?.expiresAt, link.until].filter((end) => end !== void 0))
  };
  const actor = { who: link.who, key: link.id, source, request: id3 };
  const plan2 = await applyPlan({ ...shell, actor }, { id: minted2.id }, async (reading) => {
    const now2 = await reading.row(refOf2(parts.id));
    const key = stateOf(now2, shell.now());
    return key ? planSignIn({ key, rev: now2.rev }, session, shell.now()) : { changes: [], because: [gone2] };
  });
  return plan2.changes.length === 0 ? gone2 : session;
}
function waysToSignIn(_call, shell) {
  const { issuer, clientId, scopes: scopes2 } = shell.issuer?.public ?? {};
  return { status: 200, body: shell.issuer ? { methods: ["oidc", "link"], issuer, clientId, scopes: scopes2 } : { methods: ["link"] } };
}
var whoAmI = ({ caller }) => {
  const { actor, name, rights } = caller;
  return {
    status: 200,
    body: { who: actor.who, name, rights: Object.fromEntries(scopesOf(rights).map((scope) => [scope, rights[scope]])) }
  };
};
var keyOfSecret = ({ id: id3, hash: hash2 }, given, { actor }) => ({
  id: id3,
  hash: hash2,
  createdBy: actor.who,
  ...given
});
async function order(shell, id3, command4) {
  const { state } = await apply(shell, refOf2(id3), command4, decideApiKey);
  forgetKey(shell, id3);
  return state;
}

// lib/audit/chain.ts
import { createHash as createHash7 } from "node:crypto";
import * as z34 from "zod";
var noZone = "-";
var Hash = z34.string().regex(/^[0-9a-f]{64}$/);
var Count = z34.int().positive();
var Name = z34.string().min(1);
var Day = z34.iso.date();
var Changed = z34.strictObject({ noun: Name, id: z34.string(), row: Name, rev: Count });
var AuditEntry = z34.strictObject({
  /** Counts the entries of a chain from 1. */
  n: Count,
  /** When it was committed. */
  at: EpochMs,
  /** The zone that it is about, or {@link noZone}. */
  zone: Name,
  who: Name,
  /** The id of the key or token that was shown. */
  key: z34.string().optional(),
  source: z34.string(),
  request: z34.string(),
  did: z34.enum(["began", "changed", "ended", "tried"]),
  what: Changed,
  because: z34.string(),
  /** Names of the fields that changed. */
  fields: z34.array(z34.string()).optional(),
  /** What was concluded, by type; numbered from `first` on in the history of what changed. */
  events: z34.strictObject({ first: Count, types: z34.array(z34.string()) }).optional(),
  /** Of an attempt that was refused: what was called, what was answered, and what it was about. */
  refused: z34.strictObject({ route: z34.string(), type: z34.string(), subject: z34.string().optional() }).optional()
});
var AuditLink = z34.strictObject({ entry: AuditEntry, previous: Hash, hash: Hash });
var AuditHead = z34.strictObject({
  zone: Name,
  day: Day,
  n: Count,
  hash: Hash,
  follows: z34.strictObject({ day: Day, n: Count, hash: Hash }).optional()
});
var AuditMark = z34.strictObject({ zone: Name, day: Day, n: Count, hash: Hash });
var auditForDays = 400;
var dayOf = (at3) => new Date(at3).toISOString().slice(0, 10);
var keptSince = (now) => dayOf(plusMs(now, -auditForDays * dayMs));
var endOfChain = (day) => plusMs(Date.parse(`${day}T00:00:00Z`), (1 + auditForDays) * dayMs);
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member2]) => member2 !== void 0);
  members.sort(([a], [b]) => a < b ? -1 : 1);
  return `{${members.map(([name, member2]) => `${JSON.stringify(name)}:${canonical(member2)}`).join()}}`;
}
var sha256 = (text2) => createHash7("sha256").update(text2).digest("hex");
var originOf2 = ({ zone: zone3, day, follows }) => sha256(canonical({ zone: zone3, day, follows }));
var hashOf2 = (previous, entry) => sha256(`${previous}
${canonical(entry)}`);
var newHead = (name, follows) => {
  const head = { zone: name.zone, day: name.day, ...follows && { follows } };
  return { ...head, n: 0, hash: originOf2(head) };
};
function extended(head, entry) {
  const numbered2 = { ...entry, n: head.n + 1 };
  const hash2 = hashOf2(head.hash, numbered2);
  return { head: { ...head, n: numbered2.n, hash: hash2 }, link: { entry: numbered2, previous: head.hash, hash: hash2 } };
}

// lib/doors/admin/audit.ts
var isFor = ({ zones }, { zone: zone3 }) => zones === "all" || zones.includes(zone3);
var lookedAtMax = 400;
var chainsMax = 50;
async function listAudit({ query, caller }, shell) {
  const { cursor, limit: limit2, zone: zone3, who } = query;
  const { from = dayOf(plusMs(shell.now(), -6 * dayMs)), to = dayOf(shell.now()) } = query;
  const signature = `audit ${JSON.stringify({ from, to, zone: zone3, who })}`;
  const items = [];
  const unreadable = [];
  const answer = async (next3) => ({
    status: 200,
    body: {
      items,
      ...unreadable.length > 0 && { unreadable },
      ...next3 !== void 0 && { next: await cursorAt(shell, next3, signature) }
    }
  });
  const begin2 = parted2(await positionOf(shell, cursor, signature));
  const chains2 = await chainsFrom(shell, begin2.name, { from, to }, chainsMax);
  let looked = 0;
  let after = begin2.n;
  for (const name of chains2.items) {
    if ((zone3 === void 0 || name.zone === zone3) && isFor(caller, name)) {
      const want = Math.min(limit2 - items.length, lookedAtMax - looked);
      if (want === 0) return answer(positionIn(name, after));
      const page = await entriesOf2(shell, name, after, want);
      looked += page.items.length;
      const views = page.items.map((stored) => viewOf(stored));
      unreadable.push(...page.items.flatMap(({ n }, i) => views[i] ? [] : [{ zone: name.zone, day: name.day, n }]));
      items.push(...views.flatMap((view) => view && isOf2(view, who) ? [view] : []));
      if (page.more) return answer(positionIn(name, page.items.at(-1).n));
    }
    after = 0;
  }
  return answer(chains2.next && positionIn(chains2.next, 0));
}
var positionIn = ({ day, zone: zone3 }, n) => `${day}/${zone3}/${n}`;
function parted2(position) {
  if (position === void 0) return { n: 0 };
  const [day, zone3, n] = position.split("/");
  return { name: { day, zone: zone3 }, n: Number(n) };
}
async function chainsFrom({ table }, name, days2, limit2) {
  const range = listedDays(days2);
  const begin2 = name && auditLists.place(name);
  const page = await table.queryIndex({ index: "list", pk: auditLists.heads, ...range, ...begin2 && { from: begin2 }, limit: limit2 + 1 });
  const found2 = page.items.map(({ key }) => chainOf(key));
  const items = name && (found2[0]?.day !== name.day || found2[0].zone !== name.zone) ? [name, ...found2] : found2;
  return { items: items.slice(0, limit2), ...items.length > limit2 && { next: items[limit2] } };
}
async function entriesOf2(shell, name, after, limit2) {
  const page = await shell.table.query({ pk: auditPartition(name), from: auditSort(after + 1), limit: limit2 });
  const rows = page.items.filter((row2) => stateOf(row2, shell.now()) !== void 0);
  return { items: rows.map(({ key, rev, body }) => ({ n: Number(key.sk), rev, body })), more: page.next !== void 0 && rows.length > 0 };
}
var isOf2 = (view, who) => who === void 0 || view.who === who;
function viewOf({ body }) {
  const { data } = AuditLink.safeParse(body);
  if (!data) return void 0;
  const { entry, previous, hash: hash2 } = data;
  return { ...entry, at: new Date(entry.at).toISOString(), previous, hash: hash2 };
}

// lib/audit/verify.ts
function followOn(chain, from, stored) {
  const faults = [];
  const links = [];
  let { n, hash: hash2 } = from;
  for (const row2 of stored) {
    const tell = (what) => void faults.push({ ...chain, n: row2.n, what });
    if (row2.n !== n + 1) {
      faults.push({ ...chain, n: n + 1, what: `${missing(n + 1, row2.n - 1)} missing` });
      hash2 = void 0;
    }
    n = row2.n;
    const read = AuditLink.safeParse(row2.body);
    if (!read.success) {
      tell(`cannot be read: /${read.error.issues[0]?.path.join("/")} ${read.error.issues[0]?.message}`);
      hash2 = void 0;
      continue;
    }
    const link = read.data;
    for (const what of wrongIn(chain, row2, link)) tell(what);
    if (hash2 !== void 0 && link.previous !== hash2) tell("does not follow the entry before it");
    hash2 = link.hash;
    links.push(link);
  }
  return { followed: { n, hash: hash2 }, links, faults };
}
var missing = (from, to) => from === to ? "is" : `and up to ${to} are`;
function wrongIn({ zone: zone3, day }, { n, rev }, { entry, previous, hash: hash2 }) {
  return [
    ...entry.n === n ? [] : [`says that it is number ${entry.n}`],
    ...entry.zone === zone3 && dayOf(entry.at) === day ? [] : [`belongs to the chain of ${entry.zone} of ${dayOf(entry.at)}`],
    ...hashOf2(previous, entry) === hash2 ? [] : ["was changed: its hash is another"],
    ...rev === 1 ? [] : [`was written ${rev} times`]
  ];
}
var beginningOf = (head) => ({ n: 0, hash: head && originOf2(head) });
function headIn(chain, body) {
  const read = AuditHead.safeParse(body);
  return read.success && read.data.zone === chain.zone && read.data.day === chain.day ? read.data : void 0;
}
function faultsOfEnd(chain, head, { n, hash: hash2 }) {
  if (!head) return [{ ...chain, n, what: "the head of the chain is gone, or cannot be read" }];
  if (head.n > n) return [{ ...chain, n: n + 1, what: `${missing(n + 1, head.n)} missing at the end` }];
  if (head.n < n) return [{ ...chain, n: head.n + 1, what: "stands behind the end of the chain" }];
  return hash2 === void 0 || head.hash === hash2 ? [] : [{ ...chain, n, what: "is not the entry that the head of the chain names" }];
}
function faultOfPlace(chain, { n, hash: hash2 }, body, speaker) {
  const link = AuditLink.safeParse(body);
  if (body === void 0) return { ...chain, n, what: `is missing, and ${speaker} speaks of it` };
  return link.success && link.data.hash === hash2 ? void 0 : { ...chain, n, what: `is not the entry that ${speaker} speaks of` };
}
function faultOfMark(chain, { entry, hash: hash2 }, body) {
  const at3 = { ...chain, n: entry.n };
  const read = AuditMark.safeParse(body);
  const { noun, id: id3 } = entry.what;
  if (!read.success) return { ...at3, what: `nothing beside ${noun} ${id3} speaks of it` };
  const mark = read.data;
  const isThis = mark.zone === chain.zone && mark.day === chain.day && mark.n === entry.n && mark.hash === hash2;
  return isThis ? void 0 : { ...at3, what: `what stands beside ${noun} ${id3} speaks of another entry` };
}
function faultsOfHistory(chain, { entry }, histories) {
  const { at: at3, who, because, what, n } = entry;
  return typesOf(entry).flatMap(({ seq, type }, i) => {
    const told3 = histories[i];
    if (!told3 || told3.seq === seq && told3.type === type && told3.at === at3 && told3.who === who && isCutFrom(told3.because, because))
      return [];
    return [{ ...chain, n, what: `the history of ${what.noun} ${what.id} tells event ${seq} otherwise` }];
  });
}
var isCutFrom = (whole, kept8) => whole === kept8 || kept8.endsWith("\u2026") && whole.startsWith(kept8.slice(0, -1));
var typesOf = ({ events: events2 }) => (events2?.types ?? []).map((type, i) => ({ seq: events2.first + i, type }));

// lib/doors/admin/audit-verify.ts
var entriesMax = 200;
var chainsMax2 = 50;
async function verifyAudit({ query, caller }, shell) {
  const since = keptSince(shell.now());
  const days2 = { from: later(query.from ?? since, since), to: query.to ?? dayOf(shell.now()) };
  const signature = `verify audit ${JSON.stringify(days2)}`;
  const cursor = await positionOf(shell, query.cursor, signature);
  const position = cursor === void 0 ? { at: "chains", n: 0, hash: void 0 } : JSON.parse(cursor);
  const part2 = await (position.at === "chains" ? chains(shell, caller, days2, position) : marks(shell, caller, days2, position));
  const { entries, days: ended, faults, next: next3 } = part2;
  const more = next3 && { next: await cursorAt(shell, JSON.stringify(next3), signature) };
  return { status: 200, body: { ok: faults.length === 0, entries, days: ended, faults, keptSince: since, ...more } };
}
var later = (a, b) => a > b ? a : b;
async function chains(shell, caller, days2, from) {
  const part2 = { entries: 0, days: 0, faults: [] };
  const found2 = await chainsFrom(shell, from.name, days2, chainsMax2);
  let at3 = from.n > 0 ? from : void 0;
  for (const name of found2.items) {
    if (isFor(caller, name)) {
      const left = entriesMax - part2.entries;
      const to = left > 0 ? await followChain(shell, name, at3, part2) : at3 ?? { n: 0, hash: void 0 };
      if (to) return { ...part2, next: { at: "chains", name, ...to } };
      part2.days += 1;
    }
    at3 = void 0;
  }
  return { ...part2, next: found2.next ? { at: "chains", name: found2.next, n: 0, hash: void 0 } : { at: "marks", day: days2.from } };
}
async function followChain(shell, name, from, part2) {
  let at3 = from;
  for (; ; ) {
    const head = await headOf(shell, name);
    if (!at3) {
      part2.faults.push(...await faultsOfLast(shell, name, head));
      at3 = beginningOf(head);
    }
    const { items, more } = await entriesOf2(shell, name, at3.n, entriesMax - part2.entries);
    const page = followOn(name, at3, items);
    at3 = page.followed;
    part2.entries += items.length;
    part2.faults.push(...page.faults, ...await faultsBeside(shell, name, page.links));
    if (more || part2.entries >= entriesMax) return at3;
    if (head && at3.n > head.n && items.length > 0) continue;
    part2.faults.push(...faultsOfEnd(name, head, at3));
    return void 0;
  }
}
var bodyAt = async (shell, ref) => stateOf(await shell.table.read(keyOf(ref)), shell.now());
var headOf = async (shell, name) => headIn(name, await bodyAt(shell, { noun: "audit-head", id: `${name.zone}/${name.day}` }));
var bodiesAt = async (shell, keys) => (await readAll(shell, keys)).map((row2) => stateOf(row2, shell.now()));
async function faultsOfLast(shell, { zone: zone3 }, head) {
  const { follows } = head ?? {};
  if (!follows || follows.day < keptSince(shell.now())) return [];
  const name = { zone: zone3, day: follows.day };
  const entry = await bodyAt(shell, { noun: "audit", id: auditId(name, follows.n) });
  return [faultOfPlace(name, follows, entry, `the chain of ${head.day}`) ?? []].flat();
}
async function faultsBeside(shell, name, links) {
  const marked = links.map(({ entry }) => keyOf({ noun: "audited", id: markId(entry.what, entry.at) }));
  const events2 = links.map(
    ({ entry }) => typesOf(entry).map(({ seq }) => keyOf({ noun: "history", id: `${entry.what.noun}:${entry.what.id}/${seq}` }))
  );
  const [marks2, histories] = await Promise.all([bodiesAt(shell, marked), bodiesAt(shell, events2.flat())]);
  const told3 = events2.map((keys) => histories.splice(0, keys.length));
  return links.flatMap((link, i) => [faultOfMark(name, link, marks2[i]) ?? [], faultsOfHistory(name, link, told3[i])].flat());
}
async function marks(shell, caller, days2, from) {
  const part2 = { entries: 0, days: 0, faults: [] };
  let { day, after } = from;
  for (let looked = 0; looked < chainsMax2; looked++) {
    const page = await shell.table.queryIndex({
      index: "list",
      pk: auditLists.marks(day),
      limit: entriesMax,
      ...after !== void 0 && { after }
    });
    part2.faults.push(
      ...await faultsOfMarks(
        shell,
        caller,
        page.items.map(({ key }) => key)
      )
    );
    after = page.next;
    if (after === void 0) {
      if (day >= days2.to) return part2;
      day = dayOf(plusMs(Date.parse(`${day}T00:00:00Z`), dayMs));
    }
    if (page.items.length > 0) break;
  }
  return { ...part2, next: { at: "marks", day, ...after !== void 0 && { after } } };
}
async function faultsOfMarks(shell, caller, keys) {
  const read = (await bodiesAt(shell, keys)).map((body) => AuditMark.safeParse(body));
  const known3 = read.flatMap(({ data }) => data && isFor(caller, data) ? [data] : []);
  const entries = await bodiesAt(
    shell,
    known3.map((mark) => keyOf({ noun: "audit", id: auditId(mark, mark.n) }))
  );
  const faults = known3.flatMap((mark, i) => faultOfPlace(chainName(mark), mark, entries[i], "what changed") ?? []);
  const heads = new Map(known3.map((mark) => [`${mark.zone}/${mark.day}`, chainName(mark)]));
  for (const name of heads.values())
    if (!await headOf(shell, name)) faults.push(...faultsOfEnd(name, void 0, { n: 0, hash: void 0 }));
  return faults;
}
var chainName = ({ zone: zone3, day }) => ({ zone: zone3, day });

// lib/doors/admin/dead-letters.ts
import { Later as Later7 } from "../../lib/errors.ts";

// lib/runtime/dead.ts
async function putAside(shell, what, code, reason2) {
  const { letter: known3, ...message } = what;
  const { id: letter3, attempt } = known3 ?? { id: what.id, attempt: 0 };
  const death = { type: "death", ...message, letter: letter3, attempt, code, reason: reason2 };
  const { state } = await apply(shell, letterRef(letter3), death, decideLetter);
  shell.log("warn", "report.dead", { id: letter3, queue: what.queue, reason: code, detail: shortened(reason2), deaths: state?.deaths });
}
async function readLetter(shell, id3) {
  const stored = stateOf(await shell.table.read(keyOf(letterRef(id3))), shell.now());
  return stored && upToDate(stored);
}
var letterRef = (id3) => ({ noun: "dead", id: id3 });

// lib/runtime/redrive.ts
import { MusterError as MusterError4 } from "../../lib/errors.ts";

// lib/runtime/on-feed.ts
import { Conflict as Conflict6, Later as Later6, MusterError as MusterError3 } from "../../lib/errors.ts";

// lib/runtime/audit.ts
var appendedMax = Math.floor((changesMax - 1) / 2);
async function keepAudit(shell, images) {
  const chains2 = /* @__PURE__ */ new Map();
  for (const { row: row2 } of images) {
    if (!row2.actor || !isAudited(row2.actor)) continue;
    const name = { zone: zoneOf2(row2), day: dayOf(row2.at) };
    const chain = chains2.get(`${name.zone}/${name.day}`) ?? { name, rows: [] };
    chain.rows.push(row2);
    chains2.set(`${name.zone}/${name.day}`, chain);
  }
  for (const { name, rows } of chains2.values())
    for (let at3 = 0; at3 < rows.length; at3 += appendedMax) await append(shell, name, rows.slice(at3, at3 + appendedMax));
}
function zoneOf2({ key, body }) {
  const { noun, id: id3 } = subjectOf(key);
  const zone3 = ZoneName.safeParse(noun === "zone" ? id3 : body?.zone);
  return zone3.success ? zone3.data : noZone;
}
async function append(shell, name, rows) {
  const headRef = { noun: "audit-head", id: `${name.zone}/${name.day}` };
  await applyPlan(shell, { id: shell.newId() }, async (reading) => {
    const marks2 = new Map(rows.map((row2) => [markId(whatOf(row2), row2.at), row2]));
    const [headRow, ...marked] = await reading.rows([headRef, ...[...marks2.keys()].map(markRef)]);
    const fresh = [...marks2].filter((_, i) => marked[i] === void 0);
    if (fresh.length === 0) return { changes: [], because: ["the audit has it already"] };
    let head = stateOf(headRow, shell.now()) ?? newHead(name, await endedBefore(shell, name));
    const changes = fresh.flatMap(([mark, row2]) => {
      const { head: next3, link } = extended(head, entryOf(row2, name.zone));
      head = next3;
      return linked(link, name, mark);
    });
    const because = `${head.n} entries`;
    return { changes: [{ ref: headRef, readRev: headRow?.rev ?? 0, decision: kept7(head, because) }, ...changes], because: [because] };
  });
}
var markRef = (id3) => ({ noun: "audited", id: id3 });
function linked(link, name, mark) {
  const { n, because } = link.entry;
  const place2 = { ...name, n, hash: link.hash };
  return [
    { ref: { noun: "audit", id: auditId(name, n) }, readRev: 0, decision: kept7(link, because, name.day) },
    { ref: markRef(mark), readRev: 0, decision: kept7(place2, because) }
  ];
}
var kept7 = (body, because, day = body.day) => write(body, because, { expiresAt: endOfChain(day) });
async function endedBefore({ table }, { zone: zone3, day }) {
  const page = await table.query({ pk: auditHeads(zone3), to: day, after: day, descending: true, limit: 1 });
  const before = page.items[0]?.body;
  return before && { day: before.day, n: before.n, hash: before.hash };
}
var whatOf = ({ key, rev }) => ({ ...subjectOf(key), row: key.sk, rev });
function entryOf(row2, zone3) {
  const { at: at3, actor, because, changed: changed2, events: events2 } = row2;
  const what = whatOf(row2);
  return {
    at: at3,
    zone: zone3,
    ...actor,
    did: what.noun === "attempt" ? "tried" : row2.gone ? "ended" : changed2 ? "changed" : "began",
    what,
    because: shortened(because),
    ...changed2 && changed2.length > 0 && { fields: [...changed2] },
    ...events2.length > 0 && { events: { first: events2[0].seq, types: events2.map(({ type }) => type) } },
    ...what.noun === "attempt" && { refused: row2.body }
  };
}

// lib/runtime/on-feed.ts
var onFeed = () => ({
  on: "feed",
  handle: async (images, shell) => {
    try {
      await goOut(images, shell);
    } catch (error) {
      if (!isPoison(error)) throw error;
      for (const image of images) await goOutOrAside(image, shell);
    }
    await keepAudit(shell, images);
  }
});
async function goOut(images, shell) {
  await shell.bus.publish(images.flatMap((image) => envelopesOf(image, shell.settings.deployment)));
  await Promise.all(images.map((image) => keepHistory(shell, image)));
  for (const { row: row2 } of images)
    if (row2.events.length > 0) shell.log("info", "feed.published", { row: row2.key.pk, events: row2.events.length });
}
async function goOutOrAside(image, shell) {
  try {
    await goOut([image], shell);
  } catch (error) {
    if (!isPoison(error)) throw error;
    const { key, at: at3, by, because, actor, events: events2, rev } = image.row;
    const body = JSON.stringify({ key, at: at3, by, because, ...actor && { actor }, events: events2 });
    const id3 = letterIdOf(key, rev);
    await putAside(shell, { id: id3, queue: "feed", via: "feed", body, sentAt: at3, receives: 1 }, error.code, error.message);
  }
}
var letterIdOf = ({ pk, sk }, rev) => `${pk}#${sk}@${rev}`.replaceAll("%", "=");
var isPoison = (error) => error instanceof MusterError3 && error.retry === "never";
function envelopesOf({ row: row2 }, deployment) {
  const { noun, id: id3 } = ownerOf(row2.key);
  return row2.events.map((event) => ({
    specversion: "1.0",
    id: `${noun}/${id3}#${event.seq}`,
    source: `muster/${deployment}`,
    type: event.type,
    subject: `${noun}/${id3}`,
    time: new Date(row2.at).toISOString(),
    dataschema: `muster:${event.type}:${event.version}`,
    datacontenttype: "application/json",
    eventseq: event.seq,
    data: event.data
  }));
}
async function keepHistory(shell, { row: row2 }) {
  const { noun, id: id3 } = ownerOf(row2.key);
  for (const { seq, type, version, data } of row2.events) {
    const ref = { noun: "history", id: `${noun}:${id3}/${seq}` };
    const { at: at3, because, by, actor } = row2;
    const entry = { seq, type, version, at: at3, because, by, ...actor && { who: actor.who }, data };
    const put = contentOf(ref, void 0, write(entry, because, { expiresAt: plusMs(at3, historyForMs) }), {
      by,
      at: at3,
      exact: true
    });
    try {
      await shell.table.commit([{ put, readRev: 0 }]);
    } catch (error) {
      if (!(error instanceof Conflict6)) throw error;
      if (!await shell.table.read(put.key)) throw new Later6("row.busy", `history of ${noun} ${id3}: ${error.message}`, { cause: error });
    }
  }
}

// lib/runtime/redrive.ts
async function redrive(shell, id3, { by, again }) {
  const letter3 = await readLetter(shell, id3);
  const order2 = redriveOf(letter3, again);
  if (!("attempt" in order2)) return order2;
  const { attempt } = order2;
  const refused = await giveBack(shell, letter3, attempt, by);
  if (refused) return { done: false, because: refused };
  const { decision } = await apply(shell, letterRef(id3), { type: "redriven", id: by, attempt }, decideLetter);
  shell.log("info", "dead.redriven", { id: id3, queue: letter3.queue, attempt, by, because: decision.because });
  return { done: true, because: decision.does === "nothing" ? decision.because : givenBack(letter3, attempt) };
}
var givenBack = ({ queue }, attempt) => queue === "feed" ? `its events went out, attempt ${attempt}` : `given back to the queue ${queue}, attempt ${attempt}`;
async function giveBack(shell, letter3, attempt, by) {
  const { id: id3, queue, via, message, sentAt } = letter3;
  try {
    if (queue === "feed" || via === "feed") await goOut([{ row: JSON.parse(message) }], shell);
    else await shell.queue.send(queue, message, { letter: { id: id3, attempt, via, sentAt } });
    return void 0;
  } catch (error) {
    if (!(error instanceof MusterError4) || error.retry === "later") throw error;
    const died = { id: by, queue, via, body: message, sentAt, receives: 1, letter: { id: id3, attempt } };
    await putAside(shell, died, error.code, error.message);
    return `it cannot be given back: ${error.message}`;
  }
}
async function drop(shell, id3, by) {
  const { decision, state } = await apply(shell, letterRef(id3), { type: "drop", id: by }, decideLetter);
  if (decision.does === "nothing") return { done: state !== void 0, because: decision.because };
  shell.log("info", "dead.dropped", { id: id3, by });
  return { done: true, because: decision.because };
}

// lib/doors/admin/dead-letters.ts
async function listDeadLetters({ query, caller }, shell) {
  needsEverywhere(caller, "read");
  const { cursor, limit: limit2, status: status2, ...filters } = query;
  const statuses = status2 === void 0 ? ["dead", "redriven"] : [status2];
  const signature = `dead letters ${JSON.stringify({ status: status2, ...filters })}`;
  const { letters: letters2, next: next3 } = await pageOf(shell, { statuses, ...filters }, { cursor, limit: limit2, signature });
  return { status: 200, body: { items: letters2.map(viewOf2), ...next3 !== void 0 && { next: next3 } } };
}
async function getDeadLetter({ params: { id: id3 }, caller }, shell) {
  needsEverywhere(caller, "read");
  const letter3 = await readLetter(shell, id3);
  if (!letter3) throw new Refusal("unknown-dead-letter", `no dead letter has the id ${id3}, or it has expired`);
  if (letter3.status === "dropped") throw new Refusal("unknown-dead-letter", `${id3} was dropped at ${moment(letter3.dropped.at)}`);
  return { status: 200, body: { ...viewOf2(letter3), message: letter3.message } };
}
async function redriveDeadLetters({ body, request, caller }, shell) {
  needsEverywhere(caller, "operate");
  const { again, ...chosen2 } = body;
  const statuses = again ? ["dead", "redriven"] : ["dead"];
  return ordered2(
    shell,
    { ...chosen2, statuses, once: true, signature: `redrive ${again}` },
    request.id,
    (id3) => redrive(shell, id3, { by: request.id, again })
  );
}
async function dropDeadLetters({ body, request, caller }, shell) {
  needsEverywhere(caller, "operate");
  return ordered2(shell, { ...body, statuses: ["dead"], signature: "drop" }, request.id, (id3) => drop(shell, id3, request.id));
}
async function ordered2(shell, chosen2, call, order2) {
  const { ids, cursor, signature, ...filter } = chosen2;
  const at3 = { cursor, limit: lettersMax, signature: `${signature} ${JSON.stringify(filter)}` };
  const page = ids ? { ids } : await idsOf(shell, filter, at3);
  const results5 = await Promise.all([...new Set(page.ids)].map((id3) => one(shell, id3, call, order2)));
  return { status: 200, body: { results: results5, ..."next" in page && { next: page.next } } };
}
async function one(shell, id3, call, order2) {
  try {
    return { id: id3, ...await order2(id3) };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    if (error instanceof Later7) {
      shell.log("warn", "door.refused", { id: call, type: error.code, detail });
      return { id: id3, done: false, busy: true, because: "busy, try again" };
    }
    shell.log("error", "door.failed", { id: call, letter: id3, detail, stack: error instanceof Error ? error.stack : void 0 });
    return { id: id3, done: false, because: `something unexpected happened; the log has more under ${call}` };
  }
}
async function idsOf(shell, filter, at3) {
  const { letters: letters2, next: next3 } = await pageOf(shell, filter, at3);
  return { ids: letters2.map(({ id: id3 }) => id3), ...next3 !== void 0 && { next: next3 } };
}
var lookedAtMax2 = 100;
async function pageOf(shell, filter, { cursor, limit: limit2, signature }) {
  const lists = filter.statuses.flatMap((status2) => letterLists[status2].map((pk) => ({ status: status2, pk })));
  const position = await positionOf(shell, cursor, signature);
  const isFirst = position === void 0;
  let [since, at3, after] = isFirst ? [shell.now(), 0, void 0] : parted3(position);
  const isWanted = (letter3, status2) => letter3.status === status2 && holds(letter3, filter) && (isFirst || !filter.once || !letter3.redriven || letter3.redriven.at < since);
  const letters2 = [];
  for (let looked = 0; at3 < lists.length; ) {
    const want = Math.min(limit2 - letters2.length, lookedAtMax2 - looked);
    if (want <= 0) return { letters: letters2, next: await cursorAt(shell, `${since}/${at3}/${after ?? ""}`, signature) };
    const { status: status2, pk } = lists[at3];
    const page = await shell.table.queryIndex({ index: "list", pk, limit: want, ...after !== void 0 && { after } });
    looked += page.items.length;
    const keys = page.items.map((entry) => entry.key);
    letters2.push(...(await lettersAt(shell, keys)).filter((letter3) => isWanted(letter3, status2)));
    after = page.next;
    if (after === void 0) at3++;
  }
  return { letters: letters2 };
}
var parted3 = (position) => {
  const [since, at3, ...after] = position.split("/");
  return [Number(since), Number(at3), after.join("/") || void 0];
};
var lettersAt = async (shell, keys) => (await readAll(shell, keys)).flatMap((row2) => {
  const stored = stateOf(row2, shell.now());
  return stored ? [upToDate(stored)] : [];
});
var holds = (letter3, { queue, code }) => (queue === void 0 || letter3.queue === queue) && (code === void 0 || letter3.last.code === code);
function viewOf2(letter3) {
  const { id: id3, status: status2, queue, via, sentAt, deaths, receives, first, last, bytes, cut = false, redriven: redriven2 } = letter3;
  return {
    ...{ id: id3, status: status2, queue, via, sentAt: moment(sentAt), deaths, receives, first: failure(first), last: failure(last), bytes, cut },
    ...redriven2 && { redriven: { ...redriven2, at: moment(redriven2.at) } },
    expiresAt: moment(expiresAtOf(letter3))
  };
}
var failure = ({ code, reason: reason2, at: at3 }) => ({ code, reason: reason2, at: moment(at3) });
var moment = (at3) => new Date(at3).toISOString();

// lib/clients/plan.ts
var revocationsPerPlanMax = 50;
var revocationsMax = 2e3;
function planRevocations({ clients, zone: zone3 }, command4, now) {
  const changes = clients.map(
    ({ body, rev }) => ({ ref: { noun: "client", id: body.fp }, readRev: rev, decision: decide3(body, command4, now) })
  );
  const written = changes.filter((change) => change.decision.does === "write");
  if (written.length === 0 || !zone3) return { changes: written, because: changes.map((change) => change.decision.because) };
  const nowS = Math.floor(now / 1e3);
  const next3 = withRevocations(
    zone3.revoked,
    written.map((change) => change.ref.id),
    nowS
  );
  const because = `${written.length} ${command4.type === "ban" ? "banned" : "unregistered"}`;
  return {
    changes: [
      {
        ref: { noun: "revoked", id: zone3.name },
        readRev: zone3.rev,
        decision: next3 ? write(next3, because) : nothing(because)
      },
      ...written
    ],
    because: changes.map((change) => change.decision.because)
  };
}
function withRevocations(before, fps, nowS) {
  const version = (before?.version ?? 0) + 1;
  const kept8 = [];
  if (before) {
    const view2 = new DataView(before.entries.buffer, before.entries.byteOffset, before.entries.byteLength);
    for (let i = 0; i < before.entries.length; i += 8)
      if (view2.getUint32(i + 4) + tokenLifeS >= nowS) kept8.push([view2.getUint32(i), view2.getUint32(i + 4)]);
  }
  const tokensBefore = before?.tokensBefore ?? 0;
  const last = new Map(kept8);
  const added = fps.map((fp4) => {
    const top = Number.parseInt(fp4.slice(0, 8), 16);
    return [top, Math.max(nowS, tokensBefore, (last.get(top) ?? -1) + 1)];
  });
  const all = [...kept8, ...added];
  if (all.length > revocationsMax) return { version, entries: new Uint8Array(0), tokensBefore: 1 + Math.max(...all.map(([, at3]) => at3)) };
  const entries = new Uint8Array(all.length * 8);
  const view = new DataView(entries.buffer);
  all.forEach(([top, at3], i) => {
    view.setUint32(i * 8, top);
    view.setUint32(i * 8 + 4, at3);
  });
  return { version, entries, tokensBefore };
}

// lib/clients/view.ts
var iso6 = (at3) => new Date(at3).toISOString();
function systemView(client, because, zone3) {
  const { fp: fp4, fqdn: fqdn2, machineId, minion, facts: facts2, suggestedTags, firstSeenAt, seenAt } = client;
  const accepted2 = client.standing === "accepted" ? client : void 0;
  const told3 = accepted2?.told;
  const name = told3 && zone3?.members[told3.index]?.fqdn;
  return {
    fp: fp4,
    fingerprint: showFingerprint(fp4),
    fqdn: fqdn2,
    machineId,
    status: rowStatus(client, zone3),
    because,
    tags: accepted2?.tags ?? [],
    groups: accepted2?.groups ?? [],
    suggestedTags,
    facts: facts2,
    firstSeenAt: iso6(firstSeenAt),
    seenAt: iso6(seenAt),
    ...client.standing !== "pooled" && client.zone && { zone: client.zone },
    ...told3 && { node: { id: told3.node, at: iso6(told3.at), confirmed: told3.confirmedAt !== void 0, ...name && { fqdn: name } } },
    ...client.unsigned && { unsigned: true },
    ...minion && { minion: { id: minion.id, fingerprint: showFingerprint(minion.fingerprint) } }
  };
}

// lib/doors/admin/systems.ts
import { Later as Later8 } from "../../lib/errors.ts";

// lib/doors/admin/etag.ts
import { createHash as createHash8 } from "node:crypto";
var etagOf = (editable) => `"${createHash8("sha256").update(JSON.stringify(editable)).digest("base64url").slice(0, 16)}"`;
var nodeEtag = (node5) => {
  const labels2 = Object.entries(node5.labels).sort(([a], [b]) => a < b ? -1 : 1);
  return etagOf([node5.weight, node5.capacity ?? null, labels2]);
};
var systemEtag = (client) => etagOf(client.standing === "accepted" ? [client.tags, client.groups] : []);
var settingsEtag = (deployment) => etagOf([deployment?.beatMinMs ?? null, deployment?.openCalls ?? null, deployment?.newKeysPerSource ?? null]);
var ifMatch2 = (request, versionOf, decide5) => (state, input, now) => {
  const wanted = request.header("if-match");
  const etag2 = versionOf(state);
  if (wanted === void 0 || wanted === "*" || etag2 === void 0 || wanted === etag2) return decide5(state, input, now);
  throw new Refusal("version-conflict", `it is at version ${etag2}, not ${wanted}`, { headers: { etag: etag2 } });
};

// lib/doors/admin/systems.ts
async function viewOf3(shell, client, row2) {
  const zone3 = client.standing === "accepted" ? await zoneOf(shell, client.zone) : void 0;
  const unconfirmed = client.standing === "accepted" && zone3 && client.told && client.told.confirmedAt === void 0;
  const seen3 = unconfirmed ? (await withCoverage(shell, client, zone3)).client : client;
  return systemView(seen3, row2.because, zone3);
}
async function getSystem({ params, caller }, shell) {
  const { state, row: row2 } = await found(shell, params.fp, caller);
  return { status: 200, body: await viewOf3(shell, state, row2), headers: { etag: systemEtag(state) } };
}
async function editSystem({ params, body, request, caller }, shell) {
  const { state } = await found(shell, params.fp, caller);
  const fenced = ifMatch2(request, (now2) => now2 && systemEtag(now2), decide3);
  const { decision } = await apply(shell, rowOf2(state.fp), { type: "edit", id: request.id, ...body }, fenced);
  if (decision.does === "nothing") throw new Refusal("refused", decision.because);
  const now = await found(shell, params.fp, caller);
  return { status: 200, body: await viewOf3(shell, now.state, now.row), headers: { etag: systemEtag(now.state) } };
}
async function accept({ body, request, caller }, shell) {
  const zone3 = body.zone ?? defaultZone;
  if (zone3 === defaultZone) await ensureDefaultZone(shell);
  await foundZone(shell, zone3, caller);
  const { tags, groups } = body;
  const results5 = await Promise.all(
    body.systems.map((fp4) => one2(shell, fp4, { type: "accept", id: request.id, zone: zone3, tags, groups }, caller))
  );
  return { status: 200, body: { results: results5 } };
}
async function one2(shell, fp4, order2, caller) {
  try {
    return await ordered3(shell, fp4, order2, caller);
  } catch (error) {
    if (!(error instanceof Later8)) throw error;
    shell.log("warn", "door.refused", { id: order2.id, type: error.code, detail: error.message });
    return { fp: fp4, done: false, because: "busy, try again" };
  }
}
async function ordered3(shell, fp4, order2, caller) {
  const known3 = await clientRow(shell, fp4);
  if (!known3 || !seesSystem(caller, known3.state)) return { fp: fp4, done: false, because: "this key never knocked, or its knock has expired" };
  const { decision } = await command2(shell, known3.state.fp, order2);
  return { fp: known3.state.fp, done: decision.does !== "nothing", because: decision.because };
}
var unregister = async ({ body, request, caller }, shell) => ({
  status: 200,
  body: { results: await revoke(shell, body.systems, { type: "unregister", id: request.id }, caller) }
});
var ban = async ({ body, request, caller }, shell) => ({
  status: 200,
  body: { results: await revoke(shell, body.systems, { type: "ban", id: request.id }, caller) }
});
async function revoke(shell, fps, order2, caller) {
  const known3 = await Promise.all([...new Set(fps)].map(async (fp4) => ({ fp: fp4, client: await seen2(shell, fp4, caller) })));
  const results5 = known3.filter((each) => !each.client).map(({ fp: fp4 }) => ({ fp: fp4, done: false, because: "this key never knocked" }));
  const clients = [...new Map(known3.flatMap(({ client }) => client ? [[client.fp, client]] : [])).values()];
  const moved = [];
  for (const [zone3, members] of Map.groupBy(clients, zoneNameOf))
    for (let at3 = 0; at3 < members.length; at3 += revocationsPerPlanMax) {
      const part2 = await revokePart(shell, zone3, members.slice(at3, at3 + revocationsPerPlanMax), order2);
      results5.push(...part2.results);
      moved.push(...part2.moved);
    }
  return moved.length === 0 ? results5 : [...results5, ...await revoke(shell, moved, order2, caller)];
}
async function seen2(shell, fp4, caller) {
  const client = (await clientRow(shell, fp4))?.state;
  return client && seesSystem(caller, client) ? client : void 0;
}
var zoneNameOf = (client) => client.standing === "accepted" ? client.zone : void 0;
async function revokePart(shell, zone3, members, order2) {
  const part2 = { ...order2, id: `${order2.id}-${members[0].fp.slice(0, 16)}` };
  let results5 = [];
  let moved = [];
  await applyPlan(shell, part2, async (reading) => {
    const rows = await reading.rows(members.map(({ fp: fp4 }) => ({ noun: "client", id: fp4 })));
    const all = rows.flatMap((row2) => {
      const body = stateOf(row2, shell.now());
      return body ? [{ body, rev: row2.rev }] : [];
    });
    const clients = all.filter(({ body }) => zoneNameOf(body) === zone3);
    moved = all.filter(({ body }) => zoneNameOf(body) !== zone3).map(({ body }) => body.fp);
    const revokedRow = zone3 === void 0 ? void 0 : await reading.row({ noun: "revoked", id: zone3 });
    const planned = planRevocations(
      {
        clients,
        ...zone3 !== void 0 && { zone: { name: zone3, revoked: revokedRow?.body, rev: revokedRow?.rev ?? 0 } }
      },
      part2,
      shell.now()
    );
    const written = new Set(planned.changes.filter((change) => change.ref.noun === "client").map((change) => change.ref.id));
    results5 = clients.map(({ body }, i) => ({ fp: body.fp, done: written.has(body.fp), because: planned.because[i] }));
    return planned;
  });
  if (zone3 !== void 0) forgetZone(shell, zone3);
  return { results: results5, moved };
}
async function found(shell, fp4, caller) {
  const known3 = await clientRow(shell, fp4);
  if (!known3 || !seesSystem(caller, known3.state))
    throw new Refusal("unknown-system", `no client system with the fingerprint ${fp4} has knocked`);
  return known3;
}
var command2 = (shell, fp4, order2) => apply(shell, rowOf2(fp4), order2, decide3);
var rowOf2 = (fp4) => ({ noun: "client", id: fp4 });

// lib/doors/admin/explain.ts
async function explain({ params, caller }, shell) {
  const body = params.kind === "node" ? await explainNode(shell, params.id, caller) : params.kind === "zone" ? await explainZone(shell, params.id, caller) : await explainSystem(shell, params.id, caller);
  return { status: 200, body };
}
var told = (row2) => ({
  because: row2.because,
  since: new Date(row2.at).toISOString(),
  by: row2.by,
  ...row2.actor && { who: row2.actor.who },
  ...row2.wakeAt !== void 0 && { looksAgainAt: new Date(row2.wakeAt).toISOString() }
});
async function explainNode(shell, id3, caller) {
  const { node: node5, row: row2 } = await foundNode(shell, id3, caller);
  const zone3 = await foundZone(shell, node5.zone, caller);
  const headRow = await shell.table.read(keyOf({ noun: "zone", id: node5.zone }));
  const standing = node5.index === void 0 ? "not in the roster yet" : `${standingOf(standingAt(zone3.head.roster, node5.index))} at generation ${generationAt(zone3.head.roster, node5.index)}`;
  return {
    subject: `node ${node5.fqdn}`,
    state: node5.status,
    ...told(row2),
    also: [
      { subject: `its standing in zone ${node5.zone}`, because: standing },
      {
        subject: `zone ${node5.zone}, version ${zone3.head.version}`,
        because: headRow?.because ?? "",
        ...headRow && { at: new Date(headRow.at).toISOString() }
      }
    ]
  };
}
async function explainZone(shell, name, caller) {
  const zone3 = await foundZone(shell, name, caller);
  const row2 = await shell.table.read(keyOf({ noun: "zone", id: name }));
  const map = await shell.table.read(keyOf({ noun: "map", id: `${name}/0` }));
  return {
    subject: `zone ${name}`,
    state: `version ${zone3.head.version}`,
    ...told(row2),
    also: map ? [{ subject: `map version ${zone3.head.mapVersion}`, because: map.because, at: new Date(map.at).toISOString() }] : []
  };
}
async function explainSystem(shell, text2, caller) {
  const { state: client, row: row2 } = await foundSystem(shell, text2, caller);
  const view = await viewOf3(shell, client, row2);
  return {
    subject: `client system ${client.fqdn}`,
    state: view.status,
    ...told(row2),
    also: client.standing === "accepted" ? [await placeOf(shell, client, caller)] : []
  };
}
async function placeOf(shell, client, caller) {
  const zone3 = await foundZone(shell, client.zone, caller);
  const pin = pinOf(client);
  const owner = ownerOf3(zone3, client.fp, pin);
  const subject = pin === nobody ? `slot ${slotOf(client.fp, zone3.head.slots)} of zone ${client.zone}` : "its pin";
  if (owner === nobody) return { subject, because: "no node owns it: there is no place yet, it should knock again" };
  const standing = standingOf(standingAt(zone3.head.roster, owner));
  return {
    subject,
    because: `owned by ${zone3.members[owner]?.fqdn}, which is ${standing}, since map version ${zone3.head.mapVersion} or before`
  };
}
async function history({ params, query, caller }, shell) {
  const ref = await subjectOf2(shell, params, caller);
  const page = await shell.table.query({ pk: historyPartition(ref), from: historySort(query.after + 1), limit: query.limit });
  const items = page.items.map((row2) => {
    const { at: at3, ...entry } = row2.body;
    return { ...entry, at: new Date(at3).toISOString() };
  });
  return { status: 200, body: { items, more: page.next !== void 0 } };
}
async function subjectOf2(shell, { kind, id: id3 }, caller) {
  if (kind === "node") return { noun: "node", id: (await foundNode(shell, id3, caller)).node.id };
  if (kind === "zone") return { noun: "zone", id: (await foundZone(shell, id3, caller)).head.name };
  return { noun: "client", id: (await foundSystem(shell, id3, caller)).state.fp };
}
async function foundSystem(shell, text2, caller) {
  const fp4 = Fingerprint.safeParse(text2);
  const known3 = fp4.success ? await clientRow(shell, fp4.data) : void 0;
  if (!known3 || !seesSystem(caller, known3.state))
    throw new Refusal("unknown-system", `no client system with the fingerprint ${text2} has knocked`);
  return known3;
}

// lib/doors/admin/list-systems.ts
var lookedAtMax3 = 400;
async function listSystems({ query, caller }, shell) {
  const { cursor, limit: limit2, ...filters } = query;
  const scope = await scopeOf(query, caller, shell);
  const signature = `systems ${JSON.stringify(filters)} of ${scope.zones.join(" ")}`;
  const position = await positionOf(shell, cursor, signature);
  let [list, after] = position === void 0 ? [0, void 0] : parted(position);
  const items = [];
  for (let looked = 0; list < scope.lists.length; ) {
    const want = Math.min(limit2 - items.length, lookedAtMax3 - looked);
    if (want <= 0) return { status: 200, body: { items, next: await cursorAt(shell, positionAt(list, after), signature) } };
    const page = await shell.table.queryIndex({
      index: "list",
      pk: scope.lists[list],
      limit: want,
      ...scope.range,
      ...after !== void 0 && { after }
    });
    looked += Math.max(1, page.items.length);
    const keys = page.items.map((entry) => entry.key);
    for (const row2 of await readAll(shell, keys)) {
      const client = stateOf(row2, shell.now());
      if (!client || !scope.holds(client)) continue;
      const view = await viewOf3(shell, client, row2);
      if (query.status === void 0 || view.status === query.status) items.push(view);
    }
    after = page.next;
    if (after === void 0) list++;
  }
  return { status: 200, body: { items } };
}
async function scopeOf(query, caller, shell) {
  const node5 = query.node === void 0 ? void 0 : (await foundNode(shell, query.node, caller)).node;
  if (query.zone !== void 0) await refuseUnknown(shell, query.zone, caller);
  const zones = zonesListed(caller, query.zone ?? node5?.zone);
  const zone3 = node5 && await zoneOf(shell, zones[0]);
  const holds2 = (client) => seesSystem(caller, client) && hasTag(client, query.tag) && (node5 === void 0 || isOn(client, zone3, node5.id));
  const { prefix } = query;
  const partitions = prefix === void 0 ? Array.from({ length: clientPartitions }, (_, partition) => partition) : [clientPartitionOf(prefix)];
  const lists = kindsOf(query).flatMap(
    (kind) => (kind === "accepted" ? zones : [""]).flatMap((name) => partitions.map((partition) => listed[kind](name, partition)))
  );
  return { zones, lists, range: prefix === void 0 ? {} : { from: prefix, to: `${prefix}g` }, holds: holds2 };
}
var listed = {
  accepted: clientList.zone,
  pool: (_zone, partition) => clientList.pool(partition),
  banned: (_zone, partition) => clientList.banned(partition)
};
function kindsOf({ status: status2, node: node5, tag, zone: zone3, prefix }) {
  if (status2 === "new") return ["pool"];
  if (status2 === "deleted") return ["banned"];
  if (status2 !== void 0 || node5 !== void 0 || tag !== void 0 || zone3 !== void 0) return ["accepted"];
  return prefix === void 0 ? ["accepted", "pool"] : ["accepted", "pool", "banned"];
}
var hasTag = (client, tag) => tag === void 0 || client.standing === "accepted" && client.tags.includes(tag);
function isOn(client, zone3, node5) {
  if (client.standing !== "accepted" || !zone3) return false;
  return client.told ? client.told.node === node5 : ownerOf3(zone3, client.fp, pinOf(client)) === indexOf(zone3, node5);
}

// lib/admission/view.ts
var iso7 = (at3) => new Date(at3).toISOString();
function pooledHostView(host2, because) {
  const { fp: fp4, fqdn: fqdn2, kind, zone: zone3, standing, watch: watch2, capacity, source, firstSeenAt, seenAt } = host2;
  const shownZone = host2.standing === "admitted" ? host2.as.zone : zone3;
  return {
    ...{ fp: fp4, fingerprint: showFingerprint(fp4), fqdn: fqdn2, kind: host2.standing === "admitted" ? host2.as.kind : kind, standing, because },
    ...{ watch: watch2, source, firstSeenAt: iso7(firstSeenAt), seenAt: iso7(seenAt) },
    ...shownZone !== void 0 && { zone: shownZone },
    ...capacity !== void 0 && { capacity }
  };
}

// lib/doors/admin/node-pool.ts
import { Later as Later9 } from "../../lib/errors.ts";
async function listNodePool({ query, caller }, shell) {
  const signature = "node pool";
  const after = await positionOf(shell, query.cursor, signature);
  const page = await shell.table.queryIndex({
    index: "list",
    pk: admissionLists.pool,
    limit: query.limit,
    ...after !== void 0 && { after }
  });
  const rows = await readAll(
    shell,
    page.items.map(({ key }) => key)
  );
  const items = rows.flatMap((row2) => {
    const host2 = stateOf(row2, shell.now());
    return host2 && seesHost(caller, host2) ? [pooledHostView(host2, row2.because)] : [];
  });
  return { status: 200, body: { items, ...page.next !== void 0 && { next: await cursorAt(shell, page.next, signature) } } };
}
async function admitHosts({ body, request, caller }, shell) {
  const zone3 = await admissionZone(shell, body.zone, caller);
  const results5 = body.hosts.map(
    (host2, n) => one3({ shell, host: host2, caller }, async (fp4) => {
      const plan2 = await applyPlan(
        shell,
        { id: `${request.id}-${n}` },
        (reading) => admitted2(shell, reading, fp4, { id: request.id, zone: zone3, kind: body.kind, given: body.zone, caller })
      );
      return { host: host2, done: plan2.changes.length > 0, because: plan2.because[0] };
    })
  );
  return { status: 200, body: { results: await Promise.all(results5) } };
}
async function rejectHosts({ body, request, caller }, shell) {
  const results5 = body.hosts.map(
    (host2, n) => one3({ shell, host: host2, caller }, async (fp4) => {
      const command4 = { type: "reject", id: `${request.id}-${n}` };
      const { decision } = await apply(
        shell,
        poolRef(fp4),
        command4,
        (known3, order2, now) => decideHost(known3 && seesHost(caller, known3) ? known3 : void 0, order2, now)
      );
      return { host: host2, done: decision.does !== "nothing", because: decision.because };
    })
  );
  return { status: 200, body: { results: await Promise.all(results5) } };
}
async function one3({ shell, host: host2, caller }, order2) {
  try {
    const found2 = Fingerprint.safeParse(host2).success ? [host2] : await fingerprintsOf(shell, host2, caller);
    if (found2.length === 0) return { host: host2, done: false, because: "no host of this name waits" };
    if (found2.length > 1)
      return { host: host2, done: false, because: `${found2.length} hosts wait under this name: give the fingerprint of the one that is meant` };
    return await order2(found2[0]);
  } catch (error) {
    if (!(error instanceof Later9)) throw error;
    shell.log("warn", "door.refused", { host: host2, type: error.code, detail: error.message });
    return { host: host2, done: false, because: "busy, try again" };
  }
}
var seesHost = (caller, host2) => host2.standing === "admitted" ? seesZone(caller, host2.as.zone) : seesPool(caller);
async function fingerprintsOf(shell, fqdn2, caller) {
  const waiting = [];
  for (let after; ; ) {
    const page = await shell.table.queryIndex({
      index: "list",
      pk: admissionLists.pool,
      limit: 200,
      ...after !== void 0 && { after }
    });
    const rows = await readAll(
      shell,
      page.items.map(({ key }) => key)
    );
    const hosts2 = rows.flatMap((row2) => stateOf(row2, shell.now()) ?? []);
    waiting.push(...hosts2.filter((host2) => host2.fqdn === fqdn2 && seesHost(caller, host2)).map(({ fp: fp4 }) => fp4));
    if (page.next === void 0) break;
    after = page.next;
  }
  const holder = stateOf(await shell.table.read(keyOf({ noun: "fqdn", id: fqdn2 })), shell.now())?.node;
  const node5 = holder === void 0 ? void 0 : stateOf(await shell.table.read(keyOf({ noun: "node", id: holder })), shell.now());
  const isOut = node5?.removedAt !== void 0 && seesZone(caller, node5.zone);
  return [.../* @__PURE__ */ new Set([...waiting, ...isOut ? [fingerprintOf(node5.publicKey)] : []])];
}
async function admitted2(shell, reading, fp4, { id: id3, zone: zone3, given, kind, caller }) {
  const [pool, key] = [await pooledHost(shell, reading, fp4), await heldKey(shell, reading, fp4)];
  const owner = key.key?.owner;
  const row2 = owner?.noun === "node" ? await reading.row({ noun: "node", id: owner.id }) : void 0;
  const node5 = stateOf(row2, shell.now());
  if (node5 && owner) {
    if (!seesZone(caller, node5.zone)) return { changes: [], because: ["no host with this fingerprint waits"] };
    const decision = decide(node5, { type: "take-back", id: id3 }, shell.now());
    if (decision.does !== "write") return { changes: [], because: [`${node5.fqdn} is a node already`] };
    const wakeAt = earlier(row2?.wakeAt, decision.wakeAt);
    const back2 = {
      ref: { noun: "node", id: owner.id },
      readRev: row2.rev,
      decision: { ...decision, ...wakeAt !== void 0 && { wakeAt } }
    };
    return { changes: [back2, ...bindKey({ ...key, key: void 0 }, owner, shell.now())], because: [decision.because] };
  }
  const host2 = pool.host ?? (key.key?.state === "revoked" && row2?.gone ? asItWas(row2.body, fp4, row2.at) : void 0);
  if (!host2 || !seesHost(caller, host2)) return { changes: [], because: ["no host with this fingerprint waits"] };
  const wished = given ?? host2.zone ?? zone3;
  if (!seesZone(caller, wished)) return { changes: [], because: [`it asks for zone ${wished}, which is not there: name another`] };
  const changes = poolChange(shell, fp4, { row: pool.row, host: host2 }, { type: "admit", zone: wished, kind });
  return { changes, because: [changes.length > 0 ? `${host2.fqdn} is admitted into zone ${wished}` : "it is admitted already"] };
}
var asItWas = ({ publicKey: publicKey2, fqdn: fqdn2, kind, watch: watch2, joinedAt }, fp4, seenAt) => ({
  ...{ standing: "waiting", fp: fp4, publicKey: publicKey2, fqdn: fqdn2, kind, watch: watch2, source: "unknown", firstSeenAt: joinedAt, seenAt }
});

// lib/join-tokens/view.ts
var iso8 = (at3) => new Date(at3).toISOString();
function tokenView(token3, now) {
  const { id: id3, nodes: nodes2, kind, zone: zone3, cidr, uses, createdAt, expiresAt, revokedAt, admitted: admitted3 } = token3;
  return {
    ...{ id: id3, status: statusOf(token3, now), nodes: nodes2, kind, zone: zone3, uses, createdAt: iso8(createdAt), expiresAt: iso8(expiresAt) },
    admitted: admitted3.map(({ fp: fp4, node: node5, at: at3 }) => ({ fingerprint: showFingerprint(fp4), node: node5, at: iso8(at3) })),
    ...cidr !== void 0 && { cidr },
    ...revokedAt !== void 0 && { revokedAt: iso8(revokedAt) }
  };
}

// lib/doors/admin/node-tokens.ts
var bootstrapDefaultMs = 30 * dayMs;
async function createNodeToken({ body, request, caller }, shell) {
  const now = shell.now();
  const expiresAt = endOf(body, now);
  const zone3 = await admissionZone(shell, body.zone, caller);
  const { id: id3, text: text2, hash: hash2 } = mintSecret("mjt", shell.randomBytes);
  const { nodes: nodes2, kind, uses, cidr } = body;
  const token3 = {
    ...{ id: id3, hash: hash2, nodes: nodes2, kind, zone: zone3, uses, createdAt: now, expiresAt, admitted: [] },
    ...cidr !== void 0 && { cidr }
  };
  await apply(shell, refOf3(id3), { type: "create", id: request.id, token: token3 }, decide2);
  return { status: 201, body: { secret: text2, token: tokenView(token3, now) }, headers: { "cache-control": "no-store" } };
}
function endOf({ nodes: nodes2, uses, expiresAt: given }, now) {
  const isOneTime = isOneName(readPattern(nodes2) ?? []);
  if (isOneTime && uses !== 1) throw notTaken2("/uses", "a token for one name is used once; for more hosts give a pattern of names");
  const [longestMs2, usualMs] = isOneTime ? [oneTimeForMs, oneTimeForMs] : [bootstrapForMs, bootstrapDefaultMs];
  const expiresAt = given === void 0 ? plusMs(now, usualMs) : Date.parse(given);
  if (expiresAt <= now) throw notTaken2("/expiresAt", "a moment that has passed");
  if (expiresAt > plusMs(now, longestMs2))
    throw notTaken2("/expiresAt", isOneTime ? "a token for one name ends within an hour" : "a token ends within a year");
  return expiresAt;
}
var notTaken2 = (pointer, detail) => new Refusal("invalid", `${pointer}: ${detail}`, { errors: [{ pointer, detail }] });
async function listNodeTokens({ query, caller }, shell) {
  const signature = "node tokens";
  const after = await positionOf(shell, query.cursor, signature);
  const page = await shell.table.queryIndex({
    index: "list",
    pk: admissionLists.tokens,
    limit: query.limit,
    ...after !== void 0 && { after }
  });
  const rows = await readAll(
    shell,
    page.items.map(({ key }) => key)
  );
  const now = shell.now();
  const items = rows.flatMap((row2) => {
    const token3 = stateOf(row2, now);
    return token3 && seesZone(caller, token3.zone) ? [tokenView(token3, now)] : [];
  });
  return { status: 200, body: { items, ...page.next !== void 0 && { next: await cursorAt(shell, page.next, signature) } } };
}
async function revokeNodeToken({ params, request, caller }, shell) {
  const token3 = stateOf(await shell.table.read(keyOf(refOf3(params.id))), shell.now());
  const unknown = () => new Refusal("unknown-token", `no join token has the id ${params.id}, or it ended more than a month ago`);
  if (!token3 || !seesZone(caller, token3.zone)) throw unknown();
  const command4 = { type: "revoke", id: request.id };
  const { state } = await apply(shell, refOf3(params.id), command4, decide2);
  if (!state) throw unknown();
  return { status: 200, body: tokenView(state, shell.now()) };
}
var refOf3 = (id3) => ({ noun: "join-token", id: id3 });

// lib/nodes/view.ts
var iso9 = (at3) => new Date(at3).toISOString();
function nodeView(node5, because, { slots, systemsAbout, host: host2, keySince }) {
  const { id: id3, fqdn: fqdn2, zone: zone3, kind, status: status2, incarnation, generation: generation2, index, watch: watch2, weight, capacity, labels: labels2, joinedAt, heardAt, load: load3 } = node5;
  return {
    id: id3,
    fqdn: fqdn2,
    zone: zone3,
    kind,
    status: status2,
    because,
    incarnation,
    generation: generation2,
    watch: watch2,
    weight,
    labels: labels2,
    slots,
    systemsAbout,
    joinedAt: iso9(joinedAt),
    key: keyOf2(node5, keySince),
    ...node5.removedAt !== void 0 && { removedAt: iso9(node5.removedAt) },
    ...index !== void 0 && { index },
    ...capacity !== void 0 && { capacity },
    ...heardAt !== void 0 && { heardAt: iso9(heardAt) },
    ..."leaseUntil" in node5 && { leaseUntil: iso9(node5.leaseUntil) },
    ...node5.status === "leaving" && {
      leaving: {
        mode: node5.leaving.mode,
        since: iso9(node5.leaving.since),
        ...node5.leaving.until !== void 0 && { until: iso9(node5.leaving.until) }
      }
    },
    ...load3 && { load: load3 },
    ...host2 && { host: { ...host2, at: iso9(host2.at) } }
  };
}
var keyOf2 = ({ publicKey: publicKey2, nextKey }, since) => ({
  fingerprint: showFingerprint(fingerprintOf(publicKey2)),
  ...since !== void 0 && { since: iso9(since) },
  ...nextKey !== void 0 && { next: showFingerprint(fingerprintOf(nextKey)) }
});

// lib/zones/view.ts
function systemsByNode({ map, head }, counts) {
  const byNode = /* @__PURE__ */ new Map();
  if (!counts) return byNode;
  for (let slot = 0; slot < head.slots; slot++) {
    const owner = map.owner[slot];
    const count = countAt(counts.perSlot, slot);
    byNode.set(owner, (byNode.get(owner) ?? 0) + count);
  }
  return byNode;
}
function zoneView(zone3, because, { counts, unsignedClients }) {
  const { head, map, members } = zone3;
  const owned = slotsOwned(zone3);
  const systems = systemsByNode(zone3, counts);
  return {
    name: head.name,
    number: head.number,
    kind: head.kind,
    mode: head.mode,
    version: head.version,
    because,
    remapAfterMs: head.remapAfterMs,
    readmit: head.readmit,
    unsignedClients,
    epoch: head.epoch,
    systemsAbout: [...systems.values()].reduce((sum, n) => sum + n, 0),
    ...counts && { countedAt: new Date(counts.at).toISOString() },
    map: {
      slots: head.slots,
      version: head.mapVersion,
      unowned: map.owner.reduce((sum, owner) => sum + (owner === nobody ? 1 : 0), 0),
      awayFromHome: map.owner.reduce((sum, owner, slot) => sum + (owner !== nobody && map.home[slot] !== owner ? 1 : 0), 0),
      nodes: members.flatMap(
        (member2, index) => member2 ? [
          {
            node: member2.node,
            fqdn: member2.fqdn,
            standing: standingOf(standingAt(head.roster, index)),
            generation: generationAt(head.roster, index),
            slots: owned[index] ?? 0,
            systemsAbout: systems.get(index) ?? 0
          }
        ] : []
      )
    }
  };
}

// lib/doors/admin/nodes.ts
async function listNodes({ query, caller }, shell) {
  if (query.zone !== void 0) await refuseUnknown(shell, query.zone, caller);
  const zones = zonesListed(caller, query.zone);
  const signature = `nodes of ${zones.join(" ")}`;
  const position = await positionOf(shell, query.cursor, signature);
  const [at3, after] = position === void 0 ? [0, void 0] : parted(position);
  const zone3 = zones[at3];
  const page = await shell.table.queryIndex({
    index: "list",
    pk: nodeList(zone3),
    limit: query.limit,
    ...after !== void 0 && { after }
  });
  const keys = page.items.map((entry) => entry.key);
  const rows = await readAll(shell, keys);
  const show = await shower(shell, zone3);
  const items = rows.flatMap((row2) => {
    const node5 = stateOf(row2, shell.now());
    return node5 ? [show(node5, row2.because)] : [];
  });
  const next3 = page.next !== void 0 ? positionAt(at3, page.next) : at3 + 1 < zones.length ? positionAt(at3 + 1, void 0) : void 0;
  return { status: 200, body: { items, ...next3 !== void 0 && { next: await cursorAt(shell, next3, signature) } } };
}
async function shower(shell, zoneName) {
  const zone3 = await zoneOf(shell, zoneName);
  const counts = (await shell.table.read(keyOf({ noun: "counts", id: zoneName })))?.body;
  const owned = zone3 ? slotsOwned(zone3) : new Uint32Array();
  const systems = zone3 ? systemsByNode(zone3, counts) : /* @__PURE__ */ new Map();
  return (node5, because, apart) => nodeView(node5, because, { slots: owned[node5.index ?? -1] ?? 0, systemsAbout: systems.get(node5.index ?? -1) ?? 0, ...apart });
}
async function getNode({ params, caller }, shell) {
  const { node: node5, row: row2 } = await foundNode(shell, params.id, caller);
  return shown2(shell, node5, row2.because);
}
async function shown2(shell, node5, because) {
  const host2 = (await shell.table.read(keyOf({ noun: "host", id: node5.id })))?.body;
  const key = stateOf(await shell.table.read(keyOf(keyRef(fingerprintOf(node5.publicKey)))), shell.now());
  const keySince = key?.state === "bound" ? key.at : void 0;
  return { status: 200, body: (await shower(shell, node5.zone))(node5, because, { host: host2, keySince }), headers: { etag: nodeEtag(node5) } };
}
async function editNode({ params, body, request, caller }, shell) {
  const { node: node5 } = await foundNode(shell, params.id, caller);
  const fenced = ifMatch2(request, (now2) => now2 && nodeEtag(now2), decide);
  const { state } = await apply(shell, rowOf3(node5.id), { type: "edit", id: request.id, ...body }, fenced);
  const { row: now } = await foundNode(shell, node5.id, caller);
  return shown2(shell, state ?? node5, now.because);
}
async function leaveNode({ params, body, request, caller }, shell) {
  const { node: node5 } = await foundNode(shell, params.id, caller);
  const until = body.until === void 0 ? void 0 : Date.parse(body.until);
  refuseDeadline(until, shell.now(), "/until");
  return ordered4(
    shell,
    node5,
    body.mode === "stay" ? { type: "stay", id: request.id } : { type: "leave", id: request.id, mode: body.mode, until }
  );
}
async function dropNode({ params, request, caller }, shell) {
  const { node: node5 } = await foundNode(shell, params.id, caller);
  return ordered4(shell, node5, { type: "drop", id: request.id });
}
function isDone(node5, order2) {
  if (order2.type === "drop") return node5.status === "dropped" || "ordered" in node5 && node5.ordered === "drop";
  if (order2.type === "leave") return node5.status === "leaving" && node5.leaving.mode === order2.mode;
  return order2.type === "stay" && node5.status === "up";
}
async function ordered4(shell, node5, order2) {
  const { decision } = await command3(shell, node5.id, order2);
  if (decision.does === "nothing" && !isDone(node5, order2)) throw new Refusal("refused", `${node5.fqdn}: ${decision.because}`);
  return { status: 202, body: { done: decision.does !== "nothing", because: decision.because } };
}
var command3 = (shell, id3, one4) => apply(shell, rowOf3(id3), one4, decide);
var rowOf3 = (id3) => ({ noun: "node", id: id3 });

// lib/onboarding-tokens/view.ts
var iso10 = (at3) => new Date(at3).toISOString();
function onboardingTokenView(token3, now) {
  const { id: id3, zone: zone3, tags, groups, cidr, uses, used, createdAt, expiresAt, revokedAt } = token3;
  return {
    ...{ id: id3, status: statusOf2(token3, now), zone: zone3, tags, groups, uses, used },
    ...{ createdAt: iso10(createdAt), expiresAt: iso10(expiresAt) },
    ...cidr !== void 0 && { cidr },
    ...revokedAt !== void 0 && { revokedAt: iso10(revokedAt) }
  };
}

// lib/doors/admin/onboarding-tokens.ts
async function createOnboardingToken({ body, request, caller }, shell) {
  const now = shell.now();
  const expiresAt = endOf2(body.expiresAt, now);
  const zone3 = body.zone ?? defaultZone;
  if (zone3 === defaultZone) await ensureDefaultZone(shell);
  await foundZone(shell, zone3, caller);
  const { id: id3, text: text2, hash: hash2 } = mintSecret("mot", shell.randomBytes);
  const { tags, groups, uses, cidr } = body;
  const token3 = {
    ...{ id: id3, hash: hash2, zone: zone3, tags, groups, uses, used: 0, createdAt: now, expiresAt },
    ...cidr !== void 0 && { cidr }
  };
  await apply(shell, refOf4(id3), { type: "create", id: request.id, token: token3 }, decide4);
  return { status: 201, body: { secret: text2, token: onboardingTokenView(token3, now) }, headers: { "cache-control": "no-store" } };
}
function endOf2(given, now) {
  if (given === void 0) return plusMs(now, goodForMs);
  const expiresAt = Date.parse(given);
  if (expiresAt <= now) throw notTaken3("a moment that has passed");
  if (expiresAt > plusMs(now, goodForMsMax)) throw notTaken3("a token ends within a year");
  return expiresAt;
}
var notTaken3 = (detail) => new Refusal("invalid", `/expiresAt: ${detail}`, { errors: [{ pointer: "/expiresAt", detail }] });
async function listOnboardingTokens({ query, caller }, shell) {
  const signature = "onboarding tokens";
  const after = await positionOf(shell, query.cursor, signature);
  const page = await shell.table.queryIndex({
    index: "list",
    pk: onboardingTokenList,
    limit: query.limit,
    ...after !== void 0 && { after }
  });
  const rows = await readAll(
    shell,
    page.items.map(({ key }) => key)
  );
  const now = shell.now();
  const items = rows.flatMap((row2) => {
    const token3 = stateOf(row2, now);
    return token3 && seesZone(caller, token3.zone) ? [onboardingTokenView(token3, now)] : [];
  });
  return { status: 200, body: { items, ...page.next !== void 0 && { next: await cursorAt(shell, page.next, signature) } } };
}
async function revokeOnboardingToken({ params, request, caller }, shell) {
  const token3 = stateOf(await shell.table.read(keyOf(refOf4(params.id))), shell.now());
  const unknown = () => new Refusal("unknown-token", `no onboarding token has the id ${params.id}, or it ended more than a month ago`);
  if (!token3 || !seesZone(caller, token3.zone)) throw unknown();
  const command4 = { type: "revoke", id: request.id };
  const { state } = await apply(shell, refOf4(params.id), command4, decide4);
  if (!state) throw unknown();
  return { status: 200, body: onboardingTokenView(state, shell.now()) };
}
var refOf4 = (id3) => ({ noun: "onboarding-token", id: id3 });

// lib/api/contract.ts
var contract = { ...nodeRoutes, ...clientRoutes, ...adminRoutes };

// lib/api/openapi-admission-examples.ts
var at = "2026-05-01T12:00:00Z";
var fp2 = "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b";
var fingerprint = "6b:86:b2:73:ff:34:fc:e1:9d:6b:80:4e:ff:5a:3f:57:47:ad:a4:ea:a2:2f:1d:49:c0:1e:52:dd:b7:87:5b:4b";
var nodes = "ssu[1-40].acme.org";
var zone = "default";
var token2 = {
  ...{ id: "4q1zk0w8r2tn", status: "valid", nodes, kind: "uyuni", zone, cidr: "10.0.0.0/8", uses: 40 },
  ...{ createdAt: at, expiresAt: "2026-05-31T12:00:00Z" },
  admitted: [{ fingerprint, node: "n6b86b273ff34fce1", at }]
};
var pooled = {
  ...{ fp: fp2, fingerprint, fqdn: "ssu41.acme.org", kind: "uyuni", standing: "waiting" },
  because: "it asks to be a node; nobody has admitted it yet",
  ...{ watch: "ssu41.acme.org:4505", source: "10.1.2.3", firstSeenAt: at, seenAt: at }
};
var rule = { name: "racks", nodes, cidr: "10.0.0.0/8", zone, left: 40 };
var admissionExamples = {
  removeNode: { body: {}, reply: { done: true, because: "an operator removes it: it stays out until it is admitted again" } },
  createNodeToken: {
    body: { nodes, uses: 40, cidr: "10.0.0.0/8" },
    reply: { secret: "mjt_4q1zk0w8r2tn_aQmW5yHc0Vd3kS7uJ9fLxPzB2nE6gRtYoIvKqN8wCs4_3d90aa", token: { ...token2, admitted: [] } }
  },
  listNodeTokens: { reply: { items: [token2] } },
  revokeNodeToken: { body: {}, reply: { ...token2, status: "revoked", revokedAt: at } },
  listNodePool: { reply: { items: [pooled] } },
  admitHosts: {
    body: { hosts: [fp2, "ssu42.acme.org"] },
    reply: { results: [{ host: fp2, done: true, because: "ssu41.acme.org is admitted into zone default" }] }
  },
  rejectHosts: { body: { hosts: [fp2] }, reply: { results: [{ host: fp2, done: true, because: "rejected by an operator" }] } },
  listAdmissionRules: { reply: { rules: [rule] } },
  addAdmissionRule: { body: rule, reply: { rules: [rule] } },
  deleteAdmissionRule: { body: {}, reply: { rules: [] } }
};

// lib/api/openapi-examples.ts
var id2 = "n0123456789abcdef";
var fqdn = "node7.acme.org";
var at2 = "2026-05-01T12:00:00Z";
var fp3 = "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b";
var publicKey = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
var load2 = { load1: 0.42, load5: 0.4, load15: 0.38, memoryUsedMib: 9216, memoryMib: 16384, systems: 101 };
var facts = {
  fqdn,
  address: "192.0.2.7",
  memoryMib: 16384,
  cpus: 8,
  interfaces: [{ name: "eth0", address: "192.0.2.7", mac: "52:54:00:00:00:07" }]
};
var results4 = { results: [{ fp: fp3, done: true, because: "accepted into zone default" }] };
var ordered5 = { done: true, because: "an operator gives it up" };
var apiKey = {
  ...{ id: ApiKeyId.parse("4q1zk0w8r2tn"), kind: "key", status: "valid", name: "ticket system" },
  rights: { operate: [ZoneName.parse("default")] },
  ...{ createdAt: at2, createdBy: "admin:ada", expiresAt: "2026-07-30T12:00:00Z" }
};
var settings = { beatMinMs: 1e4, intervalMs: 1e4, admittedNodes: 5, openCalls: true, newKeysPerSource: 1e3 };
var node2 = {
  id: id2,
  fqdn,
  zone: "default",
  kind: "uyuni",
  status: "up",
  because: "it is ready",
  incarnation: 1,
  generation: 1,
  index: 6,
  watch: "node7.acme.org:4505",
  weight: 1,
  labels: { rack: "r12" },
  joinedAt: at2,
  key: { fingerprint: "6b:86:b2:73:ff:34:fc:e1:9d:6b:80:4e:ff:5a:3f:57:47:ad:a4:ea:a2:2f:1d:49:c0:1e:52:dd:b7:87:5b:4b" },
  heardAt: at2,
  leaseUntil: "2026-05-01T12:00:38Z",
  load: load2,
  slots: 205,
  systemsAbout: 101
};
var system2 = {
  fp: fp3,
  fingerprint: "6b:86:b2:73:ff:34:fc:e1:9d:6b:80:4e:ff:5a:3f:57:47:ad:a4:ea:a2:2f:1d:49:c0:1e:52:dd:b7:87:5b:4b",
  fqdn: "web1.acme.org",
  machineId: "4c4c4544003010358033b4c04f",
  status: "onboarded",
  because: "its daemon confirmed",
  zone: "default",
  node: { id: id2, fqdn, at: at2, confirmed: true },
  tags: ["web"],
  groups: [],
  suggestedTags: ["web"],
  facts: { os: "sles-15" },
  firstSeenAt: at2,
  seenAt: at2
};
var onboardingToken = {
  id: "4q7xk2m9w0ab",
  status: "valid",
  zone: "default",
  tags: ["web"],
  groups: [],
  cidr: "10.0.0.0/8",
  uses: 500,
  used: 12,
  createdAt: at2,
  expiresAt: "2026-05-31T12:00:00Z"
};
var zone2 = {
  name: "default",
  number: 1,
  kind: "management",
  mode: "production",
  version: 17,
  because: "node7.acme.org takes its share",
  remapAfterMs: 0,
  readmit: "auto",
  unsignedClients: false,
  epoch: 0,
  systemsAbout: 101,
  countedAt: at2,
  map: {
    slots: 1024,
    version: 17,
    unowned: 0,
    awayFromHome: 0,
    nodes: [{ node: id2, fqdn, standing: "up", generation: 1, slots: 1024, systemsAbout: 101 }]
  }
};
var failed = { code: "wrong-shape", reason: "node.up: /data/boot Invalid input: expected object", at: at2 };
var letter2 = {
  id: "0f8b3f5e-6c1d-4c57-9a43-0d9a2f1c7b11",
  status: "dead",
  queue: "reports",
  via: "door",
  sentAt: at2,
  deaths: 1,
  receives: 1,
  first: failed,
  last: failed,
  bytes: 18,
  cut: false,
  expiresAt: "2026-05-15T12:00:00Z"
};
var examples = {
  join: { body: { publicKey, fqdn, kind: "uyuni" }, reply: { node: id2, zone: "default", nextMs: 1e3 } },
  up: {
    body: { id: "up-1", boot: { id: "b7c1d2e3f4a50617", kernel: "3f1c0c5e-7d5c-4c6e-9f0e-2b8f6f0f1d11" }, facts },
    reply: { acknowledged: true, incarnation: 1, generation: 1, nextMs: 1e4 }
  },
  heartbeat: {
    body: { id: "beat-42", incarnation: 1, seq: 42, load: load2 },
    reply: { nextMs: 10312, desired: 3, resync: false, listStale: false, mapVersion: 17 }
  },
  events: { body: [{ id: "ready-1", type: "node.ready", version: 1, incarnation: 1, data: {} }], reply: { accepted: 1 } },
  leaving: { body: { id: "leaving-1", incarnation: 1, mode: "drain" }, reply: { accepted: 1 } },
  rotate: { body: { publicKey, proof: "A".repeat(86) }, reply: { fingerprint: fp3 } },
  desired: { reply: { release: [] } },
  systems: { reply: { version: 4, whole: true, systems: [fp3], gone: [] } },
  system: { reply: { verdict: "accept" } },
  knock: { body: { publicKey, fqdn: "web1.acme.org", machineId: system2.machineId, suggestedTags: ["web"] }, reply: "0" },
  systemStatus: { reply: "1" },
  orphan: { reply: fqdn },
  status: {
    reply: {
      deployment: "Muster",
      version: "0.1.0",
      now: at2,
      intervalMs: 1e4,
      sweptAt: at2,
      deadLetters: 0,
      zones: [{ name: "default", mode: "production", version: 17, slots: 1024, nodes: { up: 5 }, systemsAbout: 500 }]
    }
  },
  listNodes: { reply: { items: [node2] } },
  getNode: { reply: { ...node2, host: { ...facts, at: at2 } } },
  editNode: { body: { weight: 2, labels: { rack: "r12" } }, reply: { ...node2, weight: 2 } },
  leaveNode: { body: { mode: "hold", until: "2026-05-01T18:00:00Z" }, reply: { done: true, because: "it leaves, hold" } },
  dropNode: { body: {}, reply: ordered5 },
  ...admissionExamples,
  listSystems: { reply: { items: [system2], next: "eyJvcGFxdWUiOnRydWV9" } },
  getSystem: { reply: system2 },
  editSystem: { body: { tags: ["web", "blue"] }, reply: { ...system2, tags: ["web", "blue"] } },
  accept: { body: { systems: [fp3], tags: ["web"] }, reply: results4 },
  unregister: {
    body: { systems: [fp3] },
    reply: { results: [{ fp: fp3, done: true, because: "unregistered: an orphan, its key stays accepted" }] }
  },
  ban: { body: { systems: [fp3] }, reply: { results: [{ fp: fp3, done: true, because: "banned, for ever" }] } },
  createOnboardingToken: {
    body: { tags: ["web"], uses: 500, cidr: "10.0.0.0/8" },
    reply: { secret: `mot_${onboardingToken.id}_x4f\u2026_a1b2c3`, token: onboardingToken }
  },
  listOnboardingTokens: { reply: { items: [onboardingToken] } },
  revokeOnboardingToken: { body: {}, reply: { ...onboardingToken, status: "revoked", revokedAt: at2 } },
  listAudit: {
    reply: {
      items: [
        {
          n: 12,
          at: at2,
          zone: "default",
          who: "admin:anna",
          source: "192.0.2.9",
          request: "c6af9ac6-7b61-11e6-9a41-93e8deadbeef",
          did: "changed",
          what: { noun: "node", id: id2, row: "node", rev: 42 },
          because: "an operator gives it up",
          fields: ["status"],
          events: { first: 9, types: ["node.dropped"] },
          previous: "a2f3f0c2b8e2d1d9d6a6f0c6d3c0b7c1d5d5a1b1c1f0e7a6b5c4d3e2f1a0b9c8",
          hash: "4d3c0b7c1d5d5a1b1c1f0e7a6b5c4d3e2f1a0b9c8a2f3f0c2b8e2d1d9d6a6f0c6"
        }
      ],
      next: "eyJvcGFxdWUiOnRydWV9"
    }
  },
  verifyAudit: { reply: { ok: true, entries: 200, days: 3, faults: [], keptSince: "2025-03-27", next: "eyJvcGFxdWUiOnRydWV9" } },
  listDeadLetters: { reply: { items: [letter2], next: "eyJvcGFxdWUiOnRydWV9" } },
  getDeadLetter: { reply: { ...letter2, message: '{"type":"node.up"}' } },
  redriveDeadLetters: {
    body: { ids: [letter2.id] },
    reply: { results: [{ id: letter2.id, done: true, because: "given back to the queue reports, attempt 1" }] }
  },
  dropDeadLetters: {
    body: { code: "wrong-shape" },
    reply: { results: [{ id: letter2.id, done: true, because: "an operator dropped it" }] }
  },
  createKey: {
    body: { name: "ticket system", scopes: ["operate"], zones: [ZoneName.parse("default")], expiresInDays: 90 },
    reply: { secret: "mak_4q1zk0w8r2tn_aQmW5yHc0Vd3kS7uJ9fLxPzB2nE6gRtYoIvKqN8wCs4_09cf7b", key: apiKey }
  },
  listKeys: { reply: { items: [apiKey] } },
  revokeKey: { body: {}, reply: { ...apiKey, status: "revoked", revokedAt: at2 } },
  createSignInLink: {
    body: {},
    reply: { link: "https://muster.acme.org/sign-in#msl_7h3m9x2c5vqa_Jr8sKd0fWz3bNy6tGq1uHx4eCv7mLp2aRi5oTk9wEjY_51be0a", expires: at2 }
  },
  signIn: {
    body: { secret: "msl_7h3m9x2c5vqa_Jr8sKd0fWz3bNy6tGq1uHx4eCv7mLp2aRi5oTk9wEjY_51be0a" },
    reply: { token: "mst_2n6c8f1d4gzb_Xe5uPq9tBw2mKj7vHs0yNr3cFa6iLo8dGz1kTf4hRpQ_e8d213", expires: at2, name: "Ada Lovelace" }
  },
  signOut: { body: {}, reply: { ...apiKey, kind: "session", name: "Ada Lovelace", status: "revoked", revokedAt: at2 } },
  waysToSignIn: { reply: { methods: ["oidc", "link"], issuer: "https://id.acme.org", clientId: "muster", scopes: "openid profile" } },
  whoAmI: { reply: { who: "admin:ada", name: "Ada Lovelace", rights: { read: "all", operate: [ZoneName.parse("default")] } } },
  listTokenKeys: {
    reply: {
      items: [
        { id: 2, use: "signs", since: at2 },
        { id: 1, use: "verifies" }
      ]
    }
  },
  rotateTokenKeys: {
    body: { force: false },
    reply: { current: 2, because: "key 2 signs; tokens of key 1 hold until they are renewed" }
  },
  listZones: { reply: { items: [zone2] } },
  getZone: { reply: zone2 },
  editZone: { body: { unsignedClients: true }, reply: { ...zone2, unsignedClients: true } },
  explain: {
    reply: {
      subject: `node ${fqdn}`,
      state: "suspect",
      because: "its lease ran out",
      since: at2,
      by: "sweep-1",
      looksAgainAt: "2026-05-01T12:00:05Z",
      also: [{ subject: "its standing in zone default", because: "up at generation 1" }]
    }
  },
  history: {
    reply: {
      items: [
        {
          seq: 1,
          type: "node.joined",
          version: 1,
          at: at2,
          because: "its boot is acknowledged",
          by: "up-1",
          data: { node: id2, fqdn, zone: "default", incarnation: 1, generation: 1 }
        }
      ],
      more: false
    }
  },
  getSettings: { reply: settings },
  editSettings: { body: { beatMinMs: 1e4 }, reply: settings }
};

// lib/api/openapi-schemas.ts
import * as z35 from "zod";
var named2 = {
  Node: NodeView,
  System: SystemView,
  Zone: ZoneView,
  DeadLetter: DeadLetterView,
  DeadLetterWhole,
  Explanation,
  HistoryEntry: HistoryView,
  Settings,
  Problem
};
var told2 = [
  [
    Fingerprint,
    { description: "SHA-256 of a public key in hex, with or without colons", pattern: "^([0-9a-fA-F]{2}:?){31}[0-9a-fA-F]{2}$" }
  ],
  [Fqdn, { description: "A fully qualified domain name", maxLength: 253 }],
  [NodeId, { description: "n and the first 16 hex digits of the SHA-256 of the key it first joined with" }],
  [ZoneName, { description: "The name of a zone" }],
  [Tag, { description: "A tag, group or label" }]
];
function metadata() {
  const registry2 = z35.registry();
  for (const [id3, schema] of Object.entries(named2)) registry2.add(schema, { id: id3 });
  for (const [schema, facts2] of told2) registry2.add(schema, facts2);
  return registry2;
}
var Schemas = class {
  #metadata = metadata();
  /** The named ones met so far, for `components.schemas`. */
  components = {};
  /** What a caller may send: before defaults and transforms, unknown fields refused. */
  sent(schema) {
    return this.#converted(schema, "input", pruned);
  }
  /** What is answered. Unknown fields are left open, so that a field more is no new version of the API. */
  answered(schema) {
    return this.#converted(schema, "output", (json2) => {
      pruned(json2);
      if (json2["additionalProperties"] === false) delete json2["additionalProperties"];
    });
  }
  #converted(schema, io, override) {
    const converted = z35.toJSONSchema(schema, { io, metadata: this.#metadata, override: ({ jsonSchema }) => override(jsonSchema) });
    const { $schema: _dialect, $defs = {}, ...rest } = referring(converted);
    for (const [id3, definition] of Object.entries($defs)) this.components[id3] = withoutId(definition);
    return rest["id"] === void 0 ? rest : this.#asComponent(String(rest["id"]), rest);
  }
  #asComponent(id3, schema) {
    this.components[id3] = withoutId(schema);
    return { $ref: `#/components/schemas/${id3}` };
  }
};
function pruned(json2) {
  if (json2["minimum"] === Number.MIN_SAFE_INTEGER) delete json2["minimum"];
  if (json2["maximum"] === Number.MAX_SAFE_INTEGER) delete json2["maximum"];
  if (json2["format"] === "date-time") delete json2["pattern"];
}
var withoutId = ({ id: _id, ...schema }) => schema;
function referring(value) {
  if (Array.isArray(value)) return value.map(referring);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === "$ref" && typeof inner === "string" ? inner.replace("#/$defs/", "#/components/schemas/") : referring(inner)
    ])
  );
}

// lib/api/openapi.ts
var scopes = {
  read: "look at everything",
  operate: "accept, unregister, edit; let nodes leave or drop them",
  admin: "change settings of the deployment; let others sign in",
  security: "ban; make and revoke API keys; replace the keys of tokens"
};
function openApi() {
  const schemas = new Schemas();
  const problem = schemas.answered(Problem);
  const operations = Object.entries(contract).map(
    ([name, route2]) => [route2, operationOf(name, route2, schemas, problem)]
  );
  const paths = Object.fromEntries(
    [...Map.groupBy(operations, ([{ path }]) => path)].map(([path, methods]) => [
      path,
      Object.fromEntries(methods.map(([{ method }, operation]) => [method.toLowerCase(), operation]))
    ])
  );
  return {
    openapi: "3.1.0",
    info: { title: "Muster", version: "1", license: { name: "Apache-2.0", identifier: "Apache-2.0" }, description },
    servers: [{ url: "/", description: "The deployment that gave you this document" }],
    tags: [
      { name: "nodes", description: "The agent protocol" },
      { name: "client systems", description: "The client system protocol: every answer is one byte, or a name" },
      { name: "administration", description: "The API for operators and automation" }
    ],
    paths,
    components: { schemas: sorted(schemas.components), securitySchemes }
  };
}
var description = `Machines call in; Muster knows who is there, and gives every client system a node to live on.

Unknown fields are refused, with a pointer. Every refusal is problem+json with a stable type; answers may gain fields. Lists give
pages with an opaque cursor \`next\`, which belongs to its query; a page may be short while more follow. Bodies have at most 64 KiB.

The embedded host answers on loopback only, and has one address more: GET /api/v1/events is the stream of published events
(server-sent events, resumable by Last-Event-ID); their shapes are in the AsyncAPI document.`;
var scopesTold = adminScopes.map((scope) => `- \`${scope}\`: ${scopes[scope]}`).join("\n");
var securitySchemes = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: `An API key, a session, or an access token of the deployment's OpenID Connect issuer, with scopes, each in some zones or in all:
${scopesTold}`
  },
  signature: {
    type: "apiKey",
    in: "header",
    name: "signature",
    description: "An HTTP message signature (RFC 9421) by the Ed25519 key of the machine, with the headers `signature-input` and `content-digest`, over method, path, query and digest"
  },
  membership: {
    type: "apiKey",
    in: "header",
    name: "muster-token",
    description: "The membership token that a knock brought, and each answer renews; without one that holds, an answer comes from the row"
  }
};
function securityOf({ scope, method }) {
  if (scope === "anyone") return [];
  if (scope === "node") return [{ signature: [] }];
  if (scope === "client") return [method === "GET" ? { membership: [] } : { signature: [] }, {}];
  return [{ bearer: [scope] }];
}
function operationOf(name, route2, schemas, problem) {
  return {
    operationId: name,
    summary: route2.summary,
    tags: [route2.scope === "node" ? "nodes" : route2.scope === "client" ? "client systems" : "administration"],
    security: securityOf(route2),
    ...parametersOf(name, route2, schemas),
    ...route2.body && {
      requestBody: {
        required: !route2.body.safeParse({}).success,
        content: { "application/json": { schema: schemas.sent(route2.body), ...exampleOf(examples[name]?.body) } }
      }
    },
    responses: { ...successesOf(name, route2, schemas), ...refusalsOf(route2, problem) }
  };
}
function parametersOf(name, route2, schemas) {
  const parameters = [
    ...fieldsOf(route2.params && schemas.sent(route2.params), "path"),
    ...fieldsOf(route2.query && schemas.sent(route2.query), "query"),
    ...headersSent(name, route2)
  ];
  return parameters.length > 0 ? { parameters } : {};
}
function fieldsOf(object, where) {
  const { properties = {}, required = [] } = object ?? {};
  return Object.entries(properties).map(([name, schema]) => ({ name, in: where, required: required.includes(name), schema }));
}
var descriptions = {
  200: "Done",
  201: "Made",
  202: "Taken, and on its way",
  204: "Not yet",
  304: "Unchanged"
};
function successesOf(name, route2, schemas) {
  return Object.fromEntries(
    [...route2.statuses].sort().map((status2) => {
      const headers = headersAnswered(name, route2, status2);
      const bodyless = status2 === 204 || status2 === 304 || !route2.reply;
      return [
        String(status2),
        {
          description: descriptions[status2] ?? "Done",
          ...Object.keys(headers).length > 0 && { headers },
          ...!bodyless && {
            content: {
              [route2.replyType ?? "application/json"]: { schema: schemas.answered(route2.reply), ...exampleOf(examples[name]?.reply) }
            }
          }
        }
      ];
    })
  );
}
function refusalsOf(route2, problem) {
  const byStatus = Map.groupBy(refusalsPossible(route2), (type) => problems[type][0]);
  return Object.fromEntries(
    [...byStatus].sort(([a], [b]) => a - b).map(([status2, types]) => {
      const headers = headersRefused(route2, status2);
      const type = { enum: types.map((slug) => `urn:muster:problem:${slug}`) };
      const means = types.map((slug) => `\`${slug}\`: ${problems[slug][1]}`).join("\n\n");
      return [
        String(status2),
        {
          description: means,
          ...headers && { headers },
          content: { "application/problem+json": { schema: { ...problem, properties: { type } } } }
        }
      ];
    })
  );
}
function refusalsPossible(route2) {
  const checked2 = [
    ...isForBearers(route2) ? ["sign-in-needed", "bearer-invalid", "insufficient-scope"] : [],
    ...route2.body ? ["malformed-json", "too-large", "unsupported-media-type", "content-encoding"] : [],
    "unknown-field",
    ...route2.body || route2.query || route2.params ? ["invalid"] : [],
    ...takesIdempotencyKey(route2) ? ["in-progress", "idempotency-mismatch"] : [],
    "rate-limited",
    "unexpected",
    "busy"
  ];
  return [.../* @__PURE__ */ new Set([...route2.errors, ...checked2])];
}
var exampleOf = (example) => example === void 0 ? {} : { example };
var sorted = (schemas) => Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => a < b ? -1 : 1));

// lib/doors/admin/zones.ts
async function listZones({ query, caller }, shell) {
  await ensureDefaultZone(shell);
  const after = await positionOf(shell, query.cursor, "zones");
  const page = await shell.table.queryIndex({ index: "list", pk: zoneList, limit: query.limit, ...after !== void 0 && { after } });
  const seen3 = page.items.filter((entry) => seesZone(caller, entry.sk));
  const items = await Promise.all(seen3.map((entry) => shown3(shell, entry.sk, caller)));
  return { status: 200, body: { items, ...page.next !== void 0 && { next: await cursorAt(shell, page.next, "zones") } } };
}
async function getZone({ params, caller }, shell) {
  await ensureDefaultZone(shell);
  return { status: 200, body: await shown3(shell, params.zone, caller) };
}
async function editZone({ params, body, request, caller }, shell) {
  if (params.zone === defaultZone) await ensureDefaultZone(shell);
  await foundZone(shell, params.zone, caller);
  const { unsignedClients: allowed } = body;
  if (allowed !== void 0) {
    const command4 = { type: "unsigned-clients", id: request.id, zone: params.zone, allowed };
    await apply(shell, deploymentRef, command4, decideDeployment);
  }
  return { status: 200, body: await shown3(shell, params.zone, caller) };
}
async function shown3(shell, name, caller) {
  const zone3 = await foundZone(shell, name, caller);
  const refs = [{ noun: "zone", id: name }, { noun: "counts", id: name }, deploymentRef];
  const [headRow, countsRow, deploymentRow] = await shell.table.readMany(refs.map(keyOf));
  const unsignedClients = allowsUnsigned(deploymentRow?.body, name);
  return zoneView(zone3, headRow?.because ?? "", { counts: countsRow?.body, unsignedClients });
}
async function zonesOf2(shell, caller) {
  const names2 = [];
  for (let after; ; ) {
    const page = await shell.table.queryIndex({ index: "list", pk: zoneList, limit: 1e3, ...after && { after } });
    names2.push(...page.items.map((entry) => entry.sk).filter((name) => seesZone(caller, name)));
    if (!page.next) return names2;
    after = page.next;
  }
}

// lib/doors/admin/overview.ts
var musterVersion = "0.1.0";
async function status({ caller }, shell) {
  await ensureDefaultZone(shell);
  const [deploymentRow, sweepRow] = await shell.table.readMany([keyOf(deploymentRef), keyOf({ noun: "sweep", id: "sweep" })]);
  const sweptAt = sweepRow?.body?.sweptAt;
  const body = {
    deployment: shell.settings.deployment,
    version: musterVersion,
    now: new Date(shell.now()).toISOString(),
    intervalMs: intervalOf(deploymentRow?.body, shell.settings.beatMinMs),
    ...sweptAt !== void 0 && { sweptAt: new Date(sweptAt).toISOString() },
    ...isEverywhere(caller) && { deadLetters: await countDead(shell) },
    zones: await Promise.all((await zonesOf2(shell, caller)).map((name) => summary(shell, name, caller)))
  };
  return { status: 200, body };
}
async function countDead(shell) {
  const pages = await Promise.all(letterLists.dead.map((pk) => shell.table.queryIndex({ index: "list", pk, limit: deadCountedMax })));
  return Math.min(
    deadCountedMax,
    pages.reduce((sum, { items }) => sum + items.length, 0)
  );
}
async function summary(shell, name, caller) {
  const zone3 = await foundZone(shell, name, caller);
  const counts = (await shell.table.read(keyOf({ noun: "counts", id: name })))?.body;
  const nodes2 = {};
  for (let index = 0; index < rosterSize(zone3.head.roster); index++) {
    const standing = standingOf(standingAt(zone3.head.roster, index));
    nodes2[standing] = (nodes2[standing] ?? 0) + 1;
  }
  const systemsAbout = [...systemsByNode(zone3, counts).values()].reduce((sum, n) => sum + n, 0);
  return { name: zone3.head.name, mode: zone3.head.mode, version: zone3.head.version, slots: zone3.head.slots, nodes: nodes2, systemsAbout };
}
async function getSettings(_call, shell) {
  const row2 = await shell.table.read(keyOf(deploymentRef));
  return shown4(shell, row2?.body);
}
async function editSettings({ body, request, caller }, shell) {
  needsEverywhere(caller, "admin");
  const command4 = { type: "set", id: request.id, ...body };
  const fenced = ifMatch2(request, settingsEtag, decideDeployment);
  const { state } = await apply(shell, deploymentRef, command4, fenced);
  rememberDeployment(shell, state);
  return shown4(shell, state);
}
var shown4 = (shell, deployment) => ({
  status: 200,
  body: {
    beatMinMs: deployment?.beatMinMs ?? shell.settings.beatMinMs,
    intervalMs: intervalOf(deployment, shell.settings.beatMinMs),
    admittedNodes: admittedNodes(deployment),
    openCalls: deployment?.openCalls ?? true,
    newKeysPerSource: newKeysPerSourceOf(deployment)
  },
  headers: { etag: settingsEtag(deployment) }
});
var openapi = (_call, shell) => ({ status: 200, body: cached(shell, "openapi", openApi) });

// lib/doors/admin/remove-node.ts
async function removeNode({ params, request, caller }, shell) {
  const { node: node5 } = await foundNode(shell, params.id, caller);
  const plan2 = await applyPlan(shell, { id: request.id }, (reading) => removal(shell, reading, node5, request.id));
  return { status: 202, body: { done: plan2.changes.length > 0, because: plan2.because[0] } };
}
async function removal(shell, reading, found2, id3) {
  const ref = { noun: "node", id: found2.id };
  const row2 = await reading.row(ref);
  const now = shell.now();
  const node5 = stateOf(row2, now);
  const decision = decide(node5, { type: "remove", id: id3 }, now);
  if (!node5 || decision.does === "nothing") return { changes: [], because: [decision.because] };
  const wakeAt = decision.does === "write" ? earlier(row2?.wakeAt, decision.wakeAt) : void 0;
  const owner = { noun: "node", id: node5.id };
  const keys = await Promise.all(keysOf(node5).map((key) => heldKey(shell, reading, fingerprintOf(key))));
  return {
    changes: [
      { ref, readRev: row2.rev, decision: { ...decision, ...wakeAt !== void 0 && { wakeAt } } },
      ...keys.flatMap((key) => revokeKey(key, owner, now))
    ],
    because: [decision.because]
  };
}
var keysOf = ({ publicKey: publicKey2 }) => [publicKey2];

// lib/doors/admin/token-keys.ts
async function listTokenKeys({ caller }, shell) {
  needsEverywhere(caller, "read");
  const ages = await shell.keys.ages();
  const items = ages.map(({ id: id3, since }, at3) => ({
    id: id3,
    use: at3 === 0 ? "signs" : "verifies",
    ...since !== void 0 && { since: moment2(since) }
  }));
  return { status: 200, body: { items } };
}
var secretBytes2 = 32;
async function rotateTokenKeys({ body, request, caller }, shell) {
  needsEverywhere(caller, "security");
  const [newest, before] = await shell.keys.ages();
  const at3 = shell.now();
  if (before && !body.force) refuseEarly(newest, before, at3);
  await note(shell, { id: request.id, replaced: newest.id, force: body.force });
  const rotation = await shell.keys.rotate({ from: newest.id, secret: shell.randomBytes(secretBytes2), at: at3 });
  if (!rotation) throw new Refusal("refused", `somebody else is replacing key ${newest.id}: see which keys there are`);
  shell.log("info", "keys.rotated", { id: request.id, ...rotation });
  return { status: 200, body: { ...rotation, because: becauseOf(rotation.current, newest.id, rotation.retired) } };
}
var note = (shell, order2) => apply(
  shell,
  { noun: "token-keys", id: "deployment" },
  order2,
  (_before, { replaced, force }) => write({ replaced, force }, `key ${replaced} is to sign no more${force ? ", forced" : ""}`)
);
function refuseEarly({ id: id3, since }, before, now) {
  const freeAt = since === void 0 ? void 0 : since + tokenLifeS * secondMs;
  if (freeAt !== void 0 && now >= freeAt) return;
  const knock3 = `whoever has one would have to knock again at once`;
  throw new Refusal(
    "refused",
    freeAt === void 0 ? `nobody has noted since when key ${id3} signs, so tokens of key ${before.id} may be in use: ${knock3}, unless forced` : `tokens of key ${before.id} are in use until ${moment2(freeAt)}: ${knock3}; wait until then, or force it`
  );
}
var becauseOf = (current, before, retired) => `key ${current} signs; tokens of key ${before} hold until they are renewed${retired === void 0 ? "" : `, tokens of key ${retired} hold no more`}`;
var moment2 = (at3) => new Date(at3).toISOString();

// lib/doors/admin/admin.ts
var adminHandlers = {
  status,
  listNodes,
  getNode,
  editNode,
  leaveNode,
  dropNode,
  removeNode,
  createNodeToken,
  listNodeTokens,
  revokeNodeToken,
  listNodePool,
  admitHosts,
  rejectHosts,
  listAdmissionRules,
  addAdmissionRule,
  deleteAdmissionRule,
  listSystems,
  getSystem,
  editSystem,
  accept,
  unregister,
  ban,
  createOnboardingToken,
  listOnboardingTokens,
  revokeOnboardingToken,
  listAudit,
  verifyAudit,
  listDeadLetters,
  getDeadLetter,
  redriveDeadLetters,
  dropDeadLetters,
  createKey,
  listKeys,
  revokeKey: revokeKey2,
  createSignInLink,
  signIn,
  signOut,
  waysToSignIn,
  whoAmI,
  listTokenKeys,
  rotateTokenKeys,
  listZones,
  getZone,
  editZone,
  explain,
  history,
  getSettings,
  editSettings,
  openapi
};

// functions/admin.ts
var admin_default = onRoutes(adminRoutes, adminHandlers, verifyAdmin);

// events/catalogue.ts
import * as z39 from "zod";

// events/published/client.ts
import * as z36 from "zod";
var system3 = { system: Fingerprint, fqdn: Fqdn };
var ClientSeen = defineEvent("client.seen", 1, z36.strictObject(system3));
var ClientAccepted = defineEvent(
  "client.accepted",
  1,
  z36.strictObject({ ...system3, zone: ZoneName, tags: z36.array(Tag), groups: z36.array(Tag) })
);
var ClientAssigned = defineEvent(
  "client.assigned",
  1,
  z36.strictObject({ ...system3, zone: ZoneName, node: NodeId, generation: z36.int().nonnegative() })
);
var ClientUnregistered = defineEvent("client.unregistered", 1, z36.strictObject(system3));
var ClientBanned = defineEvent("client.banned", 1, z36.strictObject(system3));

// events/published/node.ts
import * as z37 from "zod";
var node3 = { node: NodeId, fqdn: Fqdn, zone: ZoneName };
var counted = { ...node3, incarnation: z37.int().nonnegative(), generation: z37.int().nonnegative() };
var NodeJoined = defineEvent("node.joined", 1, z37.strictObject(counted));
var NodeActivated = defineEvent("node.activated", 1, z37.strictObject(counted));
var NodeSuspected = defineEvent("node.suspected", 1, z37.strictObject({ ...counted, heardAt: EpochMs }));
var NodeRecovered = defineEvent(
  "node.recovered",
  1,
  z37.strictObject({ ...counted, from: z37.enum(["suspect", "down", "leaving", "quarantined"]) })
);
var NodeLost = defineEvent("node.lost", 1, z37.strictObject({ ...counted, heardAt: EpochMs }));
var NodeDropped = defineEvent("node.dropped", 1, z37.strictObject({ ...counted, planned: z37.boolean() }));
var NodeDeparting = defineEvent(
  "node.departing",
  1,
  z37.strictObject({ ...counted, mode: z37.enum(["drain", "hold"]), until: EpochMs.optional() })
);
var NodeQuarantined = defineEvent(
  "node.quarantined",
  1,
  z37.strictObject({ ...counted, reason: z37.enum(["clone", "flapping", "operator"]) })
);
var NodeReadmitted = defineEvent("node.readmitted", 1, z37.strictObject(counted));
var NodeRekeyed = defineEvent("node.rekeyed", 1, z37.strictObject({ ...counted, fingerprint: Fingerprint, before: Fingerprint }));

// events/published/zone.ts
import * as z38 from "zod";
var ZoneNodeLost = defineEvent(
  "zone.node-lost",
  1,
  z38.strictObject({
    zone: ZoneName,
    node: NodeId,
    slots: z38.int().nonnegative(),
    about: z38.int().nonnegative(),
    mapVersion: z38.int().nonnegative()
  })
);
var ZoneRebalanced = defineEvent(
  "zone.rebalanced",
  1,
  z38.strictObject({
    zone: ZoneName,
    slots: z38.int().nonnegative(),
    mapVersion: z38.int().nonnegative(),
    reasons: z38.array(z38.string().max(400)).max(20)
  })
);

// events/catalogue.ts
var reported = {
  "node.up": NodeUp,
  "node.heartbeat": NodeHeartbeat,
  "node.ready": NodeReady,
  "node.leaving": NodeLeaving,
  "node.released": NodeReleased
};
var Report = NodeReport;
var BusReport = z39.discriminatedUnion("type", [NodeLeaving.omit({ receivedAt: true, intervalMs: true })]);

// lib/desired/decide.ts
function decideDesired(desired2, released) {
  const { mapVersion } = released.data;
  const left = desired2?.release.filter((order2) => order2.mapVersion > mapVersion) ?? [];
  if (!desired2 || left.length === desired2.release.length) return nothing(`no release order up to map version ${mapVersion} waits`);
  return write({ ...desired2, release: left }, `released up to map version ${mapVersion}`);
}

// lib/hosts/host.ts
var Host = HostFacts.extend({ at: EpochMs });
function decideHost2(host2, up2) {
  if (host2 && up2.receivedAt <= host2.at) return nothing("facts received before those on record");
  const { at: _at, ...known3 } = host2 ?? { at: void 0 };
  if (host2 && isSame(known3, up2.data.facts)) return nothing("the facts have not changed");
  return write({ ...up2.data.facts, at: up2.receivedAt }, host2 ? "the host has changed" : "first facts of this host");
}

// lib/dispatch.ts
var row = (noun, id3, decide5) => ({
  ref: { noun, id: id3 },
  decide: (state, now) => decide5(state, now)
});
var node4 = (report2) => row("node", report2.node, (state, now) => decide(state, report2, now));
var steps = {
  "node.up": (up2) => [node4(up2), row("host", up2.node, (state) => decideHost2(state, up2))],
  "node.heartbeat": (beat) => [
    node4(beat),
    ...beat.data.digest ? [row("digest", beat.node, (state) => decideDigest(state, beat))] : []
  ],
  "node.ready": (ready) => [node4(ready)],
  "node.leaving": (leaving3) => [node4(leaving3)],
  "node.released": (released) => [
    node4(released),
    row("desired", released.node, (state) => decideDesired(state, released))
  ]
};
var stepsOf = (report2) => steps[report2.type](report2);

// lib/doors/reports.ts
import { Poison as Poison2 } from "../../lib/errors.ts";

// lib/runtime/on-queue.ts
import { Later as Later10, MusterError as MusterError5, Poison } from "../../lib/errors.ts";
var onQueue = (schemas, work, queue) => ({
  on: "queue",
  handle: async (messages, shell) => {
    const again = await Promise.all(
      messages.map(async (message) => await consume(schemas, work, message, queue, shell) ? message.id : [])
    );
    return again.flat();
  }
});
var asFirstSent = (message) => message.letter ? { ...message, via: message.letter.via, sentAt: message.letter.sentAt } : message;
async function consume(schemas, work, handed, queue, shell) {
  const message = asFirstSent(handed);
  try {
    await work(parse2(schemas, message, shell), shell);
    return false;
  } catch (error) {
    const why = await whyAgain(shell, { ...message, queue }, known2(error));
    if (!why) return false;
    const { letter: letter3, id: id3, receives } = message;
    shell.log("warn", "report.later", { id: letter3?.id ?? id3, reason: why.code, detail: why.message, receives });
    return true;
  }
}
var known2 = (error) => error instanceof MusterError5 ? error : new Later10("unexpected", error instanceof Error ? error.message : String(error), { cause: error });
async function whyAgain(shell, message, failure2) {
  if (failure2.retry === "later" && message.receives < shell.settings.receivesMax) return failure2;
  try {
    await putAside(shell, message, failure2.code, failure2.message);
    return void 0;
  } catch (error) {
    return known2(error);
  }
}
function parse2({ door, bus }, message, shell) {
  let raw;
  try {
    raw = JSON.parse(message.body);
  } catch (error) {
    throw new Poison("malformed-json", "the message is not JSON", { cause: error });
  }
  if (message.via === "bus") {
    if (!bus) throw new Poison("not-from-bus", "nothing may come to this queue by the bus");
    return bus(raw, message, shell);
  }
  const read = door.safeParse(raw);
  if (!read.success) throw poisonOf(read.error, raw);
  return read.data;
}
function poisonOf(error, raw) {
  const type = raw?.type;
  const issue = error.issues[0];
  if (issue?.code === "invalid_union" && issue.path.join("/") === "type")
    return new Poison("unknown-type", `no report is of the type ${JSON.stringify(type)}`);
  return new Poison(
    "wrong-shape",
    `${typeof type === "string" ? type : "a report"}: /${issue?.path.join("/") ?? ""} ${issue?.message ?? ""}`
  );
}

// lib/doors/readmit.ts
var applyFlushed = (shell, up2) => applyPlan(shell, up2, async (reading) => {
  const ref = { noun: "node", id: up2.node };
  const row2 = await reading.row(ref);
  const now = shell.now();
  const node5 = stateOf(row2, now);
  const name = { noun: "fqdn", id: node5?.fqdn ?? up2.data.facts.fqdn };
  const nameRow = await reading.row(name);
  const holder = stateOf(nameRow, now)?.node;
  const isTaken = node5 && holder && holder !== node5.id && stateOf(await reading.row({ noun: "node", id: holder }), now) !== void 0;
  const decision = isTaken ? nothing(`${node5.fqdn} is the name of ${holder} now`) : decide(node5, up2, now);
  if (decision.does !== "write") return { changes: [], because: [decision.because], decision, node: node5 };
  const wakeAt = earlier(row2?.wakeAt, decision.wakeAt);
  return {
    changes: [
      { ref, readRev: row2?.rev ?? 0, decision: { ...decision, ...wakeAt !== void 0 && { wakeAt } } },
      {
        ref: name,
        readRev: nameRow?.rev ?? 0,
        decision: holder === up2.node ? nothing("it is its name still") : write({ node: up2.node }, `the name of ${up2.node} again`)
      }
    ],
    because: [decision.because],
    decision,
    node: decision.next
  };
});

// lib/doors/reports.ts
async function applyReport(report2, shell) {
  if (report2.type === "node.heartbeat" && leaseUntilOf(report2) <= shell.now()) {
    shell.log("warn", "heartbeat.late", { id: report2.id, row: `node ${report2.node}`, ms: shell.now() - report2.receivedAt });
    return;
  }
  for (const step2 of stepsOf(report2)) {
    const { ref } = step2;
    const startedAt = shell.now();
    const { decision, state } = await applyStep(report2, step2, shell);
    shell.log("info", "report.applied", {
      id: report2.id,
      type: report2.type,
      row: `${ref.noun} ${ref.id}`,
      does: decision.does,
      because: decision.because,
      ms: shell.now() - startedAt
    });
    if (isClone(decision)) shell.log("warn", "node.cloned", { id: report2.id, row: `node ${report2.node}`, because: decision.because });
    if (ref.noun === "node" && !isHeard(state, report2)) return;
  }
}
var isClone = (decision) => decision.does === "write" && decision.events.some(({ type, data }) => type === "node.quarantined" && data.reason === "clone");
async function applyStep(report2, { ref, decide: decide5 }, shell) {
  if (report2.type === "node.up" && report2.data.flushed !== void 0 && ref.noun === "node") {
    const { decision: decision2, node: node5 } = await applyFlushed(shell, report2);
    return { decision: decision2, state: node5 };
  }
  const { decision, before, state } = await apply(shell, ref, report2, (row2, _report, now) => decide5(row2, now));
  return { decision, state: state ?? before };
}
function isHeard(node5, report2) {
  if (!node5) return false;
  if (report2.type === "node.up") return report2.data.boot.id === node5.boot?.id;
  return report2.incarnation === void 0 || report2.incarnation === node5.incarnation;
}
function fromBus(raw, { sentAt }, shell) {
  const read = BusReport.safeParse(raw);
  if (read.success) return { ...read.data, receivedAt: sentAt, intervalMs: shell.settings.beatMinMs };
  const poison = poisonOf(read.error, raw);
  const type = String(Object(raw).type);
  throw poison.code === "unknown-type" && Object.hasOwn(reported, type) ? new Poison2("not-from-bus", `a ${type} is taken from the node itself, not from the bus`) : poison;
}

// functions/heartbeats.ts
var heartbeats_default = onQueue({ door: Report }, applyReport, "heartbeats");

// functions/reports.ts
var reports_default = onQueue({ door: Report, bus: fromBus }, applyReport, "reports");

// lib/runtime/on-schedule.ts
var onSchedule = (work, queue) => ({
  on: "schedule",
  handle: async (trigger, shell) => {
    if (trigger === "rule") await sendRestOfMinute(shell, queue);
    await work(shell);
  }
});
async function sendRestOfMinute(shell, queue) {
  const { sweepPeriodMs } = shell.settings;
  const sends = [];
  for (let delayMs = sweepPeriodMs; delayMs < 6e4; delayMs += sweepPeriodMs)
    sends.push(shell.queue.send(queue, JSON.stringify({ delayMs }), { delayMs }));
  await Promise.all(sends);
}

// lib/zones/follow.ts
function follow(node5, context) {
  const { ownedSlots, now, because } = context;
  switch (node5.status) {
    case "absent":
    case "waiting":
    case "dropped":
      return {
        standing: node5.status === "dropped" ? "dropped" : "none",
        node: settled(node5, because),
        why: `${node5.fqdn} is ${node5.status}`
      };
    case "joining":
      return node5.ordered ? drop2(node5, false, "an operator gave it up", now) : stands("joining", node5, because);
    case "up":
      return node5.ordered ? drop2(node5, false, "an operator gave it up", now) : stands("up", node5, because);
    case "quarantined":
      return node5.ordered ? drop2(node5, false, "an operator gave it up", now) : stands("quarantined", node5, because);
    case "suspect":
      return onSuspect(node5, ownedSlots, now);
    case "down":
      return onDown(node5, context);
    case "leaving":
      return onLeaving2(node5, context);
  }
}
function onSuspect(node5, ownedSlots, now) {
  if (node5.ordered) return drop2(node5, false, "an operator gave it up", now);
  if (node5.leaving?.mode === "drain" && ownedSlots === 0) return drop2(node5, true, "drained, then silent", now);
  return lose(node5, `not heard since ${when(node5)}`, now);
}
function onDown(node5, context) {
  const { now, because } = context;
  if (node5.ordered) return drop2(node5, false, "an operator gave it up", now);
  if (node5.returning && node5.returning.leaseUntil > now) return comeBack(node5, node5.returning.leaseUntil);
  const dropAt = graced(plusMs(node5.downAt, dropAfterMs), context);
  if (now >= dropAt) return drop2(node5, false, `down for ${dropAfterMs / 6e4} min`, now);
  return { standing: "down", node: stayDown(node5, because, dropAt), why: `${node5.fqdn} is down` };
}
function comeBack(node5, leaseUntil) {
  const base = { ...lasting(node5), leaseUntil };
  const next3 = node5.reason ? { ...base, status: "quarantined", reason: node5.reason } : { ...base, status: node5.unready ? "joining" : "up" };
  const decision = write(next3, "heard again while down: its home is intact", {
    events: [concluded("node.recovered", next3, { from: "down" })],
    wakeAt: leaseUntil
  });
  return { standing: next3.status, node: decision, why: `${node5.fqdn} is back` };
}
function stayDown({ returning: returning2, ...node5 }, because, dropAt) {
  if (!returning2) return settled(node5, because, dropAt);
  const { awaitsPlan: _followed, ...next3 } = node5;
  return write(next3, "heard while down, and silent again since: it stays down", { wakeAt: dropAt });
}
function onLeaving2(node5, context) {
  const { before, ownedSlots, now, because } = context;
  if (node5.ordered) return drop2(node5, false, "an operator gave it up", now);
  const { mode, until, since, orderVersion, releasedVersion } = node5.leaving;
  if (mode === "hold") {
    const deadline = graced(until, context);
    return deadline <= now ? lose(node5, "the hold ran out before it came back", now) : stands("held", node5, because, deadline);
  }
  const waitsUntil = graced(plusMs(since, releaseWaitMs), context);
  const told3 = orderVersion === void 0 || (releasedVersion ?? -1) >= orderVersion;
  const hasForgotten = orderVersion === void 0 && releasedVersion === void 0 && (before === "draining" || before === "held");
  if (ownedSlots === 0 && told3 && !hasForgotten) return drop2(node5, true, "drained", now);
  if (now >= waitsUntil)
    return drop2(node5, true, ownedSlots === 0 ? "drained; its release was never confirmed" : "its clients fit nowhere else", now);
  return stands("draining", node5, because, waitsUntil);
}
function stands(standing, node5, because, deadline) {
  const wakeAt = deadline !== void 0 && deadline < node5.leaseUntil ? deadline : node5.leaseUntil;
  return { standing, node: settled(node5, because, wakeAt), why: `${node5.fqdn} is ${standing}` };
}
var settled = (node5, because, wakeAt) => {
  if (!node5.awaitsPlan) return nothing("the roster shows it already", wakeAt);
  const { awaitsPlan: _followed, ...next3 } = node5;
  return write(next3, because, { wakeAt });
};
function lose(node5, why, now) {
  const reason2 = node5.status === "suspect" ? node5.reason : void 0;
  const next3 = { ...lasting(node5), status: "down", downAt: now, ...reason2 && { reason: reason2 } };
  const events2 = [concluded("node.lost", next3, { heardAt: node5.heardAt ?? node5.joinedAt })];
  return { standing: "down", node: write(next3, why, { events: events2, wakeAt: plusMs(now, dropAfterMs) }), why: `${node5.fqdn} is down: ${why}` };
}
function drop2(node5, planned, why, now) {
  const next3 = { ...lasting(node5), status: "dropped", droppedAt: now, planned };
  return {
    standing: "dropped",
    node: write(next3, why, { events: [concluded("node.dropped", next3, { planned })] }),
    why: `${node5.fqdn} is dropped: ${why}`
  };
}
var when = (node5) => new Date(node5.heardAt ?? node5.joinedAt).toISOString();

// lib/zones/place.ts
function place(placing) {
  const board = new Board(placing);
  for (const index of placing.returning) if ((placing.weights[index] ?? 0) > 0) board.takeHome(index);
  board.settleHomeless();
  board.share();
  return { moves: board.moves(), settling: board.unfinished() };
}
var Board = class {
  #p;
  #owner;
  #home;
  #load;
  #weightSum;
  #base;
  /** What a slot weighs on average. */
  #slot;
  /** Nodes that gave a slot and must be told. */
  #donors = /* @__PURE__ */ new Set();
  #unfinished = /* @__PURE__ */ new Set();
  #returned = /* @__PURE__ */ new Set();
  constructor(placing) {
    this.#p = placing;
    this.#owner = placing.map.owner.slice();
    this.#home = placing.map.home.slice();
    this.#load = new Float64Array(placing.weights.length);
    this.#weightSum = placing.weights.reduce((sum, weight) => sum + weight, 0);
    const slots = this.#owner.length;
    let clients = 0;
    for (let slot = 0; slot < slots; slot++) clients += placing.counts[slot] ?? 0;
    const mean = clients / slots;
    this.#base = Math.max(1 / (1 + mean), mean / 64);
    this.#slot = clients / slots + this.#base;
    for (let slot = 0; slot < slots; slot++) if (this.#owner[slot] !== nobody) this.#load[this.#owner[slot]] += this.#weigh(slot);
  }
  /** All slots whose home this node is go back to it; more than its home it does not take. */
  takeHome(index) {
    for (let slot = 0; slot < this.#home.length; slot++) {
      if (this.#home[slot] !== index || this.#owner[slot] === index) continue;
      this.#returned.add(index);
      if (this.#frees(slot, index)) this.#give(slot, index);
    }
  }
  /** Slots without a serving owner go, the heaviest first, to the node with the least load for its weight. */
  settleHomeless() {
    if (this.#weightSum === 0) return;
    const homeless = [];
    for (let slot = 0; slot < this.#owner.length; slot++) {
      const owner = this.#owner[slot];
      if (owner === nobody || this.#p.leaves(owner) && this.#frees(slot, owner)) homeless.push(slot);
      if (this.#home[slot] !== nobody && this.#p.forgotten(this.#home[slot])) this.#home[slot] = nobody;
    }
    homeless.sort((a, b) => this.#weigh(b) - this.#weigh(a) || a - b);
    for (const slot of homeless) this.#give(slot, this.#least());
    for (let slot = 0; slot < this.#home.length; slot++) if (this.#home[slot] === nobody) this.#home[slot] = this.#owner[slot];
  }
  /**
   * Owed shares are taken, slot by slot, from whoever has the most for its weight, while that makes the two more even. A node without
   * any slot is owed its share too: it joined while others were away, and they have taken their home back.
   */
  share() {
    const slotsOf = this.#slotsByOwner();
    const bare = this.#p.weights.flatMap((weight, index) => weight > 0 && slotsOf[index].length === 0 ? [index] : []);
    const joining = this.#p.joining.filter((index) => (this.#p.weights[index] ?? 0) > 0 && !this.#returned.has(index));
    const owed = /* @__PURE__ */ new Set([...joining, ...bare]);
    const fair = this.#p.weights.reduce((sum, weight, index) => weight > 0 ? sum + this.#load[index] : sum, 0) / this.#weightSum;
    const taken = [];
    while (owed.size > 0) {
      const taker = [...owed].reduce((a, b) => this.#ratio(b) < this.#ratio(a) ? b : a);
      const isShort = this.#load[taker] + this.#slot / 2 < fair * this.#p.weights[taker];
      const donor = isShort ? this.#most(owed) : void 0;
      const slot = donor === void 0 ? void 0 : this.#fitting(slotsOf[donor], taker, donor);
      if (donor !== void 0 && slot !== void 0) taken.push(this.#take(slot, taker));
      else owed.delete(taker);
    }
    this.#leaveToLater(taken);
  }
  #take(slot, taker) {
    const taken = { slot, donor: this.#owner[slot], home: this.#home[slot], taker };
    this.#give(slot, taker);
    this.#home[slot] = taker;
    return taken;
  }
  /**
   * Shares are worked out whole and then cut, so that those who give in a later plan give no less than the others: what more nodes
   * than one plan may take from would have given goes back to them.
   */
  #leaveToLater(taken) {
    for (const { slot, donor, home, taker } of taken) {
      if (this.#mayGive(donor)) continue;
      this.#give(slot, donor);
      this.#home[slot] = home;
      this.#unfinished.add(taker);
    }
  }
  /** Nodes that another plan must go on with. */
  unfinished() {
    return [...this.#unfinished].sort((a, b) => a - b);
  }
  moves() {
    const { owner, home } = this.#p.map;
    const moves = [];
    for (let slot = 0; slot < owner.length; slot++)
      if (owner[slot] !== this.#owner[slot] || home[slot] !== this.#home[slot])
        moves.push({ slot, from: owner[slot], owner: this.#owner[slot], home: this.#home[slot] });
    return moves;
  }
  #weigh(slot) {
    return (this.#p.counts[slot] ?? 0) + this.#base;
  }
  #ratio(index) {
    return this.#load[index] / this.#p.weights[index];
  }
  /** Whether a slot may leave its owner in this plan; if not, another one goes on for the node it concerns. */
  #frees(slot, concerned) {
    const frees = this.#mayGive(this.#owner[slot]);
    if (!frees) this.#unfinished.add(concerned);
    return frees;
  }
  /** Whether this plan has room for telling a node what it gives; once it has, for all that it gives. */
  #mayGive(index) {
    if (index === nobody || !this.#p.tells(index) || this.#donors.has(index)) return true;
    if (this.#donors.size >= this.#p.donorsMax) return false;
    this.#donors.add(index);
    return true;
  }
  #give(slot, index) {
    const before = this.#owner[slot];
    if (before !== nobody) this.#load[before] -= this.#weigh(slot);
    this.#load[index] += this.#weigh(slot);
    this.#owner[slot] = index;
  }
  #least() {
    let least = -1;
    for (let index = 0; index < this.#load.length; index++)
      if (this.#p.weights[index] > 0 && (least === -1 || this.#ratio(index) < this.#ratio(least))) least = index;
    return least;
  }
  /** The node with the most load for its weight that may give. */
  #most(takers) {
    let most;
    for (let index = 0; index < this.#load.length; index++) {
      if (this.#p.weights[index] === 0 || takers.has(index)) continue;
      if (most === void 0 || this.#ratio(index) > this.#ratio(most)) most = index;
    }
    return most;
  }
  #slotsByOwner() {
    const slots = this.#p.weights.map(() => []);
    for (let slot = this.#owner.length - 1; slot >= 0; slot--) if (this.#owner[slot] !== nobody) slots[this.#owner[slot]]?.push(slot);
    return slots;
  }
  /** A slot of the donor's that leaves the taker no fuller than the donor was; taken off the donor's list. */
  #fitting(slots, taker, donor) {
    const at3 = slots.findLastIndex((slot) => (this.#load[taker] + this.#weigh(slot)) / this.#p.weights[taker] <= this.#ratio(donor));
    return at3 === -1 ? void 0 : slots.splice(at3, 1)[0];
  }
};

// lib/zones/release.ts
function releaseChanges(snapshot, moves, round, version) {
  const { zone: zone3, desired: desired2 } = snapshot;
  const standing = new Map(round.map((one4) => [one4.index, standings[one4.standing]]));
  const slots = /* @__PURE__ */ new Map();
  for (const { from, owner, slot } of moves) {
    if (from === owner || from === nobody || !serves(standing.get(from) ?? standingAt(zone3.head.roster, from))) continue;
    const taken = slots.get(from) ?? [];
    taken.push(slot);
    slots.set(from, taken);
  }
  const losers = [...slots.keys()].map((index) => ({ index, node: zone3.members[index].node }));
  const needs = losers.filter(({ node: node5 }) => !desired2.has(node5)).map(({ node: node5 }) => node5);
  const changes = losers.flatMap(({ index, node: node5 }) => {
    const read = desired2.get(node5);
    if (!read) return [];
    const order2 = { mapVersion: version, zoneSlots: zone3.head.slots, slots: slots.get(index) };
    const next3 = { ...read.body, release: withOrder(read.body.release, order2) };
    return [
      {
        ref: { noun: "desired", id: node5 },
        readRev: read.rev,
        decision: write(next3, `${order2.slots.length} slots to release, map version ${version}`)
      }
    ];
  });
  return { needs, changes, ordered: new Set(slots.keys()) };
}

// lib/zones/stored.ts
var applied = ({ owner, home }, moves) => {
  const next3 = { owner: owner.slice(), home: home.slice() };
  for (const move of moves) {
    next3.owner[move.slot] = move.owner;
    next3.home[move.slot] = move.home;
  }
  return next3;
};
var mapChange = ({ zone: zone3, mapRev }, moves, version) => ({
  ref: { noun: "map", id: `${zone3.head.name}/0` },
  readRev: mapRev,
  decision: write({ version, cells: encodePage(applied(zone3.map, moves), 0) }, `map version ${version}`)
});
var movesPerDelta = 4e4;
var versionsOf = ({ slots }, moves) => slots === slotsMin ? 1 : Math.max(1, Math.ceil(moves / movesPerDelta));
var deltaChanges = (head, moves, now) => Array.from({ length: versionsOf(head, moves.length) }, (_, n) => {
  const version = head.version + n + 1;
  const part2 = moves.slice(n * movesPerDelta, (n + 1) * movesPerDelta);
  return {
    ref: { noun: "delta", id: `${head.name}/${version}` },
    readRev: 0,
    decision: write({ version, at: now, moves: encodeDelta(part2) }, `map version ${version}`)
  };
});
var foldedForMs = dayMs;
var foldedDelta = (zone3, { body, rev }, now) => ({
  ref: { noun: "delta", id: `${zone3}/${body.version}` },
  readRev: rev,
  decision: write(body, "the pages hold it", { expiresAt: plusMs(now, foldedForMs) })
});
var pageChanges = ({ zone: zone3 }, pageRevs) => Array.from({ length: Math.ceil(zone3.map.owner.length / pageSlots) }, (_, page) => ({
  ref: { noun: "map", id: `${zone3.head.name}/${page}` },
  readRev: pageRevs[page] ?? 0,
  decision: write(
    { version: zone3.head.mapVersion, cells: encodePage(zone3.map, page) },
    `page ${page} of map version ${zone3.head.mapVersion}`
  )
}));
function memberChanges({ zone: zone3, memberRevs }, round) {
  const pages = /* @__PURE__ */ new Map();
  for (const { index, read } of round) {
    if (index === nobody) continue;
    const member2 = memberOf(read.body);
    if (isSame(zone3.members[index], member2)) continue;
    const page = Math.floor(index / membersPerPage);
    const members = pages.get(page) ?? pageOf2(zone3.members, page);
    while (members.length <= index % membersPerPage) members.push(null);
    members[index % membersPerPage] = member2;
    pages.set(page, members);
  }
  return [...pages].map(([page, members]) => ({
    ref: { noun: "members", id: `${zone3.head.name}/${page}` },
    readRev: memberRevs[page] ?? 0,
    decision: write({ members }, "members changed")
  }));
}
var pageOf2 = (members, page) => Array.from(members.slice(page * membersPerPage, (page + 1) * membersPerPage), (member2) => member2 ?? null);
var memberOf = ({ id: id3, fqdn: fqdn2, watch: watch2, weight, capacity }) => ({
  node: id3,
  fqdn: fqdn2,
  watch: watch2,
  weight,
  ...capacity !== void 0 && { capacity }
});

// lib/zones/plan.ts
var nodesPerPlanMax = 30;
var donorsMax = 30;
function plan(snapshot, now) {
  const { zone: zone3 } = snapshot;
  const round = followAll(snapshot, now);
  const { moves, settling } = moveSlots(snapshot, round);
  const rosterMoved = round.some(
    ({ before, standing, index, followed, read }) => before !== standing || generationAt(zone3.head.roster, index) !== generationOf(followed, read.body)
  );
  const members = memberChanges(snapshot, round);
  const changed2 = rosterMoved || moves.length > 0 || members.length > 0 || String(settling) !== String(zone3.head.settling);
  const version = zone3.head.version + (changed2 ? versionsOf(zone3.head, moves.length) : 0);
  const release = releaseChanges(snapshot, moves, round, version);
  if (release.needs.length > 0) return { changes: [], because: [], needs: release.needs };
  const nodeChanges2 = round.flatMap((one4) => nodeChange2(one4, moves, release.ordered, version));
  if (!changed2 && nodeChanges2.length === 0) return { changes: [], because: [], needs: [] };
  const because = round.filter((one4) => one4.before !== one4.standing).map((one4) => one4.followed.why);
  const head = changed2 ? headAfter(zone3.head, round, { version, moved: moves.length > 0, members: members.length > 0, settling }) : zone3.head;
  const events2 = changed2 ? headEvents(snapshot, round, moves, version, because) : [];
  const dueAgain = settling.length > 0 || zone3.head.slots > slotsMin && moves.length > 0 && pageOf3(version) > pageOf3(zone3.head.version);
  const headChange = {
    ref: { noun: "zone", id: zone3.head.name },
    readRev: snapshot.headRev,
    decision: changed2 ? write(head, because.join("; ") || "slots find their place", {
      events: events2,
      wakeAt: dueAgain ? now : zone3.head.slots > slotsMin ? plusMs(now, pagesEveryMs) : void 0
    }) : nothing("the zone is as it was", snapshot.headWakeAt)
  };
  const map = moves.length === 0 ? [] : zone3.head.slots === slotsMin ? [mapChange(snapshot, moves, version)] : deltaChanges(zone3.head, moves, now);
  return { changes: [headChange, ...map, ...members, ...nodeChanges2, ...release.changes], because, needs: [] };
}
var pageOf3 = (version) => Math.floor(version / versionsPerPage);
function followAll(snapshot, now) {
  const { zone: zone3, graceUntil } = snapshot;
  let next3 = rosterSize(zone3.head.roster);
  const owned = ownedBy(zone3);
  return toFollow(snapshot).flatMap((read) => {
    const node5 = read.body;
    const isNew = node5.index === void 0;
    const index = node5.index ?? next3;
    const before = isNew ? "none" : standingOf(standingAt(zone3.head.roster, index));
    const followed = follow(node5, { before, ownedSlots: owned.get(index) ?? 0, now, graceUntil, because: read.because });
    if (followed.standing === "none" || index >= nodesMax) return [{ index: nobody, before: "none", standing: "none", followed, read }];
    if (isNew) next3++;
    return [{ index, before, standing: followed.standing, followed, read }];
  });
}
function toFollow({ nodes: nodes2, desired: desired2 }) {
  const sorted2 = [...nodes2].sort((a, b) => a.body.id < b.body.id ? -1 : 1);
  const goesOnlyOnceReleased = ({ body }) => body.status === "leaving" && desired2.has(body.id);
  return [...sorted2.filter((one4) => !goesOnlyOnceReleased(one4)).slice(0, nodesPerPlanMax), ...sorted2.filter(goesOnlyOnceReleased)];
}
function moveSlots({ zone: zone3, counts }, round) {
  const standing = new Map(round.filter((one4) => one4.index !== nobody).map((one4) => [one4.index, standings[one4.standing]]));
  const codeOf = (index) => standing.get(index) ?? standingAt(zone3.head.roster, index);
  const size = Math.max(rosterSize(zone3.head.roster), ...round.filter((one4) => one4.index !== nobody).map((one4) => one4.index + 1));
  const weightOf = memberWeights(zone3, round);
  const weights = Array.from({ length: size }, (_, index) => admits2(codeOf(index)) ? weightOf(index) : 0);
  const becameUp = round.filter((one4) => one4.standing === "up" && !admits2(standings[one4.before]));
  return place({
    map: zone3.map,
    counts,
    weights,
    leaves: (index) => gone(codeOf(index)) || codeOf(index) === standings.draining,
    forgotten: (index) => codeOf(index) === standings.dropped || codeOf(index) === standings.none,
    tells: (index) => serves(codeOf(index)),
    returning: [...becameUp.filter((one4) => !isNewcomer(one4)).map((one4) => one4.index), ...zone3.head.settling],
    joining: [...becameUp.filter(isNewcomer).map((one4) => one4.index), ...zone3.head.settling],
    donorsMax
  });
}
var isNewcomer = ({ before }) => before === "none" || before === "joining";
function nodeChange2({ index, followed, read }, moves, ordered6, version) {
  const ref = { noun: "node", id: read.body.id };
  const { node: decision } = followed;
  if (decision.does === "remove") return [];
  const after = decision.does === "write" ? decision.next : read.body;
  const drained = after.status === "leaving" && moves.some((move) => move.from === index) && ordered6.has(index);
  if (decision.does === "nothing" && !drained) return [];
  const next3 = {
    ...after,
    ...index !== nobody && { index },
    ...drained && after.status === "leaving" && { leaving: { ...after.leaving, orderVersion: version } }
  };
  const written = decision.does === "write" ? decision : write(next3, read.because, { wakeAt: decision.wakeAt });
  return [{ ref, readRev: read.rev, decision: { ...written, next: next3 } }];
}
var generationOf = (followed, node5) => followed.node.does === "write" ? followed.node.next.generation : node5.generation;
function headAfter(head, round, { version, moved, members, settling }) {
  let roster = head.roster;
  for (const { index, standing, followed, read } of round)
    if (index !== nobody) roster = withEntry(roster, index, standing, generationOf(followed, read.body));
  return { ...head, version, roster, settling, ...moved && { mapVersion: version }, ...members && { membersVersion: version } };
}
function headEvents({ zone: zone3, counts }, round, moves, version, because) {
  const name = zone3.head.name;
  const lost2 = round.filter((one4) => one4.standing === "down" && one4.before !== "down");
  const losses = lost2.map(({ index, read }) => {
    let slots = 0;
    let about = 0;
    zone3.map.owner.forEach((owner, slot) => {
      if (owner !== index) return;
      slots++;
      about += counts[slot] ?? 0;
    });
    return { type: "zone.node-lost", version: 1, data: { zone: name, node: read.body.id, slots, about, mapVersion: version } };
  });
  const moved = moves.filter((move) => move.from !== move.owner).length;
  if (moved === 0) return losses;
  return [
    ...losses,
    { type: "zone.rebalanced", version: 1, data: { zone: name, slots: moved, mapVersion: version, reasons: because.slice(0, 20) } }
  ];
}
function memberWeights(zone3, round) {
  const own = new Map(round.map((one4) => [one4.index, one4.read.body.weight]));
  return (index) => own.get(index) ?? zone3.members[index]?.weight ?? 1;
}
function ownedBy({ map }) {
  const owned = /* @__PURE__ */ new Map();
  for (const owner of map.owner) if (owner !== nobody) owned.set(owner, (owned.get(owner) ?? 0) + 1);
  return owned;
}

// lib/sweep/admitted.ts
async function noteAdmitted(shell, head) {
  const command4 = { type: "admitted", id: shell.newId(), zone: head.name, nodes: admittedIn(head) };
  await apply(shell, { noun: "deployment", id: "deployment" }, command4, decideDeployment);
}
async function mendAdmitted(shell) {
  const noted = (await deploymentOf(shell))?.admitted ?? {};
  for (const name of /* @__PURE__ */ new Set([defaultZone, ...Object.keys(noted)])) {
    const zone3 = await zoneOf(shell, name);
    if (!zone3 || admittedIn(zone3.head) === (noted[name] ?? 0)) continue;
    const now = await zoneNow(shell, name);
    if (now) await noteAdmitted(shell, now.head);
  }
}
function admittedIn({ roster }) {
  let nodes2 = 0;
  for (let index = 0; index < rosterSize(roster); index++) if (admitted(standingAt(roster, index))) nodes2++;
  return nodes2;
}

// lib/sweep/count.ts
var oneStepMax = 2e4;
var partitionsPerStep = 8;
var longestMs = 10 * minuteMs;
async function countZone(shell, zone3) {
  const ref = { noun: "counts", id: zone3 };
  const input = { type: "tick", id: `count-${shell.newId()}` };
  const seen3 = /* @__PURE__ */ new Map();
  const { state: before } = await apply(shell, ref, input, () => nothing("looking", shell.now()));
  if (!before) return;
  const first = before.running?.partition ?? 0;
  const step2 = totalOf(before.perSlot) > oneStepMax ? partitionsPerStep : clientPartitions;
  for (let partition = first; partition < Math.min(first + step2, clientPartitions); partition++)
    seen3.set(partition, await fingerprintsOf2(shell, zone3, partition));
  await apply(
    shell,
    ref,
    { type: "tick", id: `count-${shell.newId()}` },
    (counts, _input, now) => countStep(counts, first, seen3, { now, everyMs: shell.settings.countEveryMs })
  );
}
function countStep(counts, first, seen3, { now, everyMs }) {
  if (!counts || (counts.running?.partition ?? 0) !== first) return nothing("another sweep counts", now);
  const slots = counts.perSlot.length / 2;
  const perSlot = counts.running ? new Uint8Array(counts.running.perSlot) : new Uint8Array(counts.perSlot.length);
  const view = new DataView(perSlot.buffer);
  for (const fps of seen3.values())
    for (const fp4 of fps) view.setUint16(slotOf(fp4, slots) * 2, Math.min(65535, view.getUint16(slotOf(fp4, slots) * 2) + 1));
  const partition = first + seen3.size;
  if (partition < clientPartitions)
    return write({ ...counts, running: { partition, perSlot } }, `counted ${partition} of ${clientPartitions} partitions`, {
      wakeAt: now
    });
  return write({ at: now, perSlot }, "counted", {
    wakeAt: plusMs(now, Math.max(everyMs, Math.min(totalOf(perSlot), longestMs)))
  });
}
async function fingerprintsOf2(shell, zone3, partition) {
  const fps = [];
  for (let after; ; ) {
    const page = await shell.table.queryIndex({
      index: "list",
      pk: clientList.zone(zone3, partition),
      limit: 1e3,
      ...after && { after }
    });
    for (const entry of page.items) fps.push(entry.sk);
    if (!page.next) return fps;
    after = page.next;
  }
}
function totalOf(perSlot) {
  let total = 0;
  for (let slot = 0; slot < perSlot.length / 2; slot++) total += countAt(perSlot, slot);
  return total;
}

// lib/sweep/lateness.ts
import * as z40 from "zod";
var SweepRow = z40.strictObject({ sweptAt: EpochMs, graceUntil: EpochMs.optional() });
function decideSweep(row2, { periodMs, intervalMs }, now) {
  if (row2 && now - row2.sweptAt < periodMs / 2) return nothing("another sweep has just begun");
  const leaseMs = Math.round(leaseMsOf(intervalMs));
  const slept = row2 !== void 0 && now - row2.sweptAt > Math.max(3 * periodMs, intervalMs);
  const grants = slept && (row2.graceUntil === void 0 || now > row2.graceUntil + leaseMs);
  const graceUntil = grants ? plusMs(now, leaseMs) : row2?.graceUntil;
  return write(
    { sweptAt: now, ...graceUntil !== void 0 && { graceUntil } },
    grants ? `the sweep slept for ${Math.round((now - row2.sweptAt) / 1e3)} s: a grace of one lease` : "the sweep runs"
  );
}

// lib/sweep/read-snapshot.ts
async function readSnapshot(shell, reading, name, nodes2, desired2) {
  const [headRow, countsRow] = await reading.rows([
    { noun: "zone", id: name },
    { noun: "counts", id: name }
  ]);
  const head = stateOf(headRow, shell.now());
  if (!head) return void 0;
  const memberRows = await reading.rows(memberRefs({ ...head, roster: roomForNew(head, nodes2.length) }));
  const mapRows = await reading.rows(mapRefs(head));
  const nodeRows = await reading.rows([.../* @__PURE__ */ new Set([...nodes2, ...desired2])].map((id3) => ({ noun: "node", id: id3 })));
  const desiredRows = await reading.rows(desired2.map((id3) => ({ noun: "desired", id: id3 })));
  const pages = mapRows.flatMap((row2) => row2 ? [row2.body] : []);
  const deltas = head.slots === slotsMin ? [] : await readDeltas(shell, name, Math.min(...pages.map((page) => page.version)));
  const counts = countsRow?.body?.perSlot ?? new Uint8Array(head.slots * 2);
  const zone3 = {
    head,
    map: loadMap(
      head.slots,
      pages.map((page) => page.cells),
      deltas.filter((delta) => delta.version <= head.mapVersion).map((delta) => delta.moves)
    ),
    members: loadMembers(memberRows.map((row2) => row2?.body ?? { members: [] })),
    revokedAt: /* @__PURE__ */ new Map(),
    tokensBefore: 0,
    revokedVersion: 0
  };
  return {
    zone: zone3,
    headRev: headRow.rev,
    headWakeAt: headRow.wakeAt,
    mapRev: mapRows[0]?.rev ?? 0,
    memberRevs: memberRows.map((row2) => row2?.rev ?? 0),
    counts: Array.from({ length: head.slots }, (_, slot) => countAt(counts, slot)),
    nodes: nodeRows.flatMap((row2) => {
      const body = stateOf(row2, shell.now());
      const follows = body && (body.status === "leaving" || nodes2.includes(body.id));
      return follows ? [{ body, rev: row2.rev, because: row2.because }] : [];
    }),
    desired: new Map(
      desired2.map((id3, i) => [
        id3,
        { body: desiredRows[i]?.body ?? { release: [] }, rev: desiredRows[i]?.rev ?? 0 }
      ])
    )
  };
}
var roomForNew = (head, nodes2) => new Uint8Array((rosterSize(head.roster) + nodes2) * 3);

// lib/sweep/pages.ts
async function writePages(shell, head) {
  const rows = await readAll(shell, mapRefs(head).map(keyOf));
  const oldest = Math.min(...rows.map((row2) => row2?.body?.version ?? 0));
  const writtenAt = Math.min(...rows.map((row2) => row2?.at ?? 0));
  if (head.mapVersion - oldest < versionsPerPage && shell.now() - writtenAt < pagesEveryMs) return head.mapVersion > oldest;
  if (head.mapVersion === oldest) return false;
  await applyPlan(shell, { id: `pages-${shell.newId()}` }, async (reading) => {
    const snapshot = await readSnapshot(shell, reading, head.name, [], []);
    const pageRows = await reading.rows(mapRefs(head));
    return {
      changes: snapshot ? pageChanges(
        snapshot,
        pageRows.map((row2) => row2?.rev ?? 0)
      ) : [],
      because: ["pages"]
    };
  });
  await endFolded(shell, head);
  return false;
}
var endedAtOnce = 10;
async function endFolded(shell, { name, slots }) {
  const pages = await readAll(shell, mapRefs({ name, slots }).map(keyOf));
  const heldUpTo = Math.min(...pages.map((row2) => row2?.body?.version ?? 0));
  for (let after; ; ) {
    const query = { pk: zonePartition(name), from: deltaSort(0), to: deltaSort(heldUpTo), limit: endedAtOnce, ...after && { after } };
    const page = await shell.table.query(query);
    const lasting2 = page.items.filter(({ expiresAt }) => expiresAt === void 0);
    if (lasting2.length > 0)
      await applyPlan(shell, { id: `folded-${shell.newId()}` }, async (reading) => {
        const rows = await reading.rows(lasting2.map(({ body }) => ({ noun: "delta", id: numbered(name, body.version) })));
        return {
          changes: rows.flatMap(
            (row2) => row2 && row2.expiresAt === void 0 ? [foldedDelta(name, row2, shell.now())] : []
          ),
          because: ["the pages hold them"]
        };
      });
    if (!page.next) return;
    after = page.next;
  }
}

// lib/sweep/plan-zone.ts
async function planZoneNow(shell, zone3, nodes2, tick) {
  const id3 = `plan-${shell.newId()}`;
  const before = shell.now();
  const done = await applyPlan(shell, { id: id3 }, (reading) => planOnce(shell, reading, zone3, nodes2, tick));
  if (done.because.length > 0)
    shell.log("info", "plan.applied", { zone: zone3, rows: done.changes.length, because: done.because.join("; "), ms: shell.now() - before });
  forgetZone(shell, zone3);
  const head = await settleHead(shell, zone3);
  if (head) await noteAdmitted(shell, head);
}
async function planOnce(shell, reading, zone3, nodes2, { graceUntil }) {
  const wanted = /* @__PURE__ */ new Set();
  for (; ; ) {
    const snapshot = await readSnapshot(shell, reading, zone3, nodes2, [...wanted]);
    if (!snapshot) return { changes: [], because: [] };
    const planned = plan({ ...snapshot, graceUntil }, shell.now());
    if (planned.needs.length === 0) return planned;
    for (const node5 of planned.needs) wanted.add(node5);
  }
}
async function settleHead(shell, name) {
  const ref = { noun: "zone", id: name };
  const row2 = await shell.table.read(keyOf(ref));
  const read = stateOf(row2, shell.now());
  if (!read) return void 0;
  const behind = read.slots > slotsMin && await writePages(shell, read);
  if (row2?.wakeAt === void 0 || row2.wakeAt > shell.now()) return read;
  await apply(
    shell,
    ref,
    { type: "tick", id: `tick-${shell.newId()}` },
    (head, _tick, now) => nothing("the head rests", head && head.settling.length > 0 ? now : behind ? plusMs(now, pagesEveryMs) : void 0)
  );
  return read;
}

// lib/sweep/sweep.ts
async function sweep(shell) {
  await ensureDefaultZone(shell);
  const tick = await begin(shell);
  const refs = (await Promise.all(Array.from({ length: dueShards }, (_, shard) => shell.table.due(shard, shell.now(), dueLimitMax)))).flat().flatMap((key) => refOf(key) ?? []);
  const failures = [];
  const apart = (work) => work.catch((error) => void failures.push(error));
  await apart(mendAdmitted(shell));
  const due = await tickAll(shell, refs, tick, apart);
  for (const zone3 of /* @__PURE__ */ new Set([...due.nodes.keys(), ...due.heads])) await apart(planAll(shell, zone3, due.nodes.get(zone3), tick));
  for (const zone3 of due.counts) await apart(countZone(shell, zone3));
  if (failures.length > 0) throw failures[0];
}
async function planAll(shell, zone3, nodes2, tick) {
  for (const part2 of partsOf([...nodes2 ?? []].sort(), nodesPerPlanMax)) await planZoneNow(shell, zone3, part2, tick);
}
async function begin(shell) {
  const begins = { id: shell.newId(), periodMs: shell.settings.sweepPeriodMs, intervalMs: await intervalNow(shell) };
  const { decision, before, state } = await apply(shell, { noun: "sweep", id: "sweep" }, begins, decideSweep);
  if (state?.graceUntil !== void 0 && state.graceUntil !== before?.graceUntil)
    shell.log("warn", "sweep.late", { because: decision.because });
  return { type: "tick", ...state?.graceUntil !== void 0 && state.graceUntil > shell.now() && { graceUntil: state.graceUntil } };
}
async function tickAll(shell, refs, tick, apart) {
  const due = { nodes: /* @__PURE__ */ new Map(), heads: /* @__PURE__ */ new Set(), counts: /* @__PURE__ */ new Set() };
  await inParts(refs, 20, async (ref) => {
    if (ref.noun === "zone") due.heads.add(ref.id);
    else if (ref.noun === "counts") due.counts.add(ref.id);
    else await apart(tickNode(shell, ref, tick, due));
  });
  return due;
}
async function tickNode(shell, ref, tick, due) {
  const input = { ...tick, id: `tick-${shell.newId()}` };
  const { decision, state } = await apply(
    shell,
    ref,
    input,
    (node5, _input, now) => node5 ? decide(node5, tick, now) : nothing("there is no such node")
  );
  shell.log("debug", "tick.applied", { row: `${ref.noun} ${ref.id}`, does: decision.does, because: decision.because });
  const wakeAt = decision.does === "remove" ? void 0 : decision.wakeAt;
  if (!state || wakeAt === void 0 || wakeAt > shell.now()) return;
  due.nodes.set(state.zone, (due.nodes.get(state.zone) ?? /* @__PURE__ */ new Set()).add(ref.id));
}
async function inParts(items, size, work) {
  for (let at3 = 0; at3 < items.length; at3 += size) await Promise.all(items.slice(at3, at3 + size).map(work));
}
var partsOf = (items, size) => items.length === 0 ? [[]] : Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));

// functions/sweep.ts
var sweep_default = onSchedule(sweep, "sweeps");

// functions/publish.ts
var publish_default = onFeed();

// functions.ts
var functions = { "node-door": node_door_default, "knock": knock_default, "admin": admin_default, "heartbeats": heartbeats_default, "reports": reports_default, "sweep": sweep_default, "publish": publish_default };
export {
  functions
};
