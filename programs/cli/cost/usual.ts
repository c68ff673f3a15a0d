/**
 * The assumptions about a month where nothing was measured, each with its reason; the output and docs/cost.md give
 * them.
 */
export const usual = {
  /** Hours of a month, as AWS's own examples have it. */
  hours: 730,
  /** Boots of a node: patched and rebooted twice a month. */
  bootsPerNode: 2,
  /** Times a node is lost, and its client systems go elsewhere: each once in ten months. */
  lossesPerNode: 0.1,
  /** Starts of a client system's daemon: weekly. */
  startsPerClient: 4,
  /** Client systems that are new, as a share of all. */
  newClients: 0.02,
  /** Looks and changes of people and automation, a node: 100,000 and 5,000 a month for 500 nodes. */
  looksPerNode: 200,
  changesPerNode: 10,
  /** Times a node reads the list of its client systems without any slot having moved: about daily. */
  listsPerNode: 30,
} as const;

/** How long a function runs, and the overhead of a call: assumed, because only a deployment can measure it. */
export const overheads = {
  /**
   * A call of the table, a queue or the bus, as a function waits for it: such calls take a few milliseconds within a
   * region.
   */
  waitMs: 5,
  /** The ms of a run that Lambda's runtime and the handler's frame take. */
  frameMs: 1.5,
  /**
   * Processor time of a run on a whole core: a signed knock in process (tools/bench/knocks.ts); a status check by token
   * (tools/bench/status.ts).
   */
  cpuMs: 0.4,
  statusCpuMs: 0.003,
  /** The ms that a due row adds to a sweep: it is read from its JSON and decided on. */
  glanceCpuMs: 0.05,
  /**
   * MiB at which a function has a whole core: with less it has that share (Lambda developer guide, "Configure Lambda
   * function memory").
   */
  coreMib: 1_769,
  /**
   * Messages that one run takes from a queue: without a batch window, at 50 a second, Lambda's five pollers find one at
   * a time.
   */
  messagesPerRun: 1,
  /** Long polls of a queue in which nothing comes: five pollers, 20 s each. */
  pollers: 5,
  pollS: 20,
  /**
   * Shards of the table's stream: a table on demand begins with four partitions. And the seconds for which commits of
   * client systems without events are gathered (infra/constructs/sources.ts).
   */
  streamShards: 4,
  silentWindowS: 10,
  /**
   * Requests to S3 for an index of searches that is stored: the index, a segment of what was merged, and a list. And
   * the processor time on a whole core that a client system that has changed costs there, in ms: its row is read and
   * merged some six times (tools/bench/search.ts).
   */
  storeRequests: 3,
  changedCpuMs: 0.1,
  /** Bytes of the index for a client system, with what is not removed yet. */
  indexBytes: 100,
  /** Lambda's own lines about a run: none that ends well, at the level that infra/constructs/wired-function.ts sets. */
  runLogBytes: 0,
  /** A line of the API's access log, as infra/stacks/api.ts writes it. */
  accessLogBytes: 330,
  /** An answer with its headers on a connection that is kept or resumed, and what a whole TLS handshake adds. */
  answerBytes: 500,
  handshakeBytes: 4_000,
  /** Seconds for which an environment of an endpoint answers by the zone and settings that it has read. */
  refreshS: 5,
  /** How much the environments of an endpoint exceed the calls that it serves at once, on the mean. */
  environments: 2,
  /**
   * How old, in seconds, a node's list of its client systems may be: a command is run this often
   * (programs/agent/watch-source.ts).
   */
  lookS: 30,
} as const;

/** The parts of a deployment that cost the same at any load; a test counts them in the synthesized templates. */
export const standing = { alarmMetrics: 53, urlAlarmMetrics: 4, dashboards: 1, keys: 1, secrets: 2, edgeSecrets: 2, edgeRules: 7 } as const;
