// The functions of Muster 0.1.0 as of commit 9c8d1d3148b549b9945bc8df8aa78567f10e605b.
// Made by test/previous/freeze.ts; never edited.
// lib/api/node-routes.ts
import * as z7 from "zod";

// events/define.ts
import * as z3 from "zod";

// lib/ids.ts
import * as z from "zod";
var NodeId = z.string().regex(/^n[0-9a-f]{16}$/, "a node id is the letter n and 16 hex digits").brand();
var ZoneName = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, "a zone name is 1 to 40 lower-case letters, digits or hyphens, beginning with a letter").brand();
var Fingerprint = z.string().transform((text2) => text2.replaceAll(":", "").toLowerCase()).pipe(z.string().regex(/^[0-9a-f]{64}$/, "a fingerprint is 32 bytes in hex, with or without colons")).pipe(z.string().brand());
var showFingerprint = (fp3) => fp3.replace(/..(?!$)/g, "$&:");
var Fqdn = z.string().max(253).transform((text2) => text2.toLowerCase()).pipe(
  z.string().regex(
    /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
    "a fully qualified domain name: two or more labels of letters, digits and hyphens"
  )
).pipe(z.string().brand());
var WatchAddress = z.string().max(259).regex(/^[A-Za-z0-9.-]{1,253}:\d{1,5}$/, "a watch address is host:port").refine((text2) => Number(text2.slice(text2.lastIndexOf(":") + 1)) <= 65535, "a port is at most 65535");
var PublicKey = z.string().regex(/^[A-Za-z0-9_-]{43}$/, "an Ed25519 public key is 32 bytes in base64url");
var Tag = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/, "a tag is 1 to 64 letters, digits or ._:/- and begins with a letter or digit");
var PemPublicKey = z.string().max(4096).regex(
  /^-----BEGIN (RSA )?PUBLIC KEY-----\r?\n([A-Za-z0-9+/=]{1,76}\r?\n)+-----END (RSA )?PUBLIC KEY-----\s*$/,
  "a public key in PEM, as in a minion.pub file"
);

// lib/units.ts
import * as z2 from "zod";
var lastMs = 864e13;
var EpochMs = z2.int().nonnegative().max(lastMs).brand();
var plusMs = (at2, spanMs) => at2 + spanMs;
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
function withOrder(waiting, order) {
  const kept3 = [order];
  let slots = order.slots.length;
  for (const older of waiting.slice(1 - releasesMax).reverse()) {
    slots += older.slots.length;
    if (slots > releaseSlotsMax) break;
    kept3.unshift(older);
  }
  return kept3;
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
    zone: zone2,
    publicKey: publicKey2,
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
    word: word2
  } = node5;
  return {
    id: id3,
    fqdn: fqdn2,
    kind,
    zone: zone2,
    publicKey: publicKey2,
    watch: watch2,
    weight,
    labels: labels2,
    joinedAt,
    incarnation,
    generation: generation2,
    seq,
    ...capacity !== void 0 && { capacity },
    ...index !== void 0 && { index },
    ...boot && { boot },
    ...heardAt !== void 0 && { heardAt },
    ...load3 && { load: load3 },
    ...word2 && { word: word2 },
    ...node5.unready && { unready: true }
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
  at: z7.int().optional(),
  data
});
var AgentEvent = z7.discriminatedUnion("type", [
  word("node.ready", z7.strictObject({})),
  word("node.released", z7.strictObject({ mapVersion: z7.int().nonnegative() }))
]);
var nodeRoutes = {
  join: route({
    method: "POST",
    path: "/nodes/join",
    summary: "Join as a node; the same key joining again is the same node",
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
    reply: z7.strictObject({ node: NodeId, zone: ZoneName, ...next }),
    statuses: [201],
    errors: ["fqdn-in-use", "unknown-zone", "refused"]
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
    errors: ["unknown-node", "must-rejoin", "removed", "quarantined"]
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
    errors: ["unknown-node", "send-node-up", "must-rejoin", "quarantined", "removed"]
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
    errors: ["unknown-node", "send-node-up", "must-rejoin", "removed", "unknown-type"]
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
    errors: ["unknown-node", "send-node-up", "must-rejoin", "removed"]
  }),
  desired: route({
    method: "GET",
    path: "/nodes/{id}/desired",
    summary: "What the node should run and do; 304 while the ETag sent with If-None-Match still holds",
    scope: "node",
    params: id,
    reply: Desired,
    statuses: [200, 304],
    errors: ["unknown-node"],
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
    errors: ["unknown-node", "refused"]
  }),
  system: route({
    method: "GET",
    path: "/nodes/{id}/systems/{fp}",
    summary: "Whether this key should be accepted on the node: asked when it is pending there",
    scope: "node",
    params: z7.strictObject({ id: NodeId, fp: Fingerprint }),
    reply: z7.strictObject({ verdict: z7.enum(["accept", "not-yours", "unknown", "banned"]), node: Fqdn.optional() }),
    statuses: [200],
    errors: ["unknown-node"]
  })
};

// lib/api/problem.ts
import * as z8 from "zod";
var problems = {
  "malformed-json": [400, "The body is not JSON, is nested deeper than 32 levels, or holds the key __proto__."],
  "bad-cursor": [400, "The cursor is not one of ours, or belongs to another query."],
  "not-found": [404, "There is nothing at this path."],
  "unknown-node": [404, "No node has this id or name."],
  "unknown-system": [404, "No client system has this fingerprint."],
  "unknown-zone": [404, "No zone has this name."],
  "unknown-dead-letter": [404, "No dead letter has this id: it was dropped, or has expired."],
  "wrong-method": [405, "The path exists, but not for this method; the header allow names those it has."],
  "send-node-up": [409, "Muster does not know this boot of the agent, or holds the node for down: send node-up."],
  "must-rejoin": [409, "The node was given up: flush what it had and send node-up with the generation it gave up."],
  quarantined: [409, "The node is quarantined until an operator has looked."],
  "fqdn-in-use": [409, "Another node holds this name."],
  "in-progress": [409, "A call with this Idempotency-Key is being answered."],
  refused: [409, "The state of the thing does not allow this; the detail says why."],
  removed: [410, "The node was removed by an operator: add it again."],
  "version-conflict": [412, "The thing has changed since it was read; the header etag carries its version."],
  misdirected: [421, "The embedded host answers on loopback only, under the names of loopback."],
  "cross-site": [403, "A page of another site asked: the embedded host answers programs, and pages of loopback."],
  "too-large": [413, "The body is larger than 64 KiB."],
  "unsupported-media-type": [415, "The body must be application/json."],
  "unknown-field": [422, "A field that this call does not have; the pointer names it."],
  "unknown-type": [422, "No report is of this type and version."],
  invalid: [422, "A field has the wrong type or value; the pointer names it."],
  "idempotency-mismatch": [422, "This Idempotency-Key was used for another call."],
  "not-owner": [403, "A node speaks only for itself."],
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
function refusalOf(error, at2 = "") {
  const errors = error.issues.flatMap((issue) => flatten(issue, at2));
  const unknown = error.issues.every((issue) => issue.code === "unrecognized_keys");
  const type = unknown ? "unknown-field" : error.issues.some((issue) => issue.code === "invalid_union" && issue.path.at(-1) === "type") ? "unknown-type" : "invalid";
  return new Refusal(type, errors.map(({ pointer, detail }) => `${pointer || "/"}: ${detail}`).join("; "), { errors });
}
function flatten(issue, at2) {
  const pointer = `${at2}${issue.path.map(step).join("")}`;
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
  const at2 = id3.lastIndexOf("/");
  return [id3.slice(0, at2), id3.slice(at2 + 1)];
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
  dead: (id3) => ({ pk: deadShardOf(id3), sk: join("dead", id3) }),
  idempotency: (id3) => ({ pk: join("idempotency", id3), sk: "idempotency" }),
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
var clientPartitions = 64;
var clientPartitionOf = (fp3) => Number.parseInt(fp3.slice(0, 2), 16) >> 2;
var clientList = {
  pool: (partition) => join("pool", String(partition)),
  zone: (zone2, partition) => join("zone", zone2, String(partition)),
  banned: (partition) => join("banned", String(partition))
};
var nodeList = (zone2) => join("nodes", zone2);
var zoneList = "zones";
var historyPartition = ({ noun, id: id3 }) => join("history", `${noun}:${id3}`);
var historySort = (seq) => number3(seq);
var zonePartition = (zone2) => join("zone", zone2);
var deltaSort = (version) => join("delta", number3(version));
var letterLists = {
  dead: Array.from({ length: deadShards }, (_, shard) => join("dead", String(shard))),
  redriven: Array.from({ length: deadShards }, (_, shard) => join("redriven", String(shard)))
};
function listOf({ noun, id: id3 }, state) {
  const { zone: zone2, standing, status: status2 } = state;
  if (noun === "node") return { pk: nodeList(zone2), sk: id3 };
  if (noun === "zone") return { pk: zoneList, sk: id3 };
  if (noun === "dead")
    return status2 === "dropped" ? void 0 : { pk: status2 === "redriven" ? redrivenShardOf(id3) : deadShardOf(id3), sk: id3 };
  if (noun !== "client") return void 0;
  if (standing === "pooled") return { pk: clientList.pool(clientPartitionOf(id3)), sk: id3 };
  if (standing === "accepted") return { pk: clientList.zone(zone2, clientPartitionOf(id3)), sk: id3 };
  if (standing === "banned") return { pk: clientList.banned(clientPartitionOf(id3)), sk: id3 };
  return void 0;
}

// lib/runtime/content.ts
var goneForMs = 30 * dayMs;
var stateOf = (row2, now) => !row2 || row2.gone || row2.expiresAt !== void 0 && row2.expiresAt <= now ? void 0 : row2.body;
function contentOf(ref2, row2, decision, { by, at: at2, exact }) {
  if (decision.does === "nothing") return row2 && exact ? rearmed(row2, decision.wakeAt, at2) : void 0;
  const eventSeq = row2?.eventSeq ?? 0;
  const committed = {
    key: keyOf(ref2),
    at: at2,
    by,
    because: decision.because,
    events: decision.events.map((event, n) => ({ ...event, seq: eventSeq + n + 1 })),
    eventSeq: eventSeq + decision.events.length
  };
  if (decision.does === "remove") return { ...committed, body: decision.last, expiresAt: plusMs(at2, goneForMs), gone: true };
  const wakeAt = exact ? decision.wakeAt : earlier(row2?.gone ? void 0 : row2?.wakeAt, decision.wakeAt);
  const list = listOf(ref2, decision.next);
  return {
    ...committed,
    body: decision.next,
    ...wakeAt !== void 0 && { wakeAt },
    ...decision.expiresAt !== void 0 && { expiresAt: decision.expiresAt },
    ...list && { list }
  };
}
function rearmed(row2, wakeAt, now) {
  if (row2.wakeAt === wakeAt) return void 0;
  if (row2.wakeAt !== void 0 && wakeAt !== void 0 && row2.wakeAt <= now && wakeAt <= now) return void 0;
  const { rev: _rev, wakeAt: _stored, ...content } = row2;
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

// lib/decision.ts
var graced = (at2, { graceUntil }) => graceUntil !== void 0 && graceUntil > at2 ? graceUntil : at2;
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

// lib/nodes/on-word.ts
function onReady(node5, _ready, now) {
  if (!node5.unready) return nothing("it said so before");
  const { unready: _said, ...said2 } = node5;
  if (node5.status !== "joining") {
    const kept3 = said2.status === "suspect" && said2.was === "joining" ? { ...said2, was: "up" } : said2;
    return write(kept3, `ready; it is ${node5.status}, and will be up once it is heard`);
  }
  const { unready: _unready, ...rest } = lasting(node5);
  const next3 = { ...rest, ...pending(node5), status: "up", leaseUntil: node5.leaseUntil, awaitsPlan: true };
  return write(next3, "ready: it can take client systems", { events: [concluded("node.activated", next3, {})], wakeAt: now });
}
var holdMs = 2 * 60 * 6e4;
function onLeaving(node5, order, now) {
  const { mode, until, report: report2 } = order;
  if (report2 && node5.word && (report2.receivedAt <= node5.word.at || report2.id === node5.word.report))
    return nothing("said before the last word about its leaving");
  const refused = whyNot(node5, order, now);
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
  const fault = deadlineFault(until, now);
  return fault && `until ${fault}`;
}
function wordOf(node5, at2, report2 = node5.word?.report) {
  return { at: at2, ...report2 !== void 0 && { report: report2 } };
}
function onReleased(node5, mapVersion, now) {
  if (node5.status !== "leaving") return nothing("released slots; the node stays");
  if ((node5.leaving.releasedVersion ?? -1) >= mapVersion)
    return nothing(`released up to map version ${node5.leaving.releasedVersion} already`);
  const next3 = { ...node5, leaving: { ...node5.leaving, releasedVersion: mapVersion }, awaitsPlan: true };
  return write(next3, `its clients of map version ${mapVersion} were told to knock`, { wakeAt: now });
}

// lib/nodes/on-command.ts
function onCommand(node5, command3, now) {
  if (command3.type === "join") return onJoin(node5, command3, now);
  if (!node5) return nothing("there is no such node");
  switch (command3.type) {
    case "leave":
      return onLeaving(node5, { mode: command3.mode, until: command3.until }, now);
    case "stay":
      return onStay(node5, now);
    case "drop":
      return onDrop(node5, now);
    case "edit":
      return onEdit(node5, command3, now);
    default:
      return unreachable(command3);
  }
}
function onJoin(node5, join3, now) {
  if (node5) return nothing("this key has joined already");
  const { node: id3, publicKey: publicKey2, fqdn: fqdn2, kind, zone: zone2, watch: watch2, capacity } = join3;
  const next3 = {
    id: id3,
    publicKey: publicKey2,
    fqdn: fqdn2,
    kind,
    zone: zone2,
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
function onEdit(node5, { weight, capacity, labels: labels2 }, now) {
  const { capacity: kept3, ...rest } = node5;
  const limit = capacity === void 0 ? kept3 : capacity ?? void 0;
  const next3 = {
    ...rest,
    ...limit !== void 0 && { capacity: limit },
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
  const known4 = node5.boot;
  if (known4 && up2.receivedAt <= known4.receivedAt) return nothing(`node-up received before the acknowledged boot`);
  if (node5.heardAt !== void 0 && up2.receivedAt < node5.heardAt) return nothing("node-up received before the node was last heard");
  if (leaseUntilOf(up2) <= now) return nothing("the node-up is older than the lease it would give");
  if (node5.status === "dropped") return readmit(node5, up2, now);
  if (known4 && known4.before === up2.data.boot.id) return quarantine(node5, up2, now);
  return known4?.id === up2.data.boot.id ? heardAgain(node5, up2, now) : newBoot(node5, up2, now);
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
async function apply(shell, ref2, input, decide3) {
  const key = keyOf(ref2);
  const exact = input.type === "tick";
  let tried;
  let conflict;
  for (let attempt = 1; ; attempt++) {
    const row2 = await shell.table.read(key);
    const now = shell.now();
    if (tried && row2?.by === input.id && row2.rev === tried.rev) return { ...tried, state: stateOf(row2, now) };
    if (attempt > attemptsMax)
      throw new Later("row.busy", `${ref2.noun} ${ref2.id} kept moving through ${attemptsMax} attempts`, { cause: conflict });
    const before = stateOf(row2, now);
    const decision = decide3(before, input, now);
    const content = contentOf(ref2, row2, decision, { by: input.id, at: now, exact });
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
var historyForMs = 90 * dayMs;
var dueLimitMax = 200;

// lib/table/limits.ts
var commitBytesMax = 4 * 1024 * 1024;
var rowBytesMax = 400 * 1024;
var pageBytesMax = 1024 * 1024;
var keysMax = 100;

// lib/runtime/read-all.ts
async function readAll({ table }, keys) {
  const rows = [];
  for (let at2 = 0; at2 < keys.length; at2 += keysMax) rows.push(...await table.readMany(keys.slice(at2, at2 + keysMax)));
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
  async row(ref2) {
    return (await this.rows([ref2]))[0];
  }
  /** The rows in the order asked for, each read once. */
  async rows(refs) {
    const missing = [...new Map(refs.map((ref2) => [nameOf2(keyOf(ref2)), keyOf(ref2)])).entries()].filter(([name]) => !this.#rows.has(name));
    const keys = missing.map(([, key]) => key);
    const rows = await readAll(this.#shell, keys);
    for (const [i, [name]] of missing.entries()) this.#rows.set(name, rows[i]);
    return refs.map((ref2) => this.#rows.get(nameOf2(keyOf(ref2))));
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
  const at2 = shell.now();
  return changes.map(({ ref: ref2, readRev, decision }, i) => {
    const row2 = rows[i];
    if ((row2?.rev ?? 0) !== readRev)
      throw new Conflict3(`${ref2.noun} ${ref2.id}`, `${ref2.noun} ${ref2.id} is at rev ${row2?.rev ?? 0}, not ${readRev}`);
    const put = decision.does === "nothing" ? void 0 : contentOf(ref2, row2, decision, { by, at: at2, exact: true });
    return put ? { put, readRev } : { check: keyOf(ref2), readRev };
  });
}

// lib/zones/slots.ts
var nobody = 65535;
var slotsMin = 1024;
var pageSlots = 65536;
var versionsPerPage = 64;
var pagesEveryMs = 6 * hourMs;
var slotOf = (fp3, slots) => Number.parseInt(fp3.slice(0, 7), 16) >>> 28 - Math.log2(slots);
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

// lib/doors/zones.ts
import { Later as Later3 } from "../../lib/errors.ts";

// lib/runtime/shell.ts
function cached(shell, name, make) {
  if (!shell.caches.has(name)) shell.caches.set(name, make());
  return shell.caches.get(name);
}

// lib/zones/standing.ts
var standings = { none: 0, joining: 1, up: 2, suspect: 3, draining: 4, held: 5, down: 6, dropped: 7, quarantined: 8 };
var names = Object.fromEntries(Object.entries(standings).map(([name, code]) => [code, name]));
var standingOf = (code) => names[code] ?? "none";
var serves = (code) => code === standings.up || code === standings.suspect || code === standings.draining || code === standings.held || code === standings.quarantined;
var admits = (code) => code === standings.up;
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
    members.forEach((member, i) => {
      all[page * membersPerPage + i] = member ?? void 0;
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
var admitsAt = ({ head }, index) => index !== nobody && admits(standingAt(head.roster, index));
function indexOf(zone2, node5) {
  const index = zone2.members.findLastIndex((member) => member?.node === node5);
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
  const kept3 = zonesOf(shell).byName.get(name);
  return kept3 && shell.now() - kept3.readAt <= shell.settings.zoneMaxAgeMs ? kept3.zone : void 0;
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
    const begun = loading.get(name);
    if (begun) return begun;
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
  const kept3 = zonesOf(shell).byName.get(name);
  if (kept3) kept3.readAt = 0;
}
async function refresh(shell, name) {
  const { byName: byName2, names: names2 } = zonesOf(shell);
  for (let attempt = 1; attempt <= refreshesMax; attempt++) {
    const readAt = shell.now();
    const [headRow, revokedRow] = await shell.table.readMany([keyOf({ noun: "zone", id: name }), keyOf({ noun: "revoked", id: name })]);
    if (!headRow) return void 0;
    const head = headRow.body;
    const kept3 = byName2.get(name)?.zone;
    const loaded = kept3 && kept3.head.version > head.version ? kept3 : await load(shell, headRow, revokedRow?.body, kept3);
    if (!loaded) continue;
    byName2.set(name, { zone: loaded, readAt });
    names2.set(head.number, name);
    return loaded;
  }
  throw new Later3("zone.moving", `zone ${name} changed through ${refreshesMax} reads of its map`);
}
var refreshesMax = 5;
async function load(shell, headRow, revoked, kept3) {
  const head = headRow.body;
  const sameMap = kept3?.head.mapVersion === head.mapVersion && kept3.head.slots === head.slots;
  const sameMembers = kept3?.head.membersVersion === head.membersVersion;
  const sameRevoked = kept3?.revokedVersion === (revoked?.version ?? 0);
  const map = sameMap ? kept3.map : await readMap(shell, head);
  if (!map) return void 0;
  return {
    head,
    map,
    members: sameMembers ? kept3.members : loadMembers((await readPages(shell, memberRefs(head))).map((row2) => row2?.body ?? { members: [] })),
    ...sameRevoked ? { revokedAt: kept3.revokedAt, tokensBefore: kept3.tokensBefore, revokedVersion: kept3.revokedVersion } : loadRevoked(revoked)
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
async function readDeltas(shell, zone2, since) {
  const deltas = [];
  for (let after; ; ) {
    const page = await shell.table.query({
      pk: zonePartition(zone2),
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
async function join2({ body }, shell) {
  const zone2 = body.zone ?? defaultZone;
  if (zone2 === defaultZone) await ensureDefaultZone(shell);
  if (!await zoneOf(shell, zone2))
    throw new Refusal("unknown-zone", `no zone is called ${zone2}`, { errors: [{ pointer: "/zone", detail: "no such zone" }] });
  const id3 = nodeIdOf(body.publicKey);
  const command3 = {
    type: "join",
    id: shell.newId(),
    node: id3,
    zone: zone2,
    watch: body.watch ?? `${body.fqdn}:4505`,
    publicKey: body.publicKey,
    fqdn: body.fqdn,
    kind: body.kind,
    capacity: body.capacity
  };
  const plan2 = await applyPlan(shell, command3, async (reading) => {
    const [nodeRow2, nameRow] = await reading.rows([
      { noun: "node", id: id3 },
      { noun: "fqdn", id: body.fqdn }
    ]);
    const now = shell.now();
    const node5 = stateOf(nodeRow2, now);
    const decision = decide(node5, command3, now);
    if (node5 && node5.fqdn !== body.fqdn)
      throw new Refusal("refused", `this key joined as ${node5.fqdn}; a name is bound at join`, {
        errors: [{ pointer: "/fqdn", detail: `bound to ${node5.fqdn}` }]
      });
    if (decision.does !== "write") return { changes: [], because: [decision.because], zone: node5.zone };
    const holder = stateOf(nameRow, now)?.node;
    const replaced = holder && holder !== id3 ? await takeOver(reading, holder, { type: "drop", id: command3.id }, now) : [];
    const name = {
      ref: { noun: "fqdn", id: body.fqdn },
      readRev: nameRow?.rev ?? 0,
      decision: write({ node: id3 }, `the name of ${id3}`)
    };
    return {
      changes: [{ ref: { noun: "node", id: id3 }, readRev: nodeRow2?.rev ?? 0, decision }, name, ...replaced],
      because: [decision.because],
      zone: zone2
    };
  });
  return { status: 201, body: { node: id3, zone: plan2.zone, nextMs: 1 } };
}
async function takeOver(reading, id3, drop3, now) {
  const ref2 = { noun: "node", id: id3 };
  const row2 = await reading.row(ref2);
  const node5 = stateOf(row2, now);
  if (!node5) return [];
  const decision = decide(node5, drop3, now);
  if (decision.does === "write")
    throw new Refusal(
      "fqdn-in-use",
      `${node5.fqdn} is the name of node ${id3}, which is ${node5.status}; drop that node first if this machine takes its place`,
      { errors: [{ pointer: "/fqdn", detail: "in use" }] }
    );
  return [{ ref: ref2, readRev: row2.rev, decision }];
}

// lib/doors/node-systems.ts
import { createHash as createHash2 } from "node:crypto";

// lib/clients/status.ts
var statusBytes = { new: "0", onboarded: "1", orphan: "2", deleted: "3" };
var ownerOf2 = (zone2, fp3, pin) => pin === nobody ? zone2.map.owner[slotOf(fp3, zone2.head.slots)] : pin;
function placedStatus(zone2, fp3, pin, told3) {
  if (!told3?.confirmed) return "orphan";
  const owner = ownerOf2(zone2, fp3, pin);
  return told3.index === owner && servesAt(zone2, owner, told3.generation) ? "onboarded" : "orphan";
}
var tokenStatus = (zone2, token2) => placedStatus(zone2, token2.fp, token2.pin, token2);
function rowStatus(client, zone2) {
  if (!client || client.standing === "pooled") return "new";
  if (client.standing === "banned") return "deleted";
  return zone2 ? placedStatus(zone2, client.fp, pinOf(client), placementOf(client)) : "orphan";
}
var pinOf = (client) => client.standing === "accepted" && client.pin ? client.pin.index : nobody;
function placementOf(client) {
  if (client.standing !== "accepted" || !client.told) return void 0;
  const { index, generation: generation2, confirmedAt } = client.told;
  return { index, generation: generation2, confirmed: confirmedAt !== void 0 };
}
function tokenHolds(zone2, token2, nowS, lifeS) {
  if (token2.epoch !== zone2.head.epoch || token2.issuedAtS + lifeS < nowS || token2.issuedAtS < zone2.tokensBefore) return false;
  if (zone2.revokedAt.size === 0) return true;
  const revokedAt = zone2.revokedAt.get(Number.parseInt(token2.fp.slice(0, 8), 16));
  return revokedAt === void 0 || token2.issuedAtS > revokedAt;
}
function placeFor(zone2, fp3, pin, told3) {
  const owner = ownerOf2(zone2, fp3, pin);
  if (told3?.index === owner && servesAt(zone2, owner, told3.generation)) return owner;
  return admitsAt(zone2, owner) ? owner : void 0;
}

// lib/systems/list.ts
import * as z10 from "zod";
var entriesPerPage = 1e3;
var entryBytes2 = 8;
var Version = z10.strictObject({
  version: z10.int().positive(),
  count: z10.int().nonnegative(),
  /** The first entry of each page, 16 hex digits. */
  firsts: z10.array(z10.string())
});
var SystemsHead = z10.strictObject({
  newest: Version,
  before: Version.optional(),
  hash: z10.string(),
  mapVersion: z10.int().nonnegative(),
  /** The version of the zone's revocations when it was handed out: a later ban makes the list stale. */
  revokedVersion: z10.int().nonnegative()
});
var SystemsPage = z10.strictObject({ entries: z10.custom((value) => value instanceof Uint8Array, "bytes") });
function pagesOf(fps) {
  const pages = [];
  for (let at2 = 0; at2 < fps.length; at2 += entriesPerPage) {
    const part2 = fps.slice(at2, at2 + entriesPerPage);
    const entries = new Uint8Array(part2.length * entryBytes2);
    for (const [i, fp3] of part2.entries()) entries.set(Buffer.from(fp3.slice(0, entryBytes2 * 2), "hex"), i * entryBytes2);
    pages.push({ entries });
  }
  return pages;
}
var entriesOf = ({ entries }) => Array.from(
  { length: entries.length / entryBytes2 },
  (_, i) => Buffer.from(entries.subarray(i * entryBytes2, (i + 1) * entryBytes2)).toString("hex")
);
function pageFor(firsts, fp3) {
  const entry = fp3.slice(0, entryBytes2 * 2);
  let low = 0;
  let high = firsts.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (firsts[middle] <= entry) low = middle + 1;
    else high = middle;
  }
  return firsts.length === 0 ? void 0 : Math.max(0, low - 1);
}
function placeOnPage({ entries }, fp3) {
  const entry = Buffer.from(fp3.slice(0, entryBytes2 * 2), "hex");
  let low = 0;
  let high = entries.length / entryBytes2;
  while (low < high) {
    const middle = low + high >> 1;
    const order = Buffer.compare(entries.subarray(middle * entryBytes2, (middle + 1) * entryBytes2), entry);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return void 0;
}
function difference(before, now) {
  const known4 = new Set(before);
  const present = new Set(now.map((fp3) => fp3.slice(0, entryBytes2 * 2)));
  return { added: now.filter((fp3) => !known4.has(fp3.slice(0, entryBytes2 * 2))), gone: before.filter((entry) => !present.has(entry)) };
}
var firstsOf = (fps) => fps.filter((_, i) => i % entriesPerPage === 0).map((fp3) => fp3.slice(0, entryBytes2 * 2));

// lib/doors/client-rows.ts
async function clientRow(shell, fp3) {
  const row2 = await shell.table.read(keyOf({ noun: "client", id: fp3 }));
  const state = stateOf(row2, shell.now());
  if (!state) return void 0;
  return state.standing === "alias" ? clientRow(shell, state.of) : { state, row: row2 };
}

// lib/doors/owned-systems.ts
var systemsPerNodeMax = 9e4;
var atOnce = 8;
var wholeFrom = 1 / 4;
async function ownedSystems(shell, zone2, index) {
  const fps = [];
  for (let first = 0; first < clientPartitions; first += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, clientPartitions - first) }, (_, i) => first + i);
    const found2 = await Promise.all(some.map((partition) => inPartition(shell, zone2, index, partition)));
    for (const part2 of found2) for (const fp3 of part2) fps.push(fp3);
    if (fps.length > systemsPerNodeMax)
      throw new Refusal("refused", `more than ${systemsPerNodeMax} client systems on one node: add nodes, or give this one less weight`);
  }
  return fps;
}
async function inPartition(shell, zone2, index, partition) {
  const slots = zone2.head.slots / clientPartitions;
  const ranges = rangesOf(zone2, index, partition * slots, slots);
  const owned = ranges.reduce((sum, { count }) => sum + count, 0);
  const pk = clientList.zone(zone2.head.name, partition);
  if (owned > slots * wholeFrom) {
    const all = await entriesIn(shell, pk, void 0);
    return owned === slots ? all : all.filter((fp3) => zone2.map.owner[slotOf(fp3, zone2.head.slots)] === index);
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

// lib/doors/node-systems.ts
async function systemsHandler({ params, query }, shell) {
  const { node: node5, zone: zone2 } = await nodeAndZone(shell, params.id, zoneNow);
  const index = indexOf(zone2, node5.id);
  const fps = index === void 0 ? [] : await withoutBanned(shell, zone2, await ownedSystems(shell, zone2, index));
  const id3 = node5.id;
  const { head } = await applyPlan(shell, { id: shell.newId() }, (reading) => storeList(reading, id3, fps, zone2));
  const since = query.since === head.newest.version ? head.newest : query.since === head.before?.version ? head.before : void 0;
  if (!since) return { status: 200, body: { version: head.newest.version, whole: true, systems: fps, gone: [] } };
  const { added, gone: gone2 } = difference(await entriesOfVersion(shell, id3, since), fps);
  return { status: 200, body: { version: head.newest.version, whole: false, systems: added, gone: gone2 } };
}
async function withoutBanned(shell, zone2, fps) {
  const revoked = fps.filter((fp3) => zone2.revokedAt.has(Number.parseInt(fp3.slice(0, 8), 16)));
  const rows = await readAll(
    shell,
    revoked.map((fp3) => keyOf({ noun: "client", id: fp3 }))
  );
  const gone2 = new Set(revoked.filter((_, i) => rows[i]?.body?.standing !== "accepted"));
  return fps.filter((fp3) => !gone2.has(fp3));
}
async function storeList(reading, node5, fps, { head: { mapVersion }, revokedVersion }) {
  const ref2 = { noun: "systems", id: node5 };
  const row2 = await reading.row(ref2);
  const known4 = row2?.body;
  const hash2 = createHash2("sha256").update(fps.join("\n")).digest("base64url");
  if (known4?.hash === hash2) return sameList(ref2, row2?.rev ?? 0, known4, revokedVersion);
  const version = (known4?.newest.version ?? 0) + 1;
  const head = {
    newest: { version, count: fps.length, firsts: firstsOf(fps) },
    ...known4 && { before: known4.newest },
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
      { ref: ref2, readRev: row2?.rev ?? 0, decision: write(head, because) },
      ...pages.map((page, i) => ({ ...page, readRev: rows[i]?.rev ?? 0 }))
    ],
    because: [because],
    head
  };
}
function sameList(ref2, readRev, known4, revokedVersion) {
  const because = "the list has not changed";
  if (known4.revokedVersion >= revokedVersion) return { changes: [], because: [because], head: known4 };
  const head = { ...known4, revokedVersion };
  return { changes: [{ ref: ref2, readRev, decision: write(head, because) }], because: [because], head };
}
async function entriesOfVersion(shell, node5, version) {
  const keys = version.firsts.map((_, page) => keyOf(pageRef(node5, version.version, page)));
  const rows = await readAll(shell, keys);
  return rows.flatMap((row2) => row2 ? entriesOf(row2.body) : []);
}
var pageRef = (node5, version, page) => ({ noun: "systems-page", id: `${node5}/${version % 3}.${page}` });
async function systemHandler({ params }, shell) {
  const { node: node5, zone: zone2 } = await nodeAndZone(shell, params.id, zoneOf);
  const client = (await clientRow(shell, params.fp))?.state;
  const verdict = verdictOf(client, node5, zone2);
  if (verdict.verdict !== "not-yours") return { status: 200, body: verdict };
  return { status: 200, body: verdictOf(client, node5, await zoneNow(shell, node5.zone) ?? zone2) };
}
function verdictOf(client, node5, zone2) {
  if (client?.standing === "banned") return { verdict: "banned" };
  if (client?.standing !== "accepted") return { verdict: "unknown" };
  if (client.zone !== node5.zone) return { verdict: "not-yours" };
  const owner = ownerOf2(zone2, client.fp, pinOf(client));
  if (owner !== nobody && owner === indexOf(zone2, node5.id)) return { verdict: "accept" };
  const whose = owner === nobody ? void 0 : zone2.members[owner]?.fqdn;
  return { verdict: "not-yours", ...whose && { node: whose } };
}
async function nodeAndZone(shell, id3, read) {
  const node5 = (await shell.table.read(keyOf({ noun: "node", id: id3 })))?.body;
  const zone2 = node5 && await read(shell, node5.zone);
  if (!node5 || !zone2) throw new Refusal("unknown-node", `no node ${id3} has joined`);
  return { node: node5, zone: zone2 };
}

// lib/deployment/deployment.ts
import * as z11 from "zod";
var Deployment = z11.strictObject({ beatMinMs: z11.int().min(100).optional(), admitted: z11.record(z11.string(), z11.int().nonnegative()) });
function decideDeployment(deployment, command3) {
  const before = deployment ?? { admitted: {} };
  if (command3.type === "set") {
    if (command3.beatMinMs === void 0 || command3.beatMinMs === before.beatMinMs) return nothing("nothing to set");
    return write({ ...before, beatMinMs: command3.beatMinMs }, `the fastest heartbeat is ${command3.beatMinMs} ms`);
  }
  if (before.admitted[command3.zone] === command3.nodes) return nothing("as many nodes as before");
  return write(
    { ...before, admitted: { ...before.admitted, [command3.zone]: command3.nodes } },
    `${command3.nodes} admitted nodes in zone ${command3.zone}`
  );
}
var admittedNodes = (deployment) => Object.values(deployment?.admitted ?? {}).reduce((sum, n) => sum + n, 0);
var intervalOf = (deployment, beatMinMs) => intervalMsOf(admittedNodes(deployment), deployment?.beatMinMs ?? beatMinMs);

// lib/doors/settings.ts
var ref = { noun: "deployment", id: "deployment" };
async function deploymentOf(shell) {
  const kept3 = cached(shell, "deployment", () => ({ deployment: void 0, readAt: void 0 }));
  const now = shell.now();
  if (kept3.readAt === void 0 || now - kept3.readAt > shell.settings.zoneMaxAgeMs) {
    kept3.deployment = (await shell.table.read(keyOf(ref)))?.body;
    kept3.readAt = now;
  }
  return kept3.deployment;
}
var intervalNow = async (shell) => intervalOf(await deploymentOf(shell), shell.settings.beatMinMs);
var beatMinNow = async (shell) => (await deploymentOf(shell))?.beatMinMs ?? shell.settings.beatMinMs;

// lib/doors/nodes.ts
var askAgainMs = 2e3;
var nodeHandlers = {
  join: join2,
  up,
  heartbeat,
  events,
  leaving: leaving2,
  desired,
  systems: systemsHandler,
  system: systemHandler
};
async function refuseReplaced(shell, { id: id3, fqdn: fqdn2 }) {
  const holder = (await shell.table.read(keyOf({ noun: "fqdn", id: fqdn2 })))?.body;
  if (holder && holder.node !== id3) throw new Refusal("removed", `${fqdn2} is the name of node ${holder.node} now; join under another name`);
}
async function up({ params, body }, shell) {
  const node5 = await nodeRow(shell, params.id);
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
    throw new Refusal("quarantined", "another machine speaks with this key; an operator must look");
  return { status: 202, body: { acknowledged: false, nextMs: Math.min(askAgainMs, intervalMs) } };
}
async function heartbeat({ params, body }, shell) {
  const [nodeRead, desiredRead, systemsRead] = await shell.table.readMany(
    (body.digest ? ["node", "desired", "systems"] : ["node", "desired"]).map(
      (noun) => keyOf({ noun, id: params.id })
    )
  );
  const node5 = known(stateOf(nodeRead, shell.now()), params.id);
  refuseStranger(node5, body.incarnation);
  const intervalMs = await intervalNow(shell);
  const { id: id3, incarnation, seq, load: load3, tableHash, digest } = body;
  const data = { load: load3, ...tableHash !== void 0 && { tableHash }, ...digest && { digest } };
  await report(shell, {
    type: "node.heartbeat",
    version: 1,
    id: id3,
    node: params.id,
    incarnation,
    seq,
    receivedAt: shell.now(),
    intervalMs,
    data
  });
  if (node5.status === "quarantined")
    throw new Refusal("quarantined", `quarantined: ${node5.reason}; an operator must look`, {
      headers: { "retry-after": String(Math.ceil(intervalMs / 1e3)) }
    });
  const zone2 = await zoneOf(shell, node5.zone);
  const systems = systemsRead?.body;
  return {
    status: 200,
    body: {
      nextMs: jittered(intervalMs, shell.random()),
      desired: desiredRead?.rev ?? 0,
      resync: false,
      listStale: digest !== void 0 && isStale(digest.listVersion, systems, zone2?.revokedVersion ?? 0),
      mapVersion: zone2?.head.mapVersion ?? 0
    }
  };
}
var isStale = (held, systems, revokedVersion) => systems === void 0 ? held !== 0 : held !== systems.newest.version && held !== systems.before?.version || systems.revokedVersion < revokedVersion;
async function events({ params, body }, shell) {
  const node5 = await nodeRow(shell, params.id);
  for (const event of body) refuseStranger(node5, event.incarnation);
  const intervalMs = await intervalNow(shell);
  const receivedAt = shell.now();
  await Promise.all(
    body.map(({ at: _theirs, ...event }) => report(shell, { ...event, node: params.id, receivedAt, intervalMs }))
  );
  return { status: 202, body: { accepted: body.length } };
}
async function leaving2({ params, body }, shell) {
  const node5 = await nodeRow(shell, params.id);
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
async function desired({ params, request }, shell) {
  const [nodeRead, row2] = await shell.table.readMany([keyOf({ noun: "node", id: params.id }), keyOf({ noun: "desired", id: params.id })]);
  known(stateOf(nodeRead, shell.now()), params.id);
  const headers = { etag: `"${row2?.rev ?? 0}"` };
  if (request.header("if-none-match") === headers.etag) return { status: 304, headers };
  const body = row2?.body ?? { release: [] };
  return { status: 200, body, headers };
}
var report = (shell, one3) => shell.queue.send(one3.type === "node.heartbeat" ? "heartbeats" : "reports", JSON.stringify(one3));
var nodeRow = async (shell, id3) => known(stateOf(await shell.table.read(keyOf({ noun: "node", id: id3 })), shell.now()), id3);
function known(node5, id3) {
  if (!node5) throw new Refusal("unknown-node", `no node ${id3} has joined`);
  return node5;
}
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

// lib/runtime/on-route.ts
import * as z12 from "zod";

// lib/api/json.ts
var bodyBytesMax = 64 * 1024;
var depthMax = 32;
function parseBody(text2) {
  if (text2.length > bodyBytesMax || Buffer.byteLength(text2) > bodyBytesMax)
    throw new Refusal("too-large", `the body has more than ${bodyBytesMax} bytes`);
  refuseDeep(text2);
  let value;
  try {
    value = JSON.parse(text2);
  } catch (error) {
    throw new Refusal("malformed-json", error instanceof Error ? error.message : "not JSON");
  }
  if (/__proto__|\\u/.test(text2) && holdsProto(value)) throw new Refusal("malformed-json", "the key __proto__ is not allowed");
  return value;
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
import { Conflict as Conflict4 } from "../../lib/errors.ts";
var rememberForMs = dayMs;
var startedForMs = 3e4;
async function idempotently(shell, route2, request, handle) {
  const key = request.header("idempotency-key");
  if (!key || route2.method !== "POST" || !route2.path.startsWith("/api/v1/")) return handle();
  if (key.length > 200) throw new Refusal("invalid", "an Idempotency-Key has at most 200 characters");
  const ref2 = { noun: "idempotency", id: key };
  const call = createHash3("sha256").update(`${request.method} ${request.path}?${request.query}
${request.body}`).digest("hex");
  const row2 = await shell.table.read(keyOf(ref2));
  const before = stateOf(row2, shell.now());
  if (before && before.call !== call) throw new Refusal("idempotency-mismatch", `this Idempotency-Key was used for another call`);
  if (before?.reply) return before.reply;
  if (before?.startedAt !== void 0 && shell.now() - before.startedAt < startedForMs) throw inProgress();
  const started = await remember(shell, ref2, row2, { call, startedAt: shell.now() });
  try {
    const reply = await handle();
    await remember(shell, ref2, started, { call, reply });
    return reply;
  } catch (error) {
    await remember(shell, ref2, started, { call }).catch(() => void 0);
    throw error;
  }
}
async function remember(shell, ref2, row2, body) {
  const at2 = shell.now();
  const by = shell.newId();
  const put = contentOf(ref2, row2, write(body, "an idempotent call", { expiresAt: plusMs(at2, rememberForMs) }), { by, at: at2, exact: true });
  const readRev = row2?.rev ?? 0;
  try {
    await shell.table.commit([{ put, readRev }]);
  } catch (error) {
    if (!(error instanceof Conflict4)) throw error;
    const now = await shell.table.read(keyOf(ref2));
    if (now?.by !== by || now.rev !== readRev + 1) throw inProgress();
  }
  return { ...put, rev: readRev + 1 };
}
var inProgress = () => new Refusal("in-progress", "a call with this Idempotency-Key is being answered", { headers: { "retry-after": "1" } });

// lib/runtime/verify.ts
var verify = async (request, _route, _shell) => ({
  who: "anyone",
  source: request.source
});

// lib/runtime/on-route.ts
function onRoutes(routes, handlers, quick) {
  const match = router(routes);
  const answer = async (request, shell) => {
    try {
      const found2 = match(request.method, request.path);
      if (!found2) throw new Refusal("not-found", `there is nothing at ${request.path}`);
      if ("allow" in found2)
        throw new Refusal("wrong-method", `${request.path} takes ${found2.allow.join(", ")}`, {
          headers: { allow: found2.allow.join(", ") }
        });
      const route2 = routes[found2.name];
      const caller = await verify(request, route2, shell);
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
var noQuery = z12.strictObject({});
function parse(route2, params, request, caller) {
  const query = Object.fromEntries(new URLSearchParams(request.query));
  return {
    params: checked(route2.params, params),
    query: checked(route2.query ?? noQuery, query),
    body: route2.body ? checked(route2.body, bodyOf(request)) : void 0,
    request,
    caller
  };
}
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

// functions/node-door.ts
var node_door_default = onRoutes(nodeRoutes, nodeHandlers);

// lib/api/client-routes.ts
import * as z13 from "zod";
var byte = z13.enum(["0", "1", "2", "3"]);
var fp = z13.strictObject({ fp: Fingerprint });
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
    body: z13.strictObject({
      publicKey: PublicKey,
      fqdn: Fqdn,
      machineId: z13.string().min(1).max(64),
      facts: z13.record(z13.string().min(1).max(64), z13.string().max(256)).refine((facts2) => Object.keys(facts2).length <= 32, "at most 32 facts").default({}),
      suggestedTags: z13.array(Tag).max(16).default([]),
      minion: z13.strictObject({ id: z13.string().min(1).max(255), publicKey: PemPublicKey, proof: z13.string().max(4096) }).optional(),
      confirmed: Fqdn.optional(),
      lost: z13.boolean().optional()
    }),
    reply: byte,
    replyType: "text/plain",
    statuses: [200],
    errors: ["unknown-zone"]
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
    errors: []
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
    errors: ["unknown-system"]
  })
};

// lib/clients/client.ts
import * as z14 from "zod";
var Minion = z14.strictObject({ id: z14.string().min(1).max(255), fingerprint: Fingerprint });
var Told = z14.strictObject({
  /** The node's index in the zone. */
  index: z14.int().nonnegative(),
  node: NodeId,
  generation: z14.int().nonnegative(),
  at: EpochMs,
  /** Set when the daemon or the node's digest confirmed it. */
  confirmedAt: EpochMs.optional()
});
var known2 = {
  fp: Fingerprint,
  publicKey: PublicKey,
  fqdn: Fqdn,
  machineId: z14.string().max(64),
  minion: Minion.optional(),
  facts: z14.record(z14.string(), z14.string()),
  suggestedTags: z14.array(Tag),
  firstSeenAt: EpochMs,
  /** Written at most hourly. */
  seenAt: EpochMs
};
var Client = z14.discriminatedUnion("standing", [
  z14.strictObject({ ...known2, standing: z14.literal("pooled") }),
  z14.strictObject({
    ...known2,
    standing: z14.literal("accepted"),
    zone: ZoneName,
    tags: z14.array(Tag),
    groups: z14.array(Tag),
    acceptedAt: EpochMs,
    /** Bulk accept staggers admissions: not before this moment. */
    notBefore: EpochMs.optional(),
    told: Told.optional(),
    pin: z14.strictObject({ index: z14.int().nonnegative(), hard: z14.boolean() }).optional()
  }),
  /** For ever: a ban is a tombstone. `zone` only if it had been accepted, so that its node hears of it. */
  z14.strictObject({ ...known2, standing: z14.literal("banned"), bannedAt: EpochMs, zone: ZoneName.optional() })
]);
var ClientAlias = z14.strictObject({ standing: z14.literal("alias"), of: Fingerprint });
var pooledForMs = 30 * dayMs;
var seenEveryMs = 36e5;

// lib/clients/decide.ts
function decide2(client, command3, now) {
  if (command3.type === "knock") return client ? onKnockAgain(client, command3.who, now) : onFirstKnock(command3.who, now);
  if (!client) return nothing("this key never knocked");
  if (client.standing === "banned") return nothing("banned, for ever");
  switch (command3.type) {
    case "accept":
      return onAccept(client, command3, now);
    case "ban":
      return onBan(client, now);
    case "seen":
      return onSeen(client, now);
    case "edit":
    case "tell":
    case "confirm":
    case "unregister":
      return client.standing === "accepted" ? onPlaced(client, command3, now) : nothing("not accepted yet");
    default:
      return unreachable(command3);
  }
}
function onFirstKnock(who, now) {
  const next3 = { ...said(who), standing: "pooled", firstSeenAt: now, seenAt: now };
  const events2 = [{ type: "client.seen", version: 1, data: { system: who.fp, fqdn: who.fqdn } }];
  return write(next3, "an unknown machine knocked; it waits in the onboarding pool", { events: events2, expiresAt: plusMs(now, pooledForMs) });
}
function onKnockAgain(client, who, now) {
  if (client.standing === "banned") return nothing("banned, for ever");
  const { fqdn: fqdn2, facts: facts2, minion } = said(who);
  const changed = client.fqdn !== fqdn2 || !isSame(client.facts, facts2) || minion !== void 0 && !isSame(client.minion, minion);
  if (!changed) return onSeen(client, now);
  const next3 = { ...client, fqdn: fqdn2, facts: facts2, ...minion && { minion }, seenAt: now };
  return write(next3, "it describes itself anew", kept(client, now));
}
function onAccept(client, { zone: zone2, tags, groups }, now) {
  if (client.standing === "accepted") return nothing(`accepted already, in zone ${client.zone}`);
  const next3 = { ...client, standing: "accepted", zone: zone2, tags: [...tags], groups: [...groups], acceptedAt: now };
  const events2 = [{ type: "client.accepted", version: 1, data: { system: client.fp, fqdn: client.fqdn, zone: zone2, tags, groups } }];
  return write(next3, `accepted into zone ${zone2}`, { events: events2 });
}
function onBan(client, now) {
  const { fp: fp3, publicKey: publicKey2, fqdn: fqdn2, machineId, minion, facts: facts2, suggestedTags, firstSeenAt, seenAt } = client;
  const next3 = {
    fp: fp3,
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
  return write(next3, "banned, for ever", { events: [{ type: "client.banned", version: 1, data: { system: fp3, fqdn: fqdn2 } }] });
}
function onSeen(client, now) {
  if (now - client.seenAt < seenEveryMs) return nothing("seen within the hour");
  return write({ ...client, seenAt: now }, "a sign of life", kept(client, now));
}
function onPlaced(client, command3, now) {
  switch (command3.type) {
    case "edit":
      return write(
        { ...client, tags: [...command3.tags ?? client.tags], groups: [...command3.groups ?? client.groups] },
        "tags or groups edited"
      );
    case "tell":
      return onTell(client, command3, now);
    case "confirm":
      return onConfirm(client, command3, now);
    case "unregister": {
      const { told: _cleared, ...next3 } = client;
      if (!client.told) return nothing("it is on no node");
      const events2 = [{ type: "client.unregistered", version: 1, data: { system: client.fp, fqdn: client.fqdn } }];
      return write(next3, "unregistered: an orphan, its key stays accepted", { events: events2 });
    }
    default:
      return unreachable(command3);
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
var said = ({ fp: fp3, publicKey: publicKey2, fqdn: fqdn2, machineId, minion, facts: facts2, suggestedTags }) => ({
  fp: fp3,
  publicKey: publicKey2,
  fqdn: fqdn2,
  machineId,
  facts: { ...facts2 },
  suggestedTags: [...suggestedTags],
  ...minion && { minion }
});
var kept = (client, now) => client.standing === "pooled" ? { expiresAt: plusMs(now, pooledForMs) } : {};

// lib/doors/intervals.ts
var coveredS = 6 * 3600;
var uncoveredS = 15 * 60;
var waitingMinS = 5;
var waitingMaxS = 60;
var deletedS = 86400;
var renewCoveredS = 3.5 * 86400;
var renewUncoveredS = 3600;
var renewAfterS = (covered) => covered ? renewCoveredS : renewUncoveredS;
function nextSeconds(status2, { now, random, covered, lostS, client }) {
  const base = baseSeconds(status2, lostS, covered, (now - sinceOf(client, now)) / 1e3);
  return jittered2(base, random);
}
var knockSeconds = (random) => jittered2(waitingMinS, random);
var jittered2 = (seconds2, random) => Math.max(1, Math.round(seconds2 * (0.9 + 0.2 * random)));
function baseSeconds(status2, lostS, covered, waitedS) {
  if (status2 === "deleted") return deletedS;
  if (status2 !== "onboarded") return rising(waitedS);
  if (lostS !== void 0) return rising(lostS);
  return covered ? coveredS : uncoveredS;
}
var rising = (sinceS) => clamp(sinceS / 10, waitingMinS, waitingMaxS);
var lostSecondsOf = (text2) => text2 !== void 0 && /^[1-9]\d{0,8}$/.test(text2) ? Number(text2) : void 0;
function sinceOf(client, now) {
  if (client?.standing === "pooled") return client.firstSeenAt;
  if (client?.standing === "accepted") return client.told?.at ?? client.acceptedAt;
  return now;
}
var watchOf = (zone2, index, beatMinMs) => `${zone2.members[index].watch};every=${Math.max(1, Math.round(3 * beatMinMs / 1e3))}`;

// lib/doors/byte.ts
function byteAnswer(of, { shell, covered, lostS, client }) {
  const next3 = nextSeconds(of, { now: shell.now(), random: shell.random(), covered, lostS, client });
  return { status: 200, text: statusBytes[of], headers: { [clientHeaders.next]: String(next3), "content-type": "text/plain" } };
}

// lib/digests/digest.ts
import * as z15 from "zod";
var Bits = z15.custom((value) => value instanceof Uint8Array, "bytes");
var One = z15.strictObject({
  listVersion: z15.int().nonnegative(),
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
var shows = (one3, other) => one3.listVersion === other.listVersion && Buffer.compare(one3.bits, other.bits) === 0;
function receivedAfter(row2, moment2) {
  if (row2.at <= moment2) return void 0;
  const { before, ...newest } = row2;
  return before && before.at > moment2 ? row2 : newest;
}
var digestShows = (row2, listVersion, position) => row2 !== void 0 && [row2, row2.before].some((one3) => one3?.listVersion === listVersion && ((one3.bits[position >> 3] ?? 0) & 1 << (position & 7)) !== 0);

// lib/doors/coverage.ts
async function nodeSees(shell, fp3, told3) {
  const [digestRow, systemsRow] = await shell.table.readMany([
    keyOf({ noun: "digest", id: told3.node }),
    keyOf({ noun: "systems", id: told3.node })
  ]);
  const digest = digestRow && receivedAfter(digestRow.body, told3.at);
  const systems = systemsRow?.body;
  if (!digest || !systems) return false;
  for (const version of [systems.newest, systems.before]) {
    if (!version || digest.listVersion !== version.version && digest.before?.listVersion !== version.version) continue;
    const page = pageFor(version.firsts, fp3);
    if (page === void 0) continue;
    const row2 = await shell.table.read(keyOf(pageRef(told3.node, version.version, page)));
    const place2 = row2 && placeOnPage(row2.body, fp3);
    if (place2 !== void 0 && digestShows(digest, version.version, page * entriesPerPage + place2)) return true;
  }
  return false;
}
async function withCoverage(shell, client, zone2) {
  const { told: told3 } = client;
  if (!told3 || !servesAt(zone2, told3.index, told3.generation)) return { client, covered: false };
  const covered = await nodeSees(shell, client.fp, told3);
  return {
    client: covered && told3.confirmedAt === void 0 ? { ...client, told: { ...told3, confirmedAt: shell.now() } } : client,
    covered
  };
}
async function confirmedByDigest(shell, before, zone2) {
  const { client, covered } = await withCoverage(shell, before, zone2);
  const { told: told3 } = before;
  const confirms = covered && told3 && told3.confirmedAt === void 0;
  if (!confirms && shell.now() - before.seenAt < seenEveryMs) return { client, covered };
  const id3 = shell.newId();
  const command3 = confirms ? { type: "confirm", id: id3, index: told3.index, generation: told3.generation, by: "digest" } : { type: "seen", id: id3 };
  const { state } = await apply(shell, { noun: "client", id: before.fp }, command3, decide2);
  return { client: state?.standing === "accepted" ? state : client, covered };
}

// lib/identity/token.ts
import { timingSafeEqual } from "node:crypto";

// lib/identity/hmac.ts
import { hash } from "node:crypto";
var blockBytes = 64;
var digestBytes = 32;
function hmacSha256(secret, message) {
  const key = secret.length > blockBytes ? hash("sha256", secret, "buffer") : secret;
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
function mintToken(token2, key) {
  const bytes = Buffer.alloc(bodyBytes + macBytes);
  bytes.write(token2.fp, 0, 16, "hex");
  bytes.writeUInt32BE(token2.zone, 16);
  bytes.writeUInt16BE(token2.index, 20);
  bytes.writeUInt16BE(token2.generation, 22);
  bytes.writeUInt16BE(token2.pin, 24);
  bytes.writeUInt32BE(token2.mapVersion, 26);
  bytes.writeUInt16BE(token2.epoch, 30);
  bytes.writeUInt32BE(token2.issuedAtS, 32);
  bytes.writeUInt8((token2.confirmed ? confirmedBit : 0) | (token2.covered ? coveredBit : 0), 36);
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
  if (text2.length !== 72) return void 0;
  const bytes = Buffer.from(text2, "base64url");
  if (bytes.length !== bodyBytes + macBytes || bytes[37] !== key.id) return void 0;
  if (!timingSafeEqual(bytes.subarray(bodyBytes), mac(bytes, key))) return void 0;
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
var keysOf = (shell) => cached(shell, "token-keys", () => /* @__PURE__ */ new Map());
var metKey = (shell, id3) => keysOf(shell).get(id3);
async function keyById(shell, id3) {
  const met = metKey(shell, id3);
  if (met) return met;
  const key = await shell.keys.byId(id3);
  if (key) keysOf(shell).set(id3, key);
  return key;
}
async function heldToken(shell, text2, fp3) {
  const keyId = text2 === void 0 ? void 0 : tokenKeyId(text2);
  const key = keyId === void 0 ? void 0 : await keyById(shell, keyId);
  const token2 = key && readToken(text2, key);
  if (!token2 || token2.fp !== fp3.slice(0, 32)) return void 0;
  const zone2 = await zoneByNumber(shell, token2.zone, token2.mapVersion);
  if (!zone2 || !tokenHolds(zone2, token2, Math.floor(shell.now() / 1e3), tokenLifeS)) return void 0;
  return { token: token2, zone: zone2 };
}
var clocksApartS = 1;
async function tokenFor(shell, client, zone2, { covered, askedAt }) {
  const issuedAtS = Math.floor(askedAt / 1e3) - clocksApartS;
  const fromS = tokensFromS(zone2, client.fp);
  if (issuedAtS >= fromS) return minted(shell, client, zone2, { covered, issuedAtS });
  const now = (await clientRow(shell, client.fp))?.state;
  return now?.standing === "accepted" ? minted(shell, now, zone2, { covered, issuedAtS: fromS }) : void 0;
}
var tokensFromS = ({ revokedAt, tokensBefore }, fp3) => Math.max(tokensBefore, (revokedAt.get(Number.parseInt(fp3.slice(0, 8), 16)) ?? -1) + 1);
async function minted(shell, client, zone2, { covered, issuedAtS }) {
  const key = await shell.keys.current();
  keysOf(shell).set(key.id, key);
  const told3 = placementOf(client);
  return mintToken(
    {
      fp: client.fp.slice(0, 32),
      zone: zone2.head.number,
      index: told3?.index ?? noIndex,
      generation: told3?.generation ?? 0,
      pin: pinOf(client),
      mapVersion: zone2.head.version,
      epoch: zone2.head.epoch,
      issuedAtS,
      confirmed: told3?.confirmed ?? false,
      covered
    },
    key
  );
}

// lib/doors/knock.ts
async function knock({ body }, shell) {
  const who = whoOf(body);
  const askedAt = shell.now();
  const found2 = await clientRow(shell, who.fp);
  const client = found2 ? await knockAgain(shell, found2.state, who) : await keepKnock(shell, who.fp, who);
  const lostS = body.lost ? 0 : void 0;
  if (client.standing !== "accepted") return byteAnswer(rowStatus(client, void 0), { shell, covered: false, lostS, client });
  return accepted(shell, client, body, { lostS, askedAt });
}
async function accepted(shell, client, body, { lostS, askedAt }) {
  const zone2 = await (body.lost ? zoneOf : zoneNow)(shell, client.zone);
  if (!zone2) throw new Refusal("unknown-zone", `zone ${client.zone} is gone`);
  const { told: told3 } = client;
  let now = client;
  if (body.confirmed !== void 0 && told3 && told3.confirmedAt === void 0 && zone2.members[told3.index]?.fqdn === body.confirmed) {
    const command3 = { type: "confirm", id: shell.newId(), index: told3.index, generation: told3.generation, by: "daemon" };
    const { state } = await apply(shell, { noun: "client", id: client.fp }, command3, decide2);
    if (state?.standing === "accepted") now = state;
  }
  const { client: seen, covered } = await confirmedByDigest(shell, now, zone2);
  const isElsewhere = body.confirmed !== void 0 && seen.told !== void 0 && zone2.members[seen.told.index]?.fqdn !== body.confirmed;
  const answer = byteAnswer(isElsewhere ? "orphan" : rowStatus(seen, zone2), { shell, covered, lostS, client: seen });
  const watch2 = seen.told && servesAt(zone2, seen.told.index, seen.told.generation) ? { [clientHeaders.watch]: watchOf(zone2, seen.told.index, await beatMinNow(shell)) } : {};
  const token2 = await tokenFor(shell, seen, zone2, { covered, askedAt });
  return { ...answer, headers: { ...answer.headers, ...watch2, ...token2 && { [clientHeaders.token]: token2 } } };
}
async function knockAgain(shell, before, who) {
  if (before.standing !== "banned" && who.minion && who.minion.fingerprint !== before.minion?.fingerprint)
    return await keepKnock(shell, before.fp, who) ?? before;
  const command3 = { type: "knock", id: shell.newId(), who };
  const { state } = await apply(shell, { noun: "client", id: before.fp }, command3, decide2);
  return state ?? before;
}
async function keepKnock(shell, fp3, who) {
  const command3 = { type: "knock", id: shell.newId(), who };
  const ref2 = { noun: "client", id: fp3 };
  let made;
  await applyPlan(shell, command3, async (reading) => {
    const row2 = await reading.row(ref2);
    const now = shell.now();
    const known4 = stateOf(row2, now);
    const decision = decide2(known4, command3, now);
    made = decision.does === "write" ? decision.next : known4;
    const alias = who.minion && { noun: "client", id: who.minion.fingerprint };
    const aliasRow = alias && await reading.row(alias);
    const aliasChange = alias && decision.does === "write" && !await finds(reading, stateOf(aliasRow, now), fp3, now) ? [{ ref: alias, readRev: aliasRow?.rev ?? 0, decision: write({ standing: "alias", of: fp3 }, `another key of ${fp3}`) }] : [];
    return { changes: [{ ref: ref2, readRev: row2?.rev ?? 0, decision }, ...aliasChange], because: [decision.because] };
  });
  return made;
}
async function finds(reading, known4, fp3, now) {
  if (known4?.standing !== "alias" || known4.of === fp3) return known4 !== void 0;
  return stateOf(await reading.row({ noun: "client", id: known4.of }), now) !== void 0;
}
function whoOf(body) {
  const { publicKey: publicKey2, fqdn: fqdn2, machineId, facts: facts2, suggestedTags, minion } = body;
  return {
    fp: fingerprintOf(publicKey2),
    publicKey: publicKey2,
    fqdn: fqdn2,
    machineId,
    facts: facts2,
    suggestedTags,
    ...minion && { minion: { id: minion.id, fingerprint: minionFingerprintOf(minion.publicKey) } }
  };
}

// lib/doors/clients.ts
var clientHandlers = { knock, systemStatus, orphan };
async function systemStatus({ query, request }, shell) {
  const text2 = request.header(clientHeaders.token);
  const held = await heldToken(shell, text2, query.fp);
  const lostS = lostSecondsOf(request.header(clientHeaders.lost));
  if (!held) return fromRow(query.fp, text2 !== void 0, shell);
  const { token: token2, zone: zone2 } = held;
  const ageS = Math.floor(shell.now() / 1e3) - token2.issuedAtS;
  if (token2.confirmed && ageS < renewAfterS(token2.covered))
    return byteAnswer(tokenStatus(zone2, token2), { shell, covered: token2.covered, lostS });
  return renewed(query.fp, zone2, lostS, shell);
}
async function fromRow(fp3, brought, shell) {
  const found2 = await clientRow(shell, fp3);
  const client = found2?.state;
  const zone2 = client?.standing === "accepted" ? await zoneOf(shell, client.zone) : void 0;
  const confirmed = client?.standing === "accepted" && zone2 ? await withCoverage(shell, client, zone2) : void 0;
  const answer = byteAnswer(rowStatus(confirmed?.client ?? client, zone2), {
    shell,
    covered: confirmed?.covered ?? false,
    client
  });
  return brought && client?.standing === "accepted" ? toKnock(answer, shell) : answer;
}
async function renewed(fp3, zone2, lostS, shell) {
  const askedAt = shell.now();
  const found2 = await clientRow(shell, fp3);
  if (found2?.state.standing !== "accepted") return byteAnswer(rowStatus(found2?.state, zone2), { shell, covered: false, lostS });
  const { client, covered } = await confirmedByDigest(shell, found2.state, zone2);
  const token2 = await tokenFor(shell, client, zone2, { covered, askedAt });
  const answer = byteAnswer(rowStatus(client, zone2), { shell, covered, lostS, client });
  return { ...answer, headers: { ...answer.headers, ...token2 && { [clientHeaders.token]: token2 } } };
}
async function orphan({ query, request }, shell) {
  const text2 = request.header(clientHeaders.token);
  const askedAt = shell.now();
  const held = await heldToken(shell, text2, query.fp);
  const found2 = await clientRow(shell, query.fp);
  if (!found2) throw new Refusal("unknown-system", "no machine with this fingerprint has knocked");
  if (found2.state.standing !== "accepted") return wait(shell, found2.state);
  const zone2 = await zoneOf(shell, found2.state.zone, held?.token.mapVersion);
  if (!zone2) return wait(shell, found2.state);
  const place2 = placeFor(zone2, found2.state.fp, pinOf(found2.state), placementOf(found2.state));
  if (!held) {
    const answer = await grantedBefore(found2.state, zone2, shell);
    return text2 === void 0 ? answer : toKnock(answer, shell);
  }
  if (place2 === void 0) return wait(shell, found2.state);
  const command3 = {
    type: "tell",
    id: shell.newId(),
    index: place2,
    node: zone2.members[place2].node,
    generation: generationAt(zone2.head.roster, place2)
  };
  const { state } = await apply(shell, { noun: "client", id: found2.state.fp }, command3, decide2);
  if (state?.standing !== "accepted") return wait(shell, state);
  const token2 = await tokenFor(shell, state, zone2, { covered: false, askedAt });
  return token2 ? named(zone2, place2, shell, { [clientHeaders.token]: token2 }) : wait(shell, state);
}
async function grantedBefore(client, zone2, shell) {
  const { told: told3 } = client;
  const place2 = placeFor(zone2, client.fp, pinOf(client), placementOf(client));
  if (!told3 || told3.index !== place2 || !servesAt(zone2, told3.index, told3.generation)) return wait(shell, client);
  return named(zone2, place2, shell, {});
}
async function named(zone2, index, shell, headers) {
  return {
    status: 200,
    text: zone2.members[index].fqdn,
    headers: { [clientHeaders.watch]: watchOf(zone2, index, await beatMinNow(shell)), ...headers }
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
  const key = keyId === void 0 ? void 0 : metKey(shell, keyId);
  const token2 = key && readToken(text2, key);
  if (!token2?.confirmed) return void 0;
  const fp3 = query[1].length === 64 ? query[1] : query[1].replaceAll(/:|%3a/gi, "");
  if (!fp3.toLowerCase().startsWith(token2.fp)) return void 0;
  const zone2 = freshZoneByNumber(shell, token2.zone);
  const now = shell.now();
  const nowS = Math.floor(now / 1e3);
  if (!zone2 || zone2.head.version < token2.mapVersion || nowS - token2.issuedAtS >= renewAfterS(token2.covered)) return void 0;
  if (!tokenHolds(zone2, token2, nowS, tokenLifeS)) return void 0;
  const status2 = tokenStatus(zone2, token2);
  const lostS = lostSecondsOf(request.header(clientHeaders.lost));
  const next3 = nextSeconds(status2, { now, random: shell.random(), covered: token2.covered, lostS });
  return { status: 200, headers: { "content-type": "text/plain", [clientHeaders.next]: String(next3) }, body: statusBytes[status2] };
}

// functions/knock.ts
var knock_default = onRoutes(clientRoutes, clientHandlers, quickStatus);

// lib/api/admin-routes.ts
import * as z21 from "zod";

// lib/api/admin-dead-letter-routes.ts
import * as z18 from "zod";

// lib/api/page.ts
import * as z16 from "zod";
var paged = { limit: z16.coerce.number().int().min(1).max(200).default(50), cursor: z16.string().max(500).optional() };
var listOf2 = (item) => z16.strictObject({ items: z16.array(item), next: z16.string().optional() });

// lib/api/views.ts
import * as z17 from "zod";
var Moment = z17.iso.datetime();
var NodeView = z17.strictObject({
  id: NodeId,
  fqdn: Fqdn,
  zone: ZoneName,
  kind: NodeKind,
  status: z17.enum(["absent", "waiting", "joining", "up", "suspect", "down", "leaving", "dropped", "quarantined"]),
  because: z17.string(),
  incarnation: z17.int(),
  generation: z17.int(),
  index: z17.int().optional(),
  watch: z17.string(),
  weight: z17.number(),
  capacity: z17.int().optional(),
  labels: z17.record(z17.string(), z17.string()),
  joinedAt: Moment,
  heardAt: Moment.optional(),
  leaseUntil: Moment.optional(),
  leaving: z17.strictObject({ mode: LeaveMode, since: Moment, until: Moment.optional() }).optional(),
  load: Load.optional(),
  /** Slots of the zone's map that it owns. */
  slots: z17.int(),
  /** About how many accepted client systems those slots hold, from the last count. */
  systemsAbout: z17.int(),
  host: HostFacts.extend({ at: Moment }).optional()
});
var SystemView = z17.strictObject({
  fp: z17.string(),
  fingerprint: z17.string(),
  fqdn: Fqdn,
  machineId: z17.string(),
  status: z17.enum(["new", "onboarded", "orphan", "deleted"]),
  because: z17.string(),
  zone: ZoneName.optional(),
  /** The node it was told; `confirmed` once the daemon or the node's digest said so. */
  node: z17.strictObject({ id: NodeId, fqdn: Fqdn.optional(), at: Moment, confirmed: z17.boolean() }).optional(),
  tags: z17.array(Tag),
  groups: z17.array(Tag),
  suggestedTags: z17.array(Tag),
  minion: z17.strictObject({ id: z17.string(), fingerprint: z17.string() }).optional(),
  facts: z17.record(z17.string(), z17.string()),
  firstSeenAt: Moment,
  seenAt: Moment
});
var ZoneView = z17.strictObject({
  name: ZoneName,
  number: z17.int(),
  kind: z17.enum(["management", "storage"]),
  mode: z17.enum(["production", "recovery"]),
  version: z17.int(),
  because: z17.string(),
  remapAfterMs: z17.int(),
  readmit: z17.enum(["auto", "admin"]),
  epoch: z17.int(),
  systemsAbout: z17.int(),
  countedAt: Moment.optional(),
  map: z17.strictObject({
    slots: z17.int(),
    version: z17.int(),
    unowned: z17.int(),
    awayFromHome: z17.int(),
    nodes: z17.array(
      z17.strictObject({ node: NodeId, fqdn: Fqdn, standing: z17.string(), generation: z17.int(), slots: z17.int(), systemsAbout: z17.int() })
    )
  })
});
var Explanation = z17.strictObject({
  subject: z17.string(),
  state: z17.string(),
  because: z17.string(),
  since: Moment,
  by: z17.string(),
  looksAgainAt: Moment.optional(),
  also: z17.array(z17.strictObject({ subject: z17.string(), because: z17.string(), at: Moment.optional() }))
});
var HistoryView = z17.strictObject({
  seq: z17.int(),
  type: z17.string(),
  version: z17.int(),
  at: Moment,
  because: z17.string(),
  by: z17.string(),
  data: z17.record(z17.string(), z17.json())
});
var LetterFailure = z17.strictObject({ code: z17.string(), reason: z17.string(), at: Moment });
var DeadLetterView = z17.strictObject({
  id: z17.string(),
  status: z17.enum(["dead", "redriven"]),
  /** Where it is given back to; `feed` is an image of a row whose events could not go out. */
  queue: z17.enum(["heartbeats", "reports", "feed"]),
  via: z17.enum(["door", "bus", "feed"]),
  /** When the message was first sent. */
  sentAt: Moment,
  /** How often it died: once, and once more for each time it was given back in vain. */
  deaths: z17.int(),
  /** How often it was received over all that. */
  receives: z17.int(),
  first: LetterFailure,
  last: LetterFailure,
  /** The length of the whole message. */
  bytes: z17.int(),
  /** Only its beginning is kept, so that it cannot be given back. */
  cut: z17.boolean(),
  /** The latest time it was given back, and the call that did. */
  redriven: z17.strictObject({ at: Moment, by: z17.string(), attempt: z17.int() }).optional(),
  /** When it is forgotten. */
  expiresAt: Moment
});
var DeadLetterWhole = DeadLetterView.extend({ message: z17.string() });

// lib/api/admin-dead-letter-routes.ts
var LetterId = z18.string().regex(
  /^(?!\.{1,2}$)[\w.~=#@:!*'()-]{1,300}$/,
  "the id of a dead letter is 1 to 300 letters, digits or .~=#@:!*'()_-, as the list shows it"
);
var FailureCode = z18.string().regex(/^[a-z0-9.-]{1,64}$/, "a code is 1 to 64 lower-case letters, digits, dots or hyphens");
var LetterQueue = DeadLetterView.shape.queue;
var lettersMax = 100;
var letter = z18.strictObject({ id: LetterId });
var results = z18.strictObject({
  /** `busy`: not done now, and may be when the order is given again; any other that is not done will not be. */
  results: z18.array(z18.strictObject({ id: z18.string(), done: z18.boolean(), busy: z18.literal(true).optional(), because: z18.string() })),
  next: z18.string().optional()
});
var chosen = {
  ids: z18.array(LetterId).min(1).max(lettersMax).optional(),
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
    query: z18.strictObject({
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
    body: z18.strictObject({
      ...chosen,
      /** Also those that were given back and have not died since: their queue may have lost them. */
      again: z18.boolean().default(false)
    }).refine(isOneChoice, oneChoice),
    reply: results,
    statuses: [200],
    errors: ["bad-cursor"]
  }),
  dropDeadLetters: route({
    method: "POST",
    path: "/api/v1/dead-letters/drop",
    summary: `Drop dead letters, those named or all of a code, ${lettersMax} a call; their messages are gone`,
    scope: "operate",
    body: z18.strictObject(chosen).refine(isOneChoice, oneChoice),
    reply: results,
    statuses: [200],
    errors: ["bad-cursor"]
  })
};

// lib/api/admin-node-routes.ts
import * as z19 from "zod";
var node = z19.strictObject({ id: z19.union([NodeId, Fqdn]) });
var labelsMax = 8;
var labels = z19.record(z19.string().min(1).max(32), Tag).refine((given) => Object.keys(given).length <= labelsMax, `a node has at most ${labelsMax} labels`).meta({ maxProperties: labelsMax });
var adminNodeRoutes = {
  listNodes: route({
    method: "GET",
    path: "/api/v1/nodes",
    summary: "The nodes of a zone",
    scope: "read",
    query: z19.strictObject({ zone: ZoneName.optional(), ...paged }),
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
    body: z19.strictObject({
      weight: z19.number().min(0.01).max(100).optional(),
      capacity: z19.int().positive().nullable().optional(),
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
    body: z19.strictObject({ mode: z19.enum(["drain", "hold", "stay"]).default("drain"), until: Moment.optional() }),
    reply: z19.strictObject({ done: z19.boolean(), because: z19.string() }),
    statuses: [202],
    errors: ["unknown-node", "refused"]
  }),
  dropNode: route({
    method: "POST",
    path: "/api/v1/nodes/{id}/drop",
    summary: "Give a node up at once: its client systems go elsewhere, it must join as new",
    scope: "operate",
    params: node,
    body: z19.strictObject({}).default({}),
    reply: z19.strictObject({ done: z19.boolean(), because: z19.string() }),
    statuses: [202],
    errors: ["unknown-node", "refused"]
  })
};

// lib/api/admin-system-routes.ts
import * as z20 from "zod";
var system = z20.strictObject({ fp: Fingerprint });
var many = z20.array(Fingerprint).min(1).max(200);
var results2 = z20.strictObject({ results: z20.array(z20.strictObject({ fp: z20.string(), done: z20.boolean(), because: z20.string() })) });
var adminSystemRoutes = {
  listSystems: route({
    method: "GET",
    path: "/api/v1/systems",
    summary: "Client systems by status, zone, node or tag; a page may be short while more follow",
    scope: "read",
    query: z20.strictObject({
      status: z20.enum(["new", "onboarded", "orphan", "deleted"]).optional(),
      zone: ZoneName.optional(),
      node: z20.union([NodeId, Fqdn]).optional(),
      tag: Tag.optional(),
      /** The first hex digits of fingerprints, 8 or more: finds a system by what an administrator has read off a screen. */
      prefix: z20.string().regex(/^[0-9a-f]{8,64}$/, "8 to 64 lower-case hex digits").optional(),
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
    body: z20.strictObject({ tags: z20.array(Tag).max(64).optional(), groups: z20.array(Tag).max(64).optional() }),
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
    body: z20.strictObject({
      systems: many,
      zone: ZoneName.optional(),
      tags: z20.array(Tag).max(64).default([]),
      groups: z20.array(Tag).max(64).default([])
    }),
    reply: results2,
    statuses: [200],
    errors: ["unknown-zone"]
  }),
  unregister: route({
    method: "POST",
    path: "/api/v1/systems/unregister",
    summary: "Take client systems off their nodes; their keys stay accepted, and they find a place again",
    scope: "operate",
    body: z20.strictObject({ systems: many }),
    reply: results2,
    statuses: [200],
    errors: []
  }),
  ban: route({
    method: "POST",
    path: "/api/v1/systems/ban",
    summary: "Ban fingerprints, for ever",
    scope: "security",
    body: z20.strictObject({ systems: many }),
    reply: results2,
    statuses: [200],
    errors: []
  })
};

// lib/api/admin-routes.ts
var subjects = z21.enum(["node", "system", "client", "zone"]);
var Settings = z21.strictObject({
  /** The fastest heartbeat, in ms. */
  beatMinMs: z21.int().min(100).max(3e5),
  /** The interval that nodes are told now, before jitter. */
  intervalMs: z21.int(),
  admittedNodes: z21.int()
});
var deadCountedMax = 1e3;
var adminRoutes = {
  ...adminNodeRoutes,
  ...adminSystemRoutes,
  ...adminDeadLetterRoutes,
  status: route({
    method: "GET",
    path: "/api/v1/status",
    summary: "The deployment at a glance",
    scope: "read",
    reply: z21.strictObject({
      deployment: z21.string(),
      version: z21.string(),
      now: Moment,
      intervalMs: z21.int(),
      sweptAt: Moment.optional(),
      /** Without those that were given back; 1,000 stands for that many or more. */
      deadLetters: z21.int().max(deadCountedMax),
      zones: z21.array(
        z21.strictObject({
          name: ZoneName,
          mode: z21.string(),
          version: z21.int(),
          slots: z21.int(),
          nodes: z21.record(z21.string(), z21.int()),
          systemsAbout: z21.int()
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
    query: z21.strictObject(paged),
    reply: listOf2(ZoneView),
    statuses: [200],
    errors: ["bad-cursor"]
  }),
  getZone: route({
    method: "GET",
    path: "/api/v1/zones/{zone}",
    summary: "A zone and its map in summary",
    scope: "read",
    params: z21.strictObject({ zone: ZoneName }),
    reply: ZoneView,
    statuses: [200],
    errors: ["unknown-zone"]
  }),
  explain: route({
    method: "GET",
    path: "/api/v1/explain/{kind}/{id}",
    summary: "Why a node, client system or zone is as it is",
    scope: "read",
    params: z21.strictObject({ kind: subjects, id: z21.string().min(1).max(253) }),
    reply: Explanation,
    statuses: [200],
    errors: ["unknown-node", "unknown-system", "unknown-zone"]
  }),
  history: route({
    method: "GET",
    path: "/api/v1/history/{kind}/{id}",
    summary: "What was concluded about it, oldest first; `after` fills holes in a consumer",
    scope: "read",
    params: z21.strictObject({ kind: subjects, id: z21.string().min(1).max(253) }),
    query: z21.strictObject({
      after: z21.coerce.number().int().nonnegative().default(0),
      limit: z21.coerce.number().int().min(1).max(200).default(50)
    }),
    reply: z21.strictObject({ items: z21.array(HistoryView), more: z21.boolean() }),
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
    summary: "Set the fastest heartbeat",
    scope: "admin",
    body: z21.strictObject({ beatMinMs: z21.int().min(100).max(3e5).optional() }),
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
    reply: z21.looseObject({ openapi: z21.string() }),
    statuses: [200],
    errors: []
  })
};

// lib/doors/admin/dead-letters.ts
import { Later as Later6 } from "../../lib/errors.ts";

// lib/queue/limits.ts
import { MusterError as MusterError2 } from "../../lib/errors.ts";
var delayMsMax = 15 * minuteMs;
var bodyBytesMax2 = 256 * 1024;

// lib/runtime/dead-letter.ts
var messageBytesMax = bodyBytesMax2;
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
function firstDeath(death, at2) {
  const { letter: id3, queue, via, body, sentAt, receives, attempt: died } = death;
  const failure2 = failureOf(death, at2);
  return { id: id3, status: "dead", queue, via, ...kept2(body), sentAt, receives, deaths: 1, died, first: failure2, last: failure2 };
}
function diedAgain(letter3, death, now) {
  if (death.attempt <= letter3.died) return nothing(`it is known that attempt ${death.attempt} died`);
  const { id: id3, queue, via, sentAt, first, redriven: redriven2 } = letter3;
  const receives = letter3.receives + death.receives;
  const last = failureOf(death, now);
  const deaths = letter3.deaths + 1;
  const known4 = { id: id3, queue, via, ...kept2(death.body), sentAt, receives, deaths, died: death.attempt, first, last };
  const isUnderWay = letter3.status === "redriven" && letter3.redriven.attempt > death.attempt;
  if (isUnderWay) return keep({ ...known4, status: "redriven", redriven: letter3.redriven }, last.reason);
  return keep({ ...known4, status: "dead", ...redriven2 && { redriven: redriven2 } }, last.reason);
}
function redriven(letter3, { id: by, attempt }, at2) {
  if (!letter3) return nothing("given back; it expired meanwhile");
  if (attempt <= letter3.died) return nothing(`given back, and it died again at once: ${letter3.last.reason}`);
  if (letter3.status === "dropped") return nothing("given back, while somebody dropped it");
  if (letter3.redriven && attempt <= letter3.redriven.attempt) return nothing(`given back, as another call did too (${letter3.redriven.by})`);
  return keep({ ...letter3, status: "redriven", redriven: { attempt, at: at2, by } }, "an operator gave it back");
}
function dropped(letter3, by, at2) {
  if (!letter3) return nothing("no dead letter has this id, or it has expired");
  if (letter3.status === "dropped") return nothing("dropped already");
  return keep({ ...letter3, status: "dropped", message: "", dropped: { at: at2, by } }, "an operator dropped it");
}
var failureOf = ({ code, reason: reason2 }, at2) => ({ code, reason: shortened(reason2), at: at2 });
var shortened = (reason2) => (reason2.length > reasonCharsMax ? `${reason2.slice(0, reasonCharsMax)}\u2026` : reason2).toWellFormed();
function kept2(body) {
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
  const { id: id3, via, message, sentAt, receives, code, reason: reason2, deadAt: at2 } = stored;
  const failure2 = { code, reason: shortened(reason2), at: at2 };
  const queue = via === "feed" ? "feed" : "reports";
  const isCut = via === "feed" || message.length >= cutBefore;
  const bytes = Buffer.byteLength(message);
  const known4 = { id: id3, queue, via, message, bytes, sentAt, receives, deaths: 1, died: 0, first: failure2, last: failure2 };
  return { ...known4, status: "dead", ...isCut && { cut: true } };
}

// lib/runtime/dead.ts
async function putAside(shell, what, code, reason2) {
  const { letter: known4, ...message } = what;
  const { id: letter3, attempt } = known4 ?? { id: what.id, attempt: 0 };
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
import { Conflict as Conflict5, Later as Later5, MusterError as MusterError3 } from "../../lib/errors.ts";
var onFeed = () => ({
  on: "feed",
  handle: async (images, shell) => {
    try {
      await goOut(images, shell);
    } catch (error) {
      if (!isPoison(error)) throw error;
      for (const image of images) await goOutOrAside(image, shell);
    }
  }
});
async function goOut(images, shell) {
  await shell.bus.publish(images.flatMap((image) => envelopesOf(image, shell.settings.deployment)));
  await Promise.all(images.map((image) => keepHistory(shell, image)));
  for (const { row: row2 } of images) shell.log("info", "feed.published", { row: row2.key.pk, events: row2.events.length });
}
async function goOutOrAside(image, shell) {
  try {
    await goOut([image], shell);
  } catch (error) {
    if (!isPoison(error)) throw error;
    const { key, at: at2, by, because, events: events2, rev } = image.row;
    const body = JSON.stringify({ key, at: at2, by, because, events: events2 });
    const id3 = letterIdOf(key, rev);
    await putAside(shell, { id: id3, queue: "feed", via: "feed", body, sentAt: at2, receives: 1 }, error.code, error.message);
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
    const ref2 = { noun: "history", id: `${noun}:${id3}/${seq}` };
    const entry = { seq, type, version, at: row2.at, because: row2.because, by: row2.by, data };
    const put = contentOf(ref2, void 0, write(entry, row2.because, { expiresAt: plusMs(row2.at, historyForMs) }), {
      by: row2.by,
      at: row2.at,
      exact: true
    });
    try {
      await shell.table.commit([{ put, readRev: 0 }]);
    } catch (error) {
      if (!(error instanceof Conflict5)) throw error;
      if (!await shell.table.read(put.key)) throw new Later5("row.busy", `history of ${noun} ${id3}: ${error.message}`, { cause: error });
    }
  }
}

// lib/runtime/redrive.ts
async function redrive(shell, id3, { by, again }) {
  const letter3 = await readLetter(shell, id3);
  const order = redriveOf(letter3, again);
  if (!("attempt" in order)) return order;
  const { attempt } = order;
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

// lib/identity/cursor.ts
import { createHash as createHash4, createHmac, timingSafeEqual as timingSafeEqual2 } from "node:crypto";
var macBytes2 = 12;
function mintCursor(position, query, key) {
  const body = Buffer.from(position, "utf8");
  return Buffer.concat([Buffer.from([key.id]), mac2(body, query, key), body]).toString("base64url");
}
var cursorKeyId = (text2) => {
  const bytes = Buffer.from(text2, "base64url");
  return bytes.length > macBytes2 + 1 && bytes.toString("base64url") === text2 ? bytes[0] : void 0;
};
function readCursor(text2, query, key) {
  const bytes = Buffer.from(text2, "base64url");
  if (bytes.length <= macBytes2 + 1 || bytes[0] !== key.id) return void 0;
  const body = bytes.subarray(1 + macBytes2);
  return timingSafeEqual2(bytes.subarray(1, 1 + macBytes2), mac2(body, query, key)) ? body.toString("utf8") : void 0;
}
var mac2 = (body, query, key) => createHmac("sha256", key.secret).update("cursor\0").update(createHash4("sha256").update(query).digest()).update(body).digest().subarray(0, macBytes2);

// lib/doors/admin/cursors.ts
async function positionOf(shell, cursor, query) {
  if (cursor === void 0) return void 0;
  const keyId = cursorKeyId(cursor);
  const key = keyId === void 0 ? void 0 : await keyById(shell, keyId);
  const position = key && readCursor(cursor, query, key);
  if (position === void 0)
    throw new Refusal("bad-cursor", "the cursor is not one of ours, or belongs to another query", {
      errors: [{ pointer: "/cursor", detail: "not valid here" }]
    });
  return position;
}
var cursorAt = async (shell, position, query) => mintCursor(position, query, await shell.keys.current());

// lib/doors/admin/dead-letters.ts
async function listDeadLetters({ query }, shell) {
  const { cursor, limit, status: status2, ...filters } = query;
  const statuses = status2 === void 0 ? ["dead", "redriven"] : [status2];
  const signature = `dead letters ${JSON.stringify({ status: status2, ...filters })}`;
  const { letters, next: next3 } = await pageOf(shell, { statuses, ...filters }, { cursor, limit, signature });
  return { status: 200, body: { items: letters.map(viewOf), ...next3 !== void 0 && { next: next3 } } };
}
async function getDeadLetter({ params: { id: id3 } }, shell) {
  const letter3 = await readLetter(shell, id3);
  if (!letter3) throw new Refusal("unknown-dead-letter", `no dead letter has the id ${id3}, or it has expired`);
  if (letter3.status === "dropped") throw new Refusal("unknown-dead-letter", `${id3} was dropped at ${moment(letter3.dropped.at)}`);
  return { status: 200, body: { ...viewOf(letter3), message: letter3.message } };
}
async function redriveDeadLetters({ body, request }, shell) {
  const { again, ...chosen2 } = body;
  const statuses = again ? ["dead", "redriven"] : ["dead"];
  return ordered2(
    shell,
    { ...chosen2, statuses, once: true, signature: `redrive ${again}` },
    request.id,
    (id3) => redrive(shell, id3, { by: request.id, again })
  );
}
var dropDeadLetters = ({ body, request }, shell) => ordered2(shell, { ...body, statuses: ["dead"], signature: "drop" }, request.id, (id3) => drop(shell, id3, request.id));
async function ordered2(shell, chosen2, call, order) {
  const { ids, cursor, signature, ...filter } = chosen2;
  const at2 = { cursor, limit: lettersMax, signature: `${signature} ${JSON.stringify(filter)}` };
  const page = ids ? { ids } : await idsOf(shell, filter, at2);
  const results4 = await Promise.all([...new Set(page.ids)].map((id3) => one(shell, id3, call, order)));
  return { status: 200, body: { results: results4, ..."next" in page && { next: page.next } } };
}
async function one(shell, id3, call, order) {
  try {
    return { id: id3, ...await order(id3) };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    if (error instanceof Later6) {
      shell.log("warn", "door.refused", { id: call, type: error.code, detail });
      return { id: id3, done: false, busy: true, because: "busy, try again" };
    }
    shell.log("error", "door.failed", { id: call, letter: id3, detail, stack: error instanceof Error ? error.stack : void 0 });
    return { id: id3, done: false, because: `something unexpected happened; the log has more under ${call}` };
  }
}
async function idsOf(shell, filter, at2) {
  const { letters, next: next3 } = await pageOf(shell, filter, at2);
  return { ids: letters.map(({ id: id3 }) => id3), ...next3 !== void 0 && { next: next3 } };
}
var lookedAtMax = 100;
async function pageOf(shell, filter, { cursor, limit, signature }) {
  const lists = filter.statuses.flatMap((status2) => letterLists[status2].map((pk) => ({ status: status2, pk })));
  const position = await positionOf(shell, cursor, signature);
  const isFirst = position === void 0;
  let [since, at2, after] = isFirst ? [shell.now(), 0, void 0] : parted(position);
  const isWanted = (letter3, status2) => letter3.status === status2 && holds(letter3, filter) && (isFirst || !filter.once || !letter3.redriven || letter3.redriven.at < since);
  const letters = [];
  for (let looked = 0; at2 < lists.length; ) {
    const want = Math.min(limit - letters.length, lookedAtMax - looked);
    if (want <= 0) return { letters, next: await cursorAt(shell, `${since}/${at2}/${after ?? ""}`, signature) };
    const { status: status2, pk } = lists[at2];
    const page = await shell.table.queryIndex({ index: "list", pk, limit: want, ...after !== void 0 && { after } });
    looked += page.items.length;
    const keys = page.items.map((entry) => entry.key);
    letters.push(...(await lettersAt(shell, keys)).filter((letter3) => isWanted(letter3, status2)));
    after = page.next;
    if (after === void 0) at2++;
  }
  return { letters };
}
var parted = (position) => {
  const [since, at2, ...after] = position.split("/");
  return [Number(since), Number(at2), after.join("/") || void 0];
};
var lettersAt = async (shell, keys) => (await readAll(shell, keys)).flatMap((row2) => {
  const stored = stateOf(row2, shell.now());
  return stored ? [upToDate(stored)] : [];
});
var holds = (letter3, { queue, code }) => (queue === void 0 || letter3.queue === queue) && (code === void 0 || letter3.last.code === code);
function viewOf(letter3) {
  const { id: id3, status: status2, queue, via, sentAt, deaths, receives, first, last, bytes, cut = false, redriven: redriven2 } = letter3;
  return {
    ...{ id: id3, status: status2, queue, via, sentAt: moment(sentAt), deaths, receives, first: failure(first), last: failure(last), bytes, cut },
    ...redriven2 && { redriven: { ...redriven2, at: moment(redriven2.at) } },
    expiresAt: moment(expiresAtOf(letter3))
  };
}
var failure = ({ code, reason: reason2, at: at2 }) => ({ code, reason: reason2, at: moment(at2) });
var moment = (at2) => new Date(at2).toISOString();

// lib/doors/admin/found.ts
async function foundNode(shell, idOrName) {
  const id3 = NodeId.safeParse(idOrName).success ? idOrName : await idOfName(shell, idOrName.toLowerCase());
  const row2 = id3 === void 0 ? void 0 : await shell.table.read(keyOf({ noun: "node", id: id3 }));
  const node5 = stateOf(row2, shell.now());
  if (!node5) throw new Refusal("unknown-node", `no node is called ${idOrName}`);
  return { node: node5, row: row2 };
}
var idOfName = async (shell, fqdn2) => (await shell.table.read(keyOf({ noun: "fqdn", id: fqdn2 })))?.body?.node;
async function foundZone(shell, name) {
  const zone2 = await zoneOf(shell, name);
  if (!zone2) throw new Refusal("unknown-zone", `no zone is called ${name}`);
  return zone2;
}

// lib/clients/plan.ts
var revocationsPerPlanMax = 50;
var revocationsMax = 2e3;
function planRevocations({ clients, zone: zone2 }, command3, now) {
  const changes = clients.map(
    ({ body, rev }) => ({ ref: { noun: "client", id: body.fp }, readRev: rev, decision: decide2(body, command3, now) })
  );
  const written = changes.filter((change) => change.decision.does === "write");
  if (written.length === 0 || !zone2) return { changes: written, because: changes.map((change) => change.decision.because) };
  const nowS = Math.floor(now / 1e3);
  const next3 = withRevocations(
    zone2.revoked,
    written.map((change) => change.ref.id),
    nowS
  );
  const because = `${written.length} ${command3.type === "ban" ? "banned" : "unregistered"}`;
  return {
    changes: [
      {
        ref: { noun: "revoked", id: zone2.name },
        readRev: zone2.rev,
        decision: next3 ? write(next3, because) : nothing(because)
      },
      ...written
    ],
    because: changes.map((change) => change.decision.because)
  };
}
function withRevocations(before, fps, nowS) {
  const version = (before?.version ?? 0) + 1;
  const kept3 = [];
  if (before) {
    const view2 = new DataView(before.entries.buffer, before.entries.byteOffset, before.entries.byteLength);
    for (let i = 0; i < before.entries.length; i += 8)
      if (view2.getUint32(i + 4) + tokenLifeS >= nowS) kept3.push([view2.getUint32(i), view2.getUint32(i + 4)]);
  }
  const tokensBefore = before?.tokensBefore ?? 0;
  const last = new Map(kept3);
  const added = fps.map((fp3) => {
    const top = Number.parseInt(fp3.slice(0, 8), 16);
    return [top, Math.max(nowS, tokensBefore, (last.get(top) ?? -1) + 1)];
  });
  const all = [...kept3, ...added];
  if (all.length > revocationsMax) return { version, entries: new Uint8Array(0), tokensBefore: 1 + Math.max(...all.map(([, at2]) => at2)) };
  const entries = new Uint8Array(all.length * 8);
  const view = new DataView(entries.buffer);
  all.forEach(([top, at2], i) => {
    view.setUint32(i * 8, top);
    view.setUint32(i * 8 + 4, at2);
  });
  return { version, entries, tokensBefore };
}

// lib/clients/view.ts
var iso2 = (at2) => new Date(at2).toISOString();
function systemView(client, because, zone2) {
  const { fp: fp3, fqdn: fqdn2, machineId, minion, facts: facts2, suggestedTags, firstSeenAt, seenAt } = client;
  const accepted2 = client.standing === "accepted" ? client : void 0;
  const told3 = accepted2?.told;
  const name = told3 && zone2?.members[told3.index]?.fqdn;
  return {
    fp: fp3,
    fingerprint: showFingerprint(fp3),
    fqdn: fqdn2,
    machineId,
    status: rowStatus(client, zone2),
    because,
    tags: accepted2?.tags ?? [],
    groups: accepted2?.groups ?? [],
    suggestedTags,
    facts: facts2,
    firstSeenAt: iso2(firstSeenAt),
    seenAt: iso2(seenAt),
    ...client.standing !== "pooled" && client.zone && { zone: client.zone },
    ...told3 && { node: { id: told3.node, at: iso2(told3.at), confirmed: told3.confirmedAt !== void 0, ...name && { fqdn: name } } },
    ...minion && { minion: { id: minion.id, fingerprint: showFingerprint(minion.fingerprint) } }
  };
}

// lib/doors/admin/systems.ts
import { Later as Later7 } from "../../lib/errors.ts";

// lib/doors/admin/etag.ts
import { createHash as createHash5 } from "node:crypto";
var etagOf = (editable) => `"${createHash5("sha256").update(JSON.stringify(editable)).digest("base64url").slice(0, 16)}"`;
var nodeEtag = (node5) => {
  const labels2 = Object.entries(node5.labels).sort(([a], [b]) => a < b ? -1 : 1);
  return etagOf([node5.weight, node5.capacity ?? null, labels2]);
};
var systemEtag = (client) => etagOf(client.standing === "accepted" ? [client.tags, client.groups] : []);
var settingsEtag = (deployment) => etagOf([deployment?.beatMinMs ?? null]);
var ifMatch = (request, versionOf, decide3) => (state, input, now) => {
  const wanted = request.header("if-match");
  const etag2 = versionOf(state);
  if (wanted === void 0 || wanted === "*" || etag2 === void 0 || wanted === etag2) return decide3(state, input, now);
  throw new Refusal("version-conflict", `it is at version ${etag2}, not ${wanted}`, { headers: { etag: etag2 } });
};

// lib/doors/admin/systems.ts
async function viewOf2(shell, client, row2) {
  const zone2 = client.standing === "accepted" ? await zoneOf(shell, client.zone) : void 0;
  const unconfirmed = client.standing === "accepted" && zone2 && client.told && client.told.confirmedAt === void 0;
  const seen = unconfirmed ? (await withCoverage(shell, client, zone2)).client : client;
  return systemView(seen, row2.because, zone2);
}
async function getSystem({ params }, shell) {
  const { state, row: row2 } = await found(shell, params.fp);
  return { status: 200, body: await viewOf2(shell, state, row2), headers: { etag: systemEtag(state) } };
}
async function editSystem({ params, body, request }, shell) {
  const { state } = await found(shell, params.fp);
  const fenced = ifMatch(request, (now2) => now2 && systemEtag(now2), decide2);
  const { decision } = await apply(shell, rowOf(state.fp), { type: "edit", id: request.id, ...body }, fenced);
  if (decision.does === "nothing") throw new Refusal("refused", decision.because);
  const now = await found(shell, params.fp);
  return { status: 200, body: await viewOf2(shell, now.state, now.row), headers: { etag: systemEtag(now.state) } };
}
async function accept({ body, request }, shell) {
  const zone2 = body.zone ?? defaultZone;
  if (zone2 === defaultZone) await ensureDefaultZone(shell);
  await foundZone(shell, zone2);
  const { tags, groups } = body;
  const results4 = await Promise.all(body.systems.map((fp3) => one2(shell, fp3, { type: "accept", id: request.id, zone: zone2, tags, groups })));
  return { status: 200, body: { results: results4 } };
}
async function one2(shell, fp3, order) {
  try {
    return await ordered3(shell, fp3, order);
  } catch (error) {
    if (!(error instanceof Later7)) throw error;
    shell.log("warn", "door.refused", { id: order.id, type: error.code, detail: error.message });
    return { fp: fp3, done: false, because: "busy, try again" };
  }
}
async function ordered3(shell, fp3, order) {
  const known4 = await clientRow(shell, fp3);
  if (!known4) return { fp: fp3, done: false, because: "this key never knocked, or its knock has expired" };
  const { decision } = await command(shell, known4.state.fp, order);
  return { fp: known4.state.fp, done: decision.does !== "nothing", because: decision.because };
}
var unregister = async ({ body, request }, shell) => ({
  status: 200,
  body: { results: await revoke(shell, body.systems, { type: "unregister", id: request.id }) }
});
var ban = async ({ body, request }, shell) => ({
  status: 200,
  body: { results: await revoke(shell, body.systems, { type: "ban", id: request.id }) }
});
async function revoke(shell, fps, order) {
  const known4 = await Promise.all([...new Set(fps)].map(async (fp3) => ({ fp: fp3, client: (await clientRow(shell, fp3))?.state })));
  const results4 = known4.filter((each) => !each.client).map(({ fp: fp3 }) => ({ fp: fp3, done: false, because: "this key never knocked" }));
  const clients = [...new Map(known4.flatMap(({ client }) => client ? [[client.fp, client]] : [])).values()];
  const moved = [];
  for (const [zone2, members] of Map.groupBy(clients, zoneNameOf))
    for (let at2 = 0; at2 < members.length; at2 += revocationsPerPlanMax) {
      const part2 = await revokePart(shell, zone2, members.slice(at2, at2 + revocationsPerPlanMax), order);
      results4.push(...part2.results);
      moved.push(...part2.moved);
    }
  return moved.length === 0 ? results4 : [...results4, ...await revoke(shell, moved, order)];
}
var zoneNameOf = (client) => client.standing === "accepted" ? client.zone : void 0;
async function revokePart(shell, zone2, members, order) {
  const part2 = { ...order, id: `${order.id}-${members[0].fp.slice(0, 16)}` };
  let results4 = [];
  let moved = [];
  await applyPlan(shell, part2, async (reading) => {
    const rows = await reading.rows(members.map(({ fp: fp3 }) => ({ noun: "client", id: fp3 })));
    const all = rows.flatMap((row2) => {
      const body = stateOf(row2, shell.now());
      return body ? [{ body, rev: row2.rev }] : [];
    });
    const clients = all.filter(({ body }) => zoneNameOf(body) === zone2);
    moved = all.filter(({ body }) => zoneNameOf(body) !== zone2).map(({ body }) => body.fp);
    const revokedRow = zone2 === void 0 ? void 0 : await reading.row({ noun: "revoked", id: zone2 });
    const planned = planRevocations(
      {
        clients,
        ...zone2 !== void 0 && { zone: { name: zone2, revoked: revokedRow?.body, rev: revokedRow?.rev ?? 0 } }
      },
      part2,
      shell.now()
    );
    const written = new Set(planned.changes.filter((change) => change.ref.noun === "client").map((change) => change.ref.id));
    results4 = clients.map(({ body }, i) => ({ fp: body.fp, done: written.has(body.fp), because: planned.because[i] }));
    return planned;
  });
  if (zone2 !== void 0) forgetZone(shell, zone2);
  return { results: results4, moved };
}
async function found(shell, fp3) {
  const known4 = await clientRow(shell, fp3);
  if (!known4) throw new Refusal("unknown-system", `no client system with the fingerprint ${fp3} has knocked`);
  return known4;
}
var command = (shell, fp3, order) => apply(shell, rowOf(fp3), order, decide2);
var rowOf = (fp3) => ({ noun: "client", id: fp3 });

// lib/doors/admin/explain.ts
async function explain({ params }, shell) {
  const body = params.kind === "node" ? await explainNode(shell, params.id) : params.kind === "zone" ? await explainZone(shell, params.id) : await explainSystem(shell, params.id);
  return { status: 200, body };
}
var told = (row2) => ({
  because: row2.because,
  since: new Date(row2.at).toISOString(),
  by: row2.by,
  ...row2.wakeAt !== void 0 && { looksAgainAt: new Date(row2.wakeAt).toISOString() }
});
async function explainNode(shell, id3) {
  const { node: node5, row: row2 } = await foundNode(shell, id3);
  const zone2 = await foundZone(shell, node5.zone);
  const headRow = await shell.table.read(keyOf({ noun: "zone", id: node5.zone }));
  const standing = node5.index === void 0 ? "not in the roster yet" : `${standingOf(standingAt(zone2.head.roster, node5.index))} at generation ${generationAt(zone2.head.roster, node5.index)}`;
  return {
    subject: `node ${node5.fqdn}`,
    state: node5.status,
    ...told(row2),
    also: [
      { subject: `its standing in zone ${node5.zone}`, because: standing },
      {
        subject: `zone ${node5.zone}, version ${zone2.head.version}`,
        because: headRow?.because ?? "",
        ...headRow && { at: new Date(headRow.at).toISOString() }
      }
    ]
  };
}
async function explainZone(shell, name) {
  const zone2 = await foundZone(shell, name);
  const row2 = await shell.table.read(keyOf({ noun: "zone", id: name }));
  const map = await shell.table.read(keyOf({ noun: "map", id: `${name}/0` }));
  return {
    subject: `zone ${name}`,
    state: `version ${zone2.head.version}`,
    ...told(row2),
    also: map ? [{ subject: `map version ${zone2.head.mapVersion}`, because: map.because, at: new Date(map.at).toISOString() }] : []
  };
}
async function explainSystem(shell, text2) {
  const { state: client, row: row2 } = await foundSystem(shell, text2);
  const view = await viewOf2(shell, client, row2);
  return {
    subject: `client system ${client.fqdn}`,
    state: view.status,
    ...told(row2),
    also: client.standing === "accepted" ? [await placeOf(shell, client)] : []
  };
}
async function placeOf(shell, client) {
  const zone2 = await foundZone(shell, client.zone);
  const pin = pinOf(client);
  const owner = ownerOf2(zone2, client.fp, pin);
  const subject = pin === nobody ? `slot ${slotOf(client.fp, zone2.head.slots)} of zone ${client.zone}` : "its pin";
  if (owner === nobody) return { subject, because: "no node owns it: there is no place yet, it should knock again" };
  const standing = standingOf(standingAt(zone2.head.roster, owner));
  return {
    subject,
    because: `owned by ${zone2.members[owner]?.fqdn}, which is ${standing}, since map version ${zone2.head.mapVersion} or before`
  };
}
async function history({ params, query }, shell) {
  const ref2 = await subjectOf(shell, params.kind, params.id);
  const page = await shell.table.query({ pk: historyPartition(ref2), from: historySort(query.after + 1), limit: query.limit });
  const items = page.items.map((row2) => {
    const { at: at2, ...entry } = row2.body;
    return { ...entry, at: new Date(at2).toISOString() };
  });
  return { status: 200, body: { items, more: page.next !== void 0 } };
}
async function subjectOf(shell, kind, id3) {
  if (kind === "node") return { noun: "node", id: (await foundNode(shell, id3)).node.id };
  if (kind === "zone") return { noun: "zone", id: (await foundZone(shell, id3)).head.name };
  return { noun: "client", id: (await foundSystem(shell, id3)).state.fp };
}
async function foundSystem(shell, text2) {
  const fp3 = Fingerprint.safeParse(text2);
  const known4 = fp3.success ? await clientRow(shell, fp3.data) : void 0;
  if (!known4) throw new Refusal("unknown-system", `no client system with the fingerprint ${text2} has knocked`);
  return known4;
}

// lib/doors/admin/list-systems.ts
var lookedAtMax2 = 400;
async function listSystems({ query }, shell) {
  const { cursor, limit, ...filters } = query;
  const scope = await scopeOf(query, shell);
  const signature = `systems ${JSON.stringify(filters)}`;
  const position = await positionOf(shell, cursor, signature);
  let [list, after] = position === void 0 ? [0, void 0] : parted2(position);
  const items = [];
  for (let looked = 0; list < scope.lists.length; ) {
    const want = Math.min(limit - items.length, lookedAtMax2 - looked);
    if (want <= 0) return { status: 200, body: { items, next: await cursorAt(shell, `${list}/${after ?? ""}`, signature) } };
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
      const view = await viewOf2(shell, client, row2);
      if (query.status === void 0 || view.status === query.status) items.push(view);
    }
    after = page.next;
    if (after === void 0) list++;
  }
  return { status: 200, body: { items } };
}
var parted2 = (position) => {
  const at2 = position.indexOf("/");
  return [Number(position.slice(0, at2)), position.slice(at2 + 1) || void 0];
};
async function scopeOf(query, shell) {
  const node5 = query.node === void 0 ? void 0 : (await foundNode(shell, query.node)).node;
  const zoneName = query.zone ?? node5?.zone ?? defaultZone;
  const zone2 = zoneName === defaultZone ? await zoneOf(shell, zoneName) : await foundZone(shell, zoneName);
  const holds2 = (client) => hasTag(client, query.tag) && (node5 === void 0 || isOn(client, zone2, node5.id));
  const { prefix } = query;
  const partitions = prefix === void 0 ? Array.from({ length: clientPartitions }, (_, partition) => partition) : [clientPartitionOf(prefix)];
  const lists = kindsOf(query).flatMap((list) => partitions.map((partition) => listed[list](zoneName, partition)));
  return { lists, range: prefix === void 0 ? {} : { from: prefix, to: `${prefix}g` }, holds: holds2 };
}
var listed = {
  accepted: clientList.zone,
  pool: (_zone, partition) => clientList.pool(partition),
  banned: (_zone, partition) => clientList.banned(partition)
};
function kindsOf({ status: status2, node: node5, tag, zone: zone2, prefix }) {
  if (status2 === "new") return ["pool"];
  if (status2 === "deleted") return ["banned"];
  if (status2 !== void 0 || node5 !== void 0 || tag !== void 0 || zone2 !== void 0) return ["accepted"];
  return prefix === void 0 ? ["accepted", "pool"] : ["accepted", "pool", "banned"];
}
var hasTag = (client, tag) => tag === void 0 || client.standing === "accepted" && client.tags.includes(tag);
function isOn(client, zone2, node5) {
  if (client.standing !== "accepted" || !zone2) return false;
  return client.told ? client.told.node === node5 : ownerOf2(zone2, client.fp, pinOf(client)) === indexOf(zone2, node5);
}

// lib/nodes/view.ts
var iso3 = (at2) => new Date(at2).toISOString();
function nodeView(node5, because, { slots, systemsAbout, host }) {
  const { id: id3, fqdn: fqdn2, zone: zone2, kind, status: status2, incarnation, generation: generation2, index, watch: watch2, weight, capacity, labels: labels2, joinedAt, heardAt, load: load3 } = node5;
  return {
    id: id3,
    fqdn: fqdn2,
    zone: zone2,
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
    joinedAt: iso3(joinedAt),
    ...index !== void 0 && { index },
    ...capacity !== void 0 && { capacity },
    ...heardAt !== void 0 && { heardAt: iso3(heardAt) },
    ..."leaseUntil" in node5 && { leaseUntil: iso3(node5.leaseUntil) },
    ...node5.status === "leaving" && {
      leaving: {
        mode: node5.leaving.mode,
        since: iso3(node5.leaving.since),
        ...node5.leaving.until !== void 0 && { until: iso3(node5.leaving.until) }
      }
    },
    ...load3 && { load: load3 },
    ...host && { host: { ...host, at: iso3(host.at) } }
  };
}

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
function zoneView(zone2, because, counts) {
  const { head, map, members } = zone2;
  const owned = slotsOwned(zone2);
  const systems = systemsByNode(zone2, counts);
  return {
    name: head.name,
    number: head.number,
    kind: head.kind,
    mode: head.mode,
    version: head.version,
    because,
    remapAfterMs: head.remapAfterMs,
    readmit: head.readmit,
    epoch: head.epoch,
    systemsAbout: [...systems.values()].reduce((sum, n) => sum + n, 0),
    ...counts && { countedAt: new Date(counts.at).toISOString() },
    map: {
      slots: head.slots,
      version: head.mapVersion,
      unowned: map.owner.reduce((sum, owner) => sum + (owner === nobody ? 1 : 0), 0),
      awayFromHome: map.owner.reduce((sum, owner, slot) => sum + (owner !== nobody && map.home[slot] !== owner ? 1 : 0), 0),
      nodes: members.flatMap(
        (member, index) => member ? [
          {
            node: member.node,
            fqdn: member.fqdn,
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
async function listNodes({ query }, shell) {
  const zone2 = query.zone ?? defaultZone;
  if (zone2 !== defaultZone) await foundZone(shell, zone2);
  const signature = `nodes ${zone2}`;
  const after = await positionOf(shell, query.cursor, signature);
  const page = await shell.table.queryIndex({
    index: "list",
    pk: nodeList(zone2),
    limit: query.limit,
    ...after !== void 0 && { after }
  });
  const keys = page.items.map((entry) => entry.key);
  const rows = await readAll(shell, keys);
  const show = await shower(shell, zone2);
  const items = rows.flatMap((row2) => {
    const node5 = stateOf(row2, shell.now());
    return node5 ? [show(node5, row2.because, void 0)] : [];
  });
  return { status: 200, body: { items, ...page.next !== void 0 && { next: await cursorAt(shell, page.next, signature) } } };
}
async function shower(shell, zoneName) {
  const zone2 = await zoneOf(shell, zoneName);
  const counts = (await shell.table.read(keyOf({ noun: "counts", id: zoneName })))?.body;
  const owned = zone2 ? slotsOwned(zone2) : new Uint32Array();
  const systems = zone2 ? systemsByNode(zone2, counts) : /* @__PURE__ */ new Map();
  return (node5, because, host) => nodeView(node5, because, { slots: owned[node5.index ?? -1] ?? 0, systemsAbout: systems.get(node5.index ?? -1) ?? 0, host });
}
async function getNode({ params }, shell) {
  const { node: node5, row: row2 } = await foundNode(shell, params.id);
  return shown(shell, node5, row2.because);
}
async function shown(shell, node5, because) {
  const host = (await shell.table.read(keyOf({ noun: "host", id: node5.id })))?.body;
  return { status: 200, body: (await shower(shell, node5.zone))(node5, because, host), headers: { etag: nodeEtag(node5) } };
}
async function editNode({ params, body, request }, shell) {
  const { node: node5 } = await foundNode(shell, params.id);
  const fenced = ifMatch(request, (now2) => now2 && nodeEtag(now2), decide);
  const { state } = await apply(shell, rowOf2(node5.id), { type: "edit", id: request.id, ...body }, fenced);
  const { row: now } = await foundNode(shell, node5.id);
  return shown(shell, state ?? node5, now.because);
}
async function leaveNode({ params, body, request }, shell) {
  const { node: node5 } = await foundNode(shell, params.id);
  const until = body.until === void 0 ? void 0 : Date.parse(body.until);
  refuseDeadline(until, shell.now(), "/until");
  return ordered4(
    shell,
    node5,
    body.mode === "stay" ? { type: "stay", id: request.id } : { type: "leave", id: request.id, mode: body.mode, until }
  );
}
async function dropNode({ params, request }, shell) {
  const { node: node5 } = await foundNode(shell, params.id);
  return ordered4(shell, node5, { type: "drop", id: request.id });
}
function isDone(node5, order) {
  if (order.type === "drop") return node5.status === "dropped" || "ordered" in node5 && node5.ordered === "drop";
  if (order.type === "leave") return node5.status === "leaving" && node5.leaving.mode === order.mode;
  return order.type === "stay" && node5.status === "up";
}
async function ordered4(shell, node5, order) {
  const { decision } = await command2(shell, node5.id, order);
  if (decision.does === "nothing" && !isDone(node5, order)) throw new Refusal("refused", `${node5.fqdn}: ${decision.because}`);
  return { status: 202, body: { done: decision.does !== "nothing", because: decision.because } };
}
var command2 = (shell, id3, one3) => apply(shell, rowOf2(id3), one3, decide);
var rowOf2 = (id3) => ({ noun: "node", id: id3 });

// lib/api/contract.ts
var contract = { ...nodeRoutes, ...clientRoutes, ...adminRoutes };

// lib/api/openapi-examples.ts
var id2 = "n0123456789abcdef";
var fqdn = "node7.acme.org";
var at = "2026-05-01T12:00:00Z";
var fp2 = "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b";
var publicKey = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
var load2 = { load1: 0.42, load5: 0.4, load15: 0.38, memoryUsedMib: 9216, memoryMib: 16384, systems: 101 };
var facts = {
  fqdn,
  address: "192.0.2.7",
  memoryMib: 16384,
  cpus: 8,
  interfaces: [{ name: "eth0", address: "192.0.2.7", mac: "52:54:00:00:00:07" }]
};
var results3 = { results: [{ fp: fp2, done: true, because: "accepted into zone default" }] };
var ordered5 = { done: true, because: "an operator gives it up" };
var settings = { beatMinMs: 1e4, intervalMs: 1e4, admittedNodes: 5 };
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
  joinedAt: at,
  heardAt: at,
  leaseUntil: "2026-05-01T12:00:38Z",
  load: load2,
  slots: 205,
  systemsAbout: 101
};
var system2 = {
  fp: fp2,
  fingerprint: "6b:86:b2:73:ff:34:fc:e1:9d:6b:80:4e:ff:5a:3f:57:47:ad:a4:ea:a2:2f:1d:49:c0:1e:52:dd:b7:87:5b:4b",
  fqdn: "web1.acme.org",
  machineId: "4c4c4544003010358033b4c04f",
  status: "onboarded",
  because: "its daemon confirmed",
  zone: "default",
  node: { id: id2, fqdn, at, confirmed: true },
  tags: ["web"],
  groups: [],
  suggestedTags: ["web"],
  facts: { os: "sles-15" },
  firstSeenAt: at,
  seenAt: at
};
var zone = {
  name: "default",
  number: 1,
  kind: "management",
  mode: "production",
  version: 17,
  because: "node7.acme.org takes its share",
  remapAfterMs: 0,
  readmit: "auto",
  epoch: 0,
  systemsAbout: 101,
  countedAt: at,
  map: {
    slots: 1024,
    version: 17,
    unowned: 0,
    awayFromHome: 0,
    nodes: [{ node: id2, fqdn, standing: "up", generation: 1, slots: 1024, systemsAbout: 101 }]
  }
};
var failed = { code: "wrong-shape", reason: "node.up: /data/boot Invalid input: expected object", at };
var letter2 = {
  id: "0f8b3f5e-6c1d-4c57-9a43-0d9a2f1c7b11",
  status: "dead",
  queue: "reports",
  via: "door",
  sentAt: at,
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
  desired: { reply: { release: [] } },
  systems: { reply: { version: 4, whole: true, systems: [fp2], gone: [] } },
  system: { reply: { verdict: "accept" } },
  knock: { body: { publicKey, fqdn: "web1.acme.org", machineId: system2.machineId, suggestedTags: ["web"] }, reply: "0" },
  systemStatus: { reply: "1" },
  orphan: { reply: fqdn },
  status: {
    reply: {
      deployment: "Muster",
      version: "0.1.0",
      now: at,
      intervalMs: 1e4,
      sweptAt: at,
      deadLetters: 0,
      zones: [{ name: "default", mode: "production", version: 17, slots: 1024, nodes: { up: 5 }, systemsAbout: 500 }]
    }
  },
  listNodes: { reply: { items: [node2] } },
  getNode: { reply: { ...node2, host: { ...facts, at } } },
  editNode: { body: { weight: 2, labels: { rack: "r12" } }, reply: { ...node2, weight: 2 } },
  leaveNode: { body: { mode: "hold", until: "2026-05-01T18:00:00Z" }, reply: { done: true, because: "it leaves, hold" } },
  dropNode: { body: {}, reply: ordered5 },
  listSystems: { reply: { items: [system2], next: "eyJvcGFxdWUiOnRydWV9" } },
  getSystem: { reply: system2 },
  editSystem: { body: { tags: ["web", "blue"] }, reply: { ...system2, tags: ["web", "blue"] } },
  accept: { body: { systems: [fp2], tags: ["web"] }, reply: results3 },
  unregister: {
    body: { systems: [fp2] },
    reply: { results: [{ fp: fp2, done: true, because: "unregistered: an orphan, its key stays accepted" }] }
  },
  ban: { body: { systems: [fp2] }, reply: { results: [{ fp: fp2, done: true, because: "banned, for ever" }] } },
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
  listZones: { reply: { items: [zone] } },
  getZone: { reply: zone },
  explain: {
    reply: {
      subject: `node ${fqdn}`,
      state: "suspect",
      because: "its lease ran out",
      since: at,
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
          at,
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
var knock2 = {
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
  systemStatus: { sent: [token, lost], answered: { 200: [next2, token, knock2] } },
  orphan: { sent: [token], answered: { 200: [token, watch, next2, knock2], 204: [next2, knock2] } }
};
var etag = { name: "ETag", description: "The version of what is answered", schema: text };
var ifMatch2 = {
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
  ...route2.etag && route2.method === "PATCH" ? [ifMatch2] : [],
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
function headersRefused(route2, status2) {
  if (status2 === 503) return byName([retryAfter]);
  if (status2 === 412) return byName([etag]);
  if (status2 === 409) return byName([retryAfter, ...route2.scope === "node" ? [generation] : []]);
  return void 0;
}
var takesIdempotencyKey = ({ method, path }) => method === "POST" && path.startsWith("/api/v1/");
var byName = (headers) => Object.fromEntries(headers.map(({ name, description: description2, schema }) => [name, { description: description2, schema }]));

// lib/api/openapi-schemas.ts
import * as z22 from "zod";
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
  const registry2 = z22.registry();
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
    const converted = z22.toJSONSchema(schema, { io, metadata: this.#metadata, override: ({ jsonSchema }) => override(jsonSchema) });
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
  node: "what node agents say and ask",
  client: "what client systems say and ask",
  read: "look at everything",
  operate: "accept, unregister, edit; let nodes leave or drop them",
  admin: "change settings of the deployment",
  security: "ban"
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
    components: { schemas: sorted(schemas.components), securitySchemes: { awsIam } }
  };
}
var description = `Machines call in; Muster knows who is there, and gives every client system a node to live on.

Unknown fields are refused, with a pointer. Every refusal is problem+json with a stable type; answers may gain fields. Lists give
pages with an opaque cursor \`next\`, which belongs to its query; a page may be short while more follow. Bodies have at most 64 KiB.

The embedded host answers on loopback only, and has one address more: GET /api/v1/events is the stream of published events
(server-sent events, resumable by Last-Event-ID); their shapes are in the AsyncAPI document.`;
var awsIam = {
  type: "apiKey",
  in: "header",
  name: "Authorization",
  "x-amazon-apigateway-authtype": "awsSigv4",
  description: `On AWS every call is signed (Signature Version 4). Scopes say what a call needs, and are not told apart yet:
${Object.entries(
    scopes
  ).map(([scope, does]) => `- \`${scope}\`: ${does}`).join("\n")}`
};
function operationOf(name, route2, schemas, problem) {
  return {
    operationId: name,
    summary: route2.summary,
    tags: [route2.scope === "node" ? "nodes" : route2.scope === "client" ? "client systems" : "administration"],
    security: [{ awsIam: [route2.scope] }, {}],
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
    ...route2.body ? ["malformed-json", "too-large", "unsupported-media-type"] : [],
    "unknown-field",
    ...route2.body || route2.query || route2.params ? ["invalid"] : [],
    ...takesIdempotencyKey(route2) ? ["in-progress", "idempotency-mismatch"] : [],
    "unexpected",
    "busy"
  ];
  return [.../* @__PURE__ */ new Set([...route2.errors, ...checked2])];
}
var exampleOf = (example) => example === void 0 ? {} : { example };
var sorted = (schemas) => Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => a < b ? -1 : 1));

// lib/doors/admin/zones.ts
async function listZones({ query }, shell) {
  await ensureDefaultZone(shell);
  const after = await positionOf(shell, query.cursor, "zones");
  const page = await shell.table.queryIndex({ index: "list", pk: zoneList, limit: query.limit, ...after !== void 0 && { after } });
  const items = await Promise.all(page.items.map((entry) => shown2(shell, entry.sk)));
  return { status: 200, body: { items, ...page.next !== void 0 && { next: await cursorAt(shell, page.next, "zones") } } };
}
async function getZone({ params }, shell) {
  await ensureDefaultZone(shell);
  return { status: 200, body: await shown2(shell, params.zone) };
}
async function shown2(shell, name) {
  const zone2 = await foundZone(shell, name);
  const [headRow, countsRow] = await shell.table.readMany([keyOf({ noun: "zone", id: name }), keyOf({ noun: "counts", id: name })]);
  return zoneView(zone2, headRow?.because ?? "", countsRow?.body);
}
async function zoneNames(shell) {
  const names2 = [];
  for (let after; ; ) {
    const page = await shell.table.queryIndex({ index: "list", pk: zoneList, limit: 1e3, ...after && { after } });
    names2.push(...page.items.map((entry) => entry.sk));
    if (!page.next) return names2;
    after = page.next;
  }
}

// lib/doors/admin/overview.ts
var musterVersion = "0.1.0";
async function status(_call, shell) {
  await ensureDefaultZone(shell);
  const [deploymentRow, sweepRow] = await shell.table.readMany([keyOf(deploymentRef), keyOf({ noun: "sweep", id: "sweep" })]);
  const sweptAt = sweepRow?.body?.sweptAt;
  const body = {
    deployment: shell.settings.deployment,
    version: musterVersion,
    now: new Date(shell.now()).toISOString(),
    intervalMs: intervalOf(deploymentRow?.body, shell.settings.beatMinMs),
    ...sweptAt !== void 0 && { sweptAt: new Date(sweptAt).toISOString() },
    deadLetters: await countDead(shell),
    zones: await Promise.all((await zoneNames(shell)).map((name) => summary(shell, name)))
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
async function summary(shell, name) {
  const zone2 = await foundZone(shell, name);
  const counts = (await shell.table.read(keyOf({ noun: "counts", id: name })))?.body;
  const nodes = {};
  for (let index = 0; index < rosterSize(zone2.head.roster); index++) {
    const standing = standingOf(standingAt(zone2.head.roster, index));
    nodes[standing] = (nodes[standing] ?? 0) + 1;
  }
  const systemsAbout = [...systemsByNode(zone2, counts).values()].reduce((sum, n) => sum + n, 0);
  return { name: zone2.head.name, mode: zone2.head.mode, version: zone2.head.version, slots: zone2.head.slots, nodes, systemsAbout };
}
var deploymentRef = { noun: "deployment", id: "deployment" };
async function getSettings(_call, shell) {
  const row2 = await shell.table.read(keyOf(deploymentRef));
  return shown3(shell, row2?.body);
}
async function editSettings({ body, request }, shell) {
  const command3 = { type: "set", id: request.id, beatMinMs: body.beatMinMs };
  const fenced = ifMatch(request, settingsEtag, decideDeployment);
  const { state } = await apply(shell, deploymentRef, command3, fenced);
  return shown3(shell, state);
}
var shown3 = (shell, deployment) => ({
  status: 200,
  body: {
    beatMinMs: deployment?.beatMinMs ?? shell.settings.beatMinMs,
    intervalMs: intervalOf(deployment, shell.settings.beatMinMs),
    admittedNodes: admittedNodes(deployment)
  },
  headers: { etag: settingsEtag(deployment) }
});
var openapi = (_call, shell) => ({ status: 200, body: cached(shell, "openapi", openApi) });

// lib/doors/admin/admin.ts
var adminHandlers = {
  status,
  listNodes,
  getNode,
  editNode,
  leaveNode,
  dropNode,
  listSystems,
  getSystem,
  editSystem,
  accept,
  unregister,
  ban,
  listDeadLetters,
  getDeadLetter,
  redriveDeadLetters,
  dropDeadLetters,
  listZones,
  getZone,
  explain,
  history,
  getSettings,
  editSettings,
  openapi
};

// functions/admin.ts
var admin_default = onRoutes(adminRoutes, adminHandlers);

// events/catalogue.ts
import * as z26 from "zod";

// events/published/client.ts
import * as z23 from "zod";
var system3 = { system: Fingerprint, fqdn: Fqdn };
var ClientSeen = defineEvent("client.seen", 1, z23.strictObject(system3));
var ClientAccepted = defineEvent(
  "client.accepted",
  1,
  z23.strictObject({ ...system3, zone: ZoneName, tags: z23.array(Tag), groups: z23.array(Tag) })
);
var ClientAssigned = defineEvent(
  "client.assigned",
  1,
  z23.strictObject({ ...system3, zone: ZoneName, node: NodeId, generation: z23.int().nonnegative() })
);
var ClientUnregistered = defineEvent("client.unregistered", 1, z23.strictObject(system3));
var ClientBanned = defineEvent("client.banned", 1, z23.strictObject(system3));

// events/published/node.ts
import * as z24 from "zod";
var node3 = { node: NodeId, fqdn: Fqdn, zone: ZoneName };
var counted = { ...node3, incarnation: z24.int().nonnegative(), generation: z24.int().nonnegative() };
var NodeJoined = defineEvent("node.joined", 1, z24.strictObject(counted));
var NodeActivated = defineEvent("node.activated", 1, z24.strictObject(counted));
var NodeSuspected = defineEvent("node.suspected", 1, z24.strictObject({ ...counted, heardAt: EpochMs }));
var NodeRecovered = defineEvent(
  "node.recovered",
  1,
  z24.strictObject({ ...counted, from: z24.enum(["suspect", "down", "leaving", "quarantined"]) })
);
var NodeLost = defineEvent("node.lost", 1, z24.strictObject({ ...counted, heardAt: EpochMs }));
var NodeDropped = defineEvent("node.dropped", 1, z24.strictObject({ ...counted, planned: z24.boolean() }));
var NodeDeparting = defineEvent(
  "node.departing",
  1,
  z24.strictObject({ ...counted, mode: z24.enum(["drain", "hold"]), until: EpochMs.optional() })
);
var NodeQuarantined = defineEvent(
  "node.quarantined",
  1,
  z24.strictObject({ ...counted, reason: z24.enum(["clone", "flapping", "operator"]) })
);
var NodeReadmitted = defineEvent("node.readmitted", 1, z24.strictObject(counted));

// events/published/zone.ts
import * as z25 from "zod";
var ZoneNodeLost = defineEvent(
  "zone.node-lost",
  1,
  z25.strictObject({
    zone: ZoneName,
    node: NodeId,
    slots: z25.int().nonnegative(),
    about: z25.int().nonnegative(),
    mapVersion: z25.int().nonnegative()
  })
);
var ZoneRebalanced = defineEvent(
  "zone.rebalanced",
  1,
  z25.strictObject({
    zone: ZoneName,
    slots: z25.int().nonnegative(),
    mapVersion: z25.int().nonnegative(),
    reasons: z25.array(z25.string().max(400)).max(20)
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
var BusReport = z26.discriminatedUnion("type", [NodeLeaving.omit({ receivedAt: true, intervalMs: true })]);

// lib/desired/decide.ts
function decideDesired(desired2, released) {
  const { mapVersion } = released.data;
  const left = desired2?.release.filter((order) => order.mapVersion > mapVersion) ?? [];
  if (!desired2 || left.length === desired2.release.length) return nothing(`no release order up to map version ${mapVersion} waits`);
  return write({ ...desired2, release: left }, `released up to map version ${mapVersion}`);
}

// lib/hosts/host.ts
var Host = HostFacts.extend({ at: EpochMs });
function decideHost(host, up2) {
  if (host && up2.receivedAt <= host.at) return nothing("facts received before those on record");
  const { at: _at, ...known4 } = host ?? { at: void 0 };
  if (host && isSame(known4, up2.data.facts)) return nothing("the facts have not changed");
  return write({ ...up2.data.facts, at: up2.receivedAt }, host ? "the host has changed" : "first facts of this host");
}

// lib/dispatch.ts
var row = (noun, id3, decide3) => ({
  ref: { noun, id: id3 },
  decide: (state, now) => decide3(state, now)
});
var node4 = (report2) => row("node", report2.node, (state, now) => decide(state, report2, now));
var steps = {
  "node.up": (up2) => [node4(up2), row("host", up2.node, (state) => decideHost(state, up2))],
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
import { Later as Later8, MusterError as MusterError5, Poison } from "../../lib/errors.ts";
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
    const why = await whyAgain(shell, { ...message, queue }, known3(error));
    if (!why) return false;
    const { letter: letter3, id: id3, receives } = message;
    shell.log("warn", "report.later", { id: letter3?.id ?? id3, reason: why.code, detail: why.message, receives });
    return true;
  }
}
var known3 = (error) => error instanceof MusterError5 ? error : new Later8("unexpected", error instanceof Error ? error.message : String(error), { cause: error });
async function whyAgain(shell, message, failure2) {
  if (failure2.retry === "later" && message.receives < shell.settings.receivesMax) return failure2;
  try {
    await putAside(shell, message, failure2.code, failure2.message);
    return void 0;
  } catch (error) {
    return known3(error);
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
  const ref2 = { noun: "node", id: up2.node };
  const row2 = await reading.row(ref2);
  const now = shell.now();
  const node5 = stateOf(row2, now);
  const name = { noun: "fqdn", id: node5?.fqdn ?? up2.data.facts.fqdn };
  const nameRow = await reading.row(name);
  const holder = stateOf(nameRow, now)?.node;
  const decision = node5 && holder !== node5.id ? nothing(`${node5.fqdn} is the name of ${holder ?? "nobody"} now`) : decide(node5, up2, now);
  if (decision.does !== "write") return { changes: [], because: [decision.because], decision, node: node5 };
  const wakeAt = earlier(row2?.wakeAt, decision.wakeAt);
  return {
    changes: [
      { ref: ref2, readRev: row2?.rev ?? 0, decision: { ...decision, ...wakeAt !== void 0 && { wakeAt } } },
      { ref: name, readRev: nameRow?.rev ?? 0, decision: nothing("it is its name still") }
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
    const { ref: ref2 } = step2;
    const startedAt = shell.now();
    const { decision, state } = await applyStep(report2, step2, shell);
    shell.log("info", "report.applied", {
      id: report2.id,
      type: report2.type,
      row: `${ref2.noun} ${ref2.id}`,
      does: decision.does,
      because: decision.because,
      ms: shell.now() - startedAt
    });
    if (ref2.noun === "node" && !isHeard(state, report2)) return;
  }
}
async function applyStep(report2, { ref: ref2, decide: decide3 }, shell) {
  if (report2.type === "node.up" && report2.data.flushed !== void 0 && ref2.noun === "node") {
    const { decision: decision2, node: node5 } = await applyFlushed(shell, report2);
    return { decision: decision2, state: node5 };
  }
  const { decision, before, state } = await apply(shell, ref2, report2, (row2, _report, now) => decide3(row2, now));
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
    const at2 = slots.findLastIndex((slot) => (this.#load[taker] + this.#weigh(slot)) / this.#p.weights[taker] <= this.#ratio(donor));
    return at2 === -1 ? void 0 : slots.splice(at2, 1)[0];
  }
};

// lib/zones/release.ts
function releaseChanges(snapshot, moves, round, version) {
  const { zone: zone2, desired: desired2 } = snapshot;
  const standing = new Map(round.map((one3) => [one3.index, standings[one3.standing]]));
  const slots = /* @__PURE__ */ new Map();
  for (const { from, owner, slot } of moves) {
    if (from === owner || from === nobody || !serves(standing.get(from) ?? standingAt(zone2.head.roster, from))) continue;
    const taken = slots.get(from) ?? [];
    taken.push(slot);
    slots.set(from, taken);
  }
  const losers = [...slots.keys()].map((index) => ({ index, node: zone2.members[index].node }));
  const needs = losers.filter(({ node: node5 }) => !desired2.has(node5)).map(({ node: node5 }) => node5);
  const changes = losers.flatMap(({ index, node: node5 }) => {
    const read = desired2.get(node5);
    if (!read) return [];
    const order = { mapVersion: version, zoneSlots: zone2.head.slots, slots: slots.get(index) };
    const next3 = { ...read.body, release: withOrder(read.body.release, order) };
    return [
      {
        ref: { noun: "desired", id: node5 },
        readRev: read.rev,
        decision: write(next3, `${order.slots.length} slots to release, map version ${version}`)
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
var mapChange = ({ zone: zone2, mapRev }, moves, version) => ({
  ref: { noun: "map", id: `${zone2.head.name}/0` },
  readRev: mapRev,
  decision: write({ version, cells: encodePage(applied(zone2.map, moves), 0) }, `map version ${version}`)
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
var foldedDelta = (zone2, { body, rev }, now) => ({
  ref: { noun: "delta", id: `${zone2}/${body.version}` },
  readRev: rev,
  decision: write(body, "the pages hold it", { expiresAt: plusMs(now, foldedForMs) })
});
var pageChanges = ({ zone: zone2 }, pageRevs) => Array.from({ length: Math.ceil(zone2.map.owner.length / pageSlots) }, (_, page) => ({
  ref: { noun: "map", id: `${zone2.head.name}/${page}` },
  readRev: pageRevs[page] ?? 0,
  decision: write(
    { version: zone2.head.mapVersion, cells: encodePage(zone2.map, page) },
    `page ${page} of map version ${zone2.head.mapVersion}`
  )
}));
function memberChanges({ zone: zone2, memberRevs }, round) {
  const pages = /* @__PURE__ */ new Map();
  for (const { index, read } of round) {
    if (index === nobody) continue;
    const member = memberOf(read.body);
    if (isSame(zone2.members[index], member)) continue;
    const page = Math.floor(index / membersPerPage);
    const members = pages.get(page) ?? pageOf2(zone2.members, page);
    while (members.length <= index % membersPerPage) members.push(null);
    members[index % membersPerPage] = member;
    pages.set(page, members);
  }
  return [...pages].map(([page, members]) => ({
    ref: { noun: "members", id: `${zone2.head.name}/${page}` },
    readRev: memberRevs[page] ?? 0,
    decision: write({ members }, "members changed")
  }));
}
var pageOf2 = (members, page) => Array.from(members.slice(page * membersPerPage, (page + 1) * membersPerPage), (member) => member ?? null);
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
  const { zone: zone2 } = snapshot;
  const round = followAll(snapshot, now);
  const { moves, settling } = moveSlots(snapshot, round);
  const rosterMoved = round.some(
    ({ before, standing, index, followed, read }) => before !== standing || generationAt(zone2.head.roster, index) !== generationOf(followed, read.body)
  );
  const members = memberChanges(snapshot, round);
  const changed = rosterMoved || moves.length > 0 || members.length > 0 || String(settling) !== String(zone2.head.settling);
  const version = zone2.head.version + (changed ? versionsOf(zone2.head, moves.length) : 0);
  const release = releaseChanges(snapshot, moves, round, version);
  if (release.needs.length > 0) return { changes: [], because: [], needs: release.needs };
  const nodeChanges = round.flatMap((one3) => nodeChange(one3, moves, release.ordered, version));
  if (!changed && nodeChanges.length === 0) return { changes: [], because: [], needs: [] };
  const because = round.filter((one3) => one3.before !== one3.standing).map((one3) => one3.followed.why);
  const head = changed ? headAfter(zone2.head, round, { version, moved: moves.length > 0, members: members.length > 0, settling }) : zone2.head;
  const events2 = changed ? headEvents(snapshot, round, moves, version, because) : [];
  const dueAgain = settling.length > 0 || zone2.head.slots > slotsMin && moves.length > 0 && pageOf3(version) > pageOf3(zone2.head.version);
  const headChange = {
    ref: { noun: "zone", id: zone2.head.name },
    readRev: snapshot.headRev,
    decision: changed ? write(head, because.join("; ") || "slots find their place", {
      events: events2,
      wakeAt: dueAgain ? now : zone2.head.slots > slotsMin ? plusMs(now, pagesEveryMs) : void 0
    }) : nothing("the zone is as it was", snapshot.headWakeAt)
  };
  const map = moves.length === 0 ? [] : zone2.head.slots === slotsMin ? [mapChange(snapshot, moves, version)] : deltaChanges(zone2.head, moves, now);
  return { changes: [headChange, ...map, ...members, ...nodeChanges, ...release.changes], because, needs: [] };
}
var pageOf3 = (version) => Math.floor(version / versionsPerPage);
function followAll(snapshot, now) {
  const { zone: zone2, graceUntil } = snapshot;
  let next3 = rosterSize(zone2.head.roster);
  const owned = ownedBy(zone2);
  return toFollow(snapshot).flatMap((read) => {
    const node5 = read.body;
    const isNew = node5.index === void 0;
    const index = node5.index ?? next3;
    const before = isNew ? "none" : standingOf(standingAt(zone2.head.roster, index));
    const followed = follow(node5, { before, ownedSlots: owned.get(index) ?? 0, now, graceUntil, because: read.because });
    if (followed.standing === "none" || index >= nodesMax) return [{ index: nobody, before: "none", standing: "none", followed, read }];
    if (isNew) next3++;
    return [{ index, before, standing: followed.standing, followed, read }];
  });
}
function toFollow({ nodes, desired: desired2 }) {
  const sorted2 = [...nodes].sort((a, b) => a.body.id < b.body.id ? -1 : 1);
  const goesOnlyOnceReleased = ({ body }) => body.status === "leaving" && desired2.has(body.id);
  return [...sorted2.filter((one3) => !goesOnlyOnceReleased(one3)).slice(0, nodesPerPlanMax), ...sorted2.filter(goesOnlyOnceReleased)];
}
function moveSlots({ zone: zone2, counts }, round) {
  const standing = new Map(round.filter((one3) => one3.index !== nobody).map((one3) => [one3.index, standings[one3.standing]]));
  const codeOf = (index) => standing.get(index) ?? standingAt(zone2.head.roster, index);
  const size = Math.max(rosterSize(zone2.head.roster), ...round.filter((one3) => one3.index !== nobody).map((one3) => one3.index + 1));
  const weightOf = memberWeights(zone2, round);
  const weights = Array.from({ length: size }, (_, index) => admits(codeOf(index)) ? weightOf(index) : 0);
  const becameUp = round.filter((one3) => one3.standing === "up" && !admits(standings[one3.before]));
  return place({
    map: zone2.map,
    counts,
    weights,
    leaves: (index) => gone(codeOf(index)) || codeOf(index) === standings.draining,
    forgotten: (index) => codeOf(index) === standings.dropped || codeOf(index) === standings.none,
    tells: (index) => serves(codeOf(index)),
    returning: [...becameUp.filter((one3) => !isNewcomer(one3)).map((one3) => one3.index), ...zone2.head.settling],
    joining: [...becameUp.filter(isNewcomer).map((one3) => one3.index), ...zone2.head.settling],
    donorsMax
  });
}
var isNewcomer = ({ before }) => before === "none" || before === "joining";
function nodeChange({ index, followed, read }, moves, ordered6, version) {
  const ref2 = { noun: "node", id: read.body.id };
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
  return [{ ref: ref2, readRev: read.rev, decision: { ...written, next: next3 } }];
}
var generationOf = (followed, node5) => followed.node.does === "write" ? followed.node.next.generation : node5.generation;
function headAfter(head, round, { version, moved, members, settling }) {
  let roster = head.roster;
  for (const { index, standing, followed, read } of round)
    if (index !== nobody) roster = withEntry(roster, index, standing, generationOf(followed, read.body));
  return { ...head, version, roster, settling, ...moved && { mapVersion: version }, ...members && { membersVersion: version } };
}
function headEvents({ zone: zone2, counts }, round, moves, version, because) {
  const name = zone2.head.name;
  const lost2 = round.filter((one3) => one3.standing === "down" && one3.before !== "down");
  const losses = lost2.map(({ index, read }) => {
    let slots = 0;
    let about = 0;
    zone2.map.owner.forEach((owner, slot) => {
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
function memberWeights(zone2, round) {
  const own = new Map(round.map((one3) => [one3.index, one3.read.body.weight]));
  return (index) => own.get(index) ?? zone2.members[index]?.weight ?? 1;
}
function ownedBy({ map }) {
  const owned = /* @__PURE__ */ new Map();
  for (const owner of map.owner) if (owner !== nobody) owned.set(owner, (owned.get(owner) ?? 0) + 1);
  return owned;
}

// lib/sweep/admitted.ts
async function noteAdmitted(shell, head) {
  const command3 = { type: "admitted", id: shell.newId(), zone: head.name, nodes: admittedIn(head) };
  await apply(shell, { noun: "deployment", id: "deployment" }, command3, decideDeployment);
}
async function mendAdmitted(shell) {
  const noted = (await deploymentOf(shell))?.admitted ?? {};
  for (const name of /* @__PURE__ */ new Set([defaultZone, ...Object.keys(noted)])) {
    const zone2 = await zoneOf(shell, name);
    if (!zone2 || admittedIn(zone2.head) === (noted[name] ?? 0)) continue;
    const now = await zoneNow(shell, name);
    if (now) await noteAdmitted(shell, now.head);
  }
}
function admittedIn({ roster }) {
  let nodes = 0;
  for (let index = 0; index < rosterSize(roster); index++) if (admitted(standingAt(roster, index))) nodes++;
  return nodes;
}

// lib/sweep/count.ts
var oneStepMax = 2e4;
var partitionsPerStep = 8;
var longestMs = 10 * minuteMs;
async function countZone(shell, zone2) {
  const ref2 = { noun: "counts", id: zone2 };
  const input = { type: "tick", id: `count-${shell.newId()}` };
  const seen = /* @__PURE__ */ new Map();
  const { state: before } = await apply(shell, ref2, input, () => nothing("looking", shell.now()));
  if (!before) return;
  const first = before.running?.partition ?? 0;
  const step2 = totalOf(before.perSlot) > oneStepMax ? partitionsPerStep : clientPartitions;
  for (let partition = first; partition < Math.min(first + step2, clientPartitions); partition++)
    seen.set(partition, await fingerprintsOf(shell, zone2, partition));
  await apply(
    shell,
    ref2,
    { type: "tick", id: `count-${shell.newId()}` },
    (counts, _input, now) => countStep(counts, first, seen, { now, everyMs: shell.settings.countEveryMs })
  );
}
function countStep(counts, first, seen, { now, everyMs }) {
  if (!counts || (counts.running?.partition ?? 0) !== first) return nothing("another sweep counts", now);
  const slots = counts.perSlot.length / 2;
  const perSlot = counts.running ? new Uint8Array(counts.running.perSlot) : new Uint8Array(counts.perSlot.length);
  const view = new DataView(perSlot.buffer);
  for (const fps of seen.values())
    for (const fp3 of fps) view.setUint16(slotOf(fp3, slots) * 2, Math.min(65535, view.getUint16(slotOf(fp3, slots) * 2) + 1));
  const partition = first + seen.size;
  if (partition < clientPartitions)
    return write({ ...counts, running: { partition, perSlot } }, `counted ${partition} of ${clientPartitions} partitions`, {
      wakeAt: now
    });
  return write({ at: now, perSlot }, "counted", {
    wakeAt: plusMs(now, Math.max(everyMs, Math.min(totalOf(perSlot), longestMs)))
  });
}
async function fingerprintsOf(shell, zone2, partition) {
  const fps = [];
  for (let after; ; ) {
    const page = await shell.table.queryIndex({
      index: "list",
      pk: clientList.zone(zone2, partition),
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
import * as z27 from "zod";
var SweepRow = z27.strictObject({ sweptAt: EpochMs, graceUntil: EpochMs.optional() });
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
async function readSnapshot(shell, reading, name, nodes, desired2) {
  const [headRow, countsRow] = await reading.rows([
    { noun: "zone", id: name },
    { noun: "counts", id: name }
  ]);
  const head = stateOf(headRow, shell.now());
  if (!head) return void 0;
  const memberRows = await reading.rows(memberRefs({ ...head, roster: roomForNew(head, nodes.length) }));
  const mapRows = await reading.rows(mapRefs(head));
  const nodeRows = await reading.rows([.../* @__PURE__ */ new Set([...nodes, ...desired2])].map((id3) => ({ noun: "node", id: id3 })));
  const desiredRows = await reading.rows(desired2.map((id3) => ({ noun: "desired", id: id3 })));
  const pages = mapRows.flatMap((row2) => row2 ? [row2.body] : []);
  const deltas = head.slots === slotsMin ? [] : await readDeltas(shell, name, Math.min(...pages.map((page) => page.version)));
  const counts = countsRow?.body?.perSlot ?? new Uint8Array(head.slots * 2);
  const zone2 = {
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
    zone: zone2,
    headRev: headRow.rev,
    headWakeAt: headRow.wakeAt,
    mapRev: mapRows[0]?.rev ?? 0,
    memberRevs: memberRows.map((row2) => row2?.rev ?? 0),
    counts: Array.from({ length: head.slots }, (_, slot) => countAt(counts, slot)),
    nodes: nodeRows.flatMap((row2) => {
      const body = stateOf(row2, shell.now());
      const follows = body && (body.status === "leaving" || nodes.includes(body.id));
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
var roomForNew = (head, nodes) => new Uint8Array((rosterSize(head.roster) + nodes) * 3);

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
async function planZoneNow(shell, zone2, nodes, tick) {
  const id3 = `plan-${shell.newId()}`;
  const before = shell.now();
  const done = await applyPlan(shell, { id: id3 }, (reading) => planOnce(shell, reading, zone2, nodes, tick));
  if (done.because.length > 0)
    shell.log("info", "plan.applied", { zone: zone2, rows: done.changes.length, because: done.because.join("; "), ms: shell.now() - before });
  forgetZone(shell, zone2);
  const head = await settleHead(shell, zone2);
  if (head) await noteAdmitted(shell, head);
}
async function planOnce(shell, reading, zone2, nodes, { graceUntil }) {
  const wanted = /* @__PURE__ */ new Set();
  for (; ; ) {
    const snapshot = await readSnapshot(shell, reading, zone2, nodes, [...wanted]);
    if (!snapshot) return { changes: [], because: [] };
    const planned = plan({ ...snapshot, graceUntil }, shell.now());
    if (planned.needs.length === 0) return planned;
    for (const node5 of planned.needs) wanted.add(node5);
  }
}
async function settleHead(shell, name) {
  const ref2 = { noun: "zone", id: name };
  const row2 = await shell.table.read(keyOf(ref2));
  const read = stateOf(row2, shell.now());
  if (!read) return void 0;
  const behind = read.slots > slotsMin && await writePages(shell, read);
  if (row2?.wakeAt === void 0 || row2.wakeAt > shell.now()) return read;
  await apply(
    shell,
    ref2,
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
  for (const zone2 of /* @__PURE__ */ new Set([...due.nodes.keys(), ...due.heads])) await apart(planAll(shell, zone2, due.nodes.get(zone2), tick));
  for (const zone2 of due.counts) await apart(countZone(shell, zone2));
  if (failures.length > 0) throw failures[0];
}
async function planAll(shell, zone2, nodes, tick) {
  for (const part2 of partsOf([...nodes ?? []].sort(), nodesPerPlanMax)) await planZoneNow(shell, zone2, part2, tick);
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
  await inParts(refs, 20, async (ref2) => {
    if (ref2.noun === "zone") due.heads.add(ref2.id);
    else if (ref2.noun === "counts") due.counts.add(ref2.id);
    else await apart(tickNode(shell, ref2, tick, due));
  });
  return due;
}
async function tickNode(shell, ref2, tick, due) {
  const input = { ...tick, id: `tick-${shell.newId()}` };
  const { decision, state } = await apply(
    shell,
    ref2,
    input,
    (node5, _input, now) => node5 ? decide(node5, tick, now) : nothing("there is no such node")
  );
  shell.log("debug", "tick.applied", { row: `${ref2.noun} ${ref2.id}`, does: decision.does, because: decision.because });
  const wakeAt = decision.does === "remove" ? void 0 : decision.wakeAt;
  if (!state || wakeAt === void 0 || wakeAt > shell.now()) return;
  due.nodes.set(state.zone, (due.nodes.get(state.zone) ?? /* @__PURE__ */ new Set()).add(ref2.id));
}
async function inParts(items, size, work) {
  for (let at2 = 0; at2 < items.length; at2 += size) await Promise.all(items.slice(at2, at2 + size).map(work));
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
