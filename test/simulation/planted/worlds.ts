import type { Config } from '../config.ts';

/**
 * How long these worlds may take to come to rest, in ms: they do in less than ten minutes, and what never does is found
 * this much sooner.
 */
const restMs = 15 * 60_000;

/** What histories of the gateway have in common: four people call for three minutes. */
const beforeServers = { gateway: true, shape: 'embedded', nodes: 3, clients: 9, admins: 4, faultMs: 180_000 } as const;

/**
 * Worlds in which one kind of thing happens often, so that a bug is found in few and short histories; a seed makes each
 * a configuration.
 */
export const worlds = {
  /** Nothing goes wrong. */
  calm: world({ nodes: 4, clients: 8, faultMs: 120_000 }),
  /** One machine of each kind: what never comes to rest costs least here. */
  alone: world({ faultMs: 60_000 }),
  /** People and automation order, machines are restarted. */
  busy: world({ faults: { restart: 0.25 }, nodes: 4, clients: 16, admins: 2, automation: true }),
  /** Many client systems, and orders that have them move while their nodes come and go. */
  wandering: world({ faults: { restart: 0.5 }, nodes: 3, clients: 60, admins: 3, automation: true, readmit: 'auto', faultMs: 300_000 }),
  /** Calls fail, hang and lose their answers, functions die. */
  weather: world({
    faults: { throttle: 0.1, 'lost-answer': 0.1, conflict: 0.1, 'partial-batch': 0.1, crash: 0.1, 'time-out': 0.1, freeze: 0.1 },
    nodes: 3,
    clients: 8,
    admins: 1,
    automation: true,
    faultMs: 360_000,
  }),
  /** Nodes that claim what is not theirs, and are steered, beside machines that hear at once. */
  claimed: {
    shape: 'aws',
    faults: {
      ...{ duplicate: 0.1, reorder: 0.03, 'dead-letter': 0.01, 'partial-batch': 0.01, 'time-out': 0.01, poison: 0.03, closed: 0.01 },
      ...{ replay: 0.01, 'new-key': 0.03, 'found-token': 0.03, 'new-token-key': 0.01, switched: 0.25, outsider: 0.1, 'powered-off': 0.03 },
    },
    ...{ nodes: 5, clients: 7, admins: 1, automation: true, slots: 1024, steered: true, liars: true, hearsAtOnce: true, faultMs: 120_000 },
  },
  /** Client systems are switched off and on, and call while their nodes do not see them. */
  unpowered: world({ faults: { 'powered-off': 0.5 }, nodes: 2, clients: 12, faultMs: 1_500_000 }),
  /** Nodes whose machines hang and are cut off do not get the lists of the client systems that come and go. */
  unlisted: {
    shape: 'aws',
    faults: {
      ...{ throttle: 0.03, 'lost-answer': 0.25, 'dead-letter': 0.03, 'partial-batch': 0.03, partition: 0.1, clone: 0.01 },
      ...{ 'new-key': 0.25, 'stolen-key': 0.25, hang: 0.25 },
    },
    ...{ nodes: 6, clients: 23, admins: 0, automation: true, slots: 1024, admitEveryMs: 15_000, pins: true, pinnedAtOnce: 8 },
    ...{ legacy: true, metadata: true, staysDueMs: 45_000, services: true, changes: true, faultMs: 2_700_000 },
  },
  /** Messages and events are late, repeated, in any order, dead. */
  late: world({
    faults: { duplicate: 0.25, reorder: 0.25, delay: 0.25, 'dead-letter': 0.25, poison: 0.25 },
    nodes: 4,
    clients: 6,
    admins: 1,
    automation: true,
  }),
  /** Machines are cut off, restarted, cloned and lose their disks. */
  machines: world({
    faults: { partition: 0.25, restart: 0.25, 'lost-disk': 0.1, clone: 0.25 },
    nodes: 4,
    clients: 12,
    admins: 1,
    automation: true,
  }),
  /** More nodes than 1,024 slots are for. */
  crowded: world({ nodes: 6, clients: 6, faultMs: 60_000 }),
  /** Two hours, in which nodes are lost for good. */
  long: world({ faults: { 'lost-disk': 0.25, restart: 0.25 }, nodes: 2, clients: 2, automation: true, faultMs: 7_200_000 }),
  /** Everything is off for weeks, or the control plane sleeps, in a zone of many slots. */
  away: world({ faults: { away: 0.25, asleep: 0.1, restart: 0.25 }, nodes: 3, clients: 4, slots: 4096 }),
  /** Indexes stand still, clocks are off, calls lose their answers, and administrators go on. */
  lagging: world({ faults: { 'index-lag': 0.25, skew: 0.25, partition: 0.25, 'lost-answer': 0.25 }, nodes: 2, clients: 24, admins: 2 }),
  /** Two nodes come and go, and who looks for what is due finds it late. */
  'lagging-pair': world({
    faults: { 'index-lag': 0.25, restart: 0.25 },
    nodes: 2,
    clients: 6,
    admins: 2,
    metadata: true,
    faultMs: 300_000,
  }),
  /** Whoever reads stands still before it writes, and machines come and go meanwhile. */
  gusty: world({ faults: { freeze: 0.25, 'time-out': 0.1, restart: 0.25, partition: 0.25 }, nodes: 6, clients: 6 }),
  /** Plans of zones have room for few rows, and machines come and go. */
  cut: world({ faults: { restart: 0.25, 'lost-disk': 0.1 }, nodes: 6, clients: 6, admins: 2, planRows: 6, faultMs: 240_000 }),
  /** One process is everything. */
  embedded: world({
    shape: 'embedded',
    faults: { restart: 0.1, crash: 0.1, duplicate: 0.1 },
    nodes: 3,
    clients: 8,
    admins: 1,
    automation: true,
    faultMs: 360_000,
  }),
  /**
   * One process that counts the clients every few seconds, while nodes with many of them are drained, held and join.
   */
  moving: world({ shape: 'embedded', nodes: 3, clients: 24, admins: 1, automation: true, faultMs: 480_000 }),
  /**
   * One process that counts so many clients that two nodes which are given up at once are more than a budget lets go.
   */
  'given-up': world({ shape: 'embedded', nodes: 4, clients: 90, admins: 3, faultMs: 240_000 }),
  /** One process and one machine of each kind, and nothing goes wrong. */
  still: world({ shape: 'embedded', faultMs: 60_000 }),
  /** One process and one machine of each kind while much fails transiently. */
  tiny: world({
    faults: { throttle: 0.25, 'lost-answer': 0.25, conflict: 0.25, 'partial-batch': 0.25, crash: 0.25, poison: 0.25 },
    clients: 2,
    automation: true,
    faultMs: 120_000,
  }),
  /** Metadata of client systems is written, reported and applied. */
  noted: world({
    clients: 4,
    nodes: 2,
    metadata: true,
    automation: true,
    faults: { throttle: 0.25, 'lost-answer': 0.25 },
    faultMs: 300_000,
  }),
  /** A node is held for an upgrade from which it does not come back. */
  upgraded: world({ nodes: 2, upgrade: true, faultMs: 1_260_000 }),
  /** Metadata of two client systems is written, and nothing goes wrong. */
  annotated: world({ clients: 2, metadata: true }),
  /** Two zones with nodes and client systems of their own; others come and go. */
  apart: world({ shape: 'embedded', nodes: 2, clients: 6, zones: 2, faultMs: 120_000 }),
  /** Machines come into zones that are deleted meanwhile, while indexes stand still. */
  settled: world({ faults: { 'index-lag': 0.25 }, nodes: 1, clients: 2, settlers: true, faultMs: 900_000, restMs: 3_600_000 }),
  /** Somebody hears every call, and makes it again. */
  overheard: world({ faults: { replay: 1, restart: 0.1, partition: 0.1 }, nodes: 3, clients: 6, admins: 1 }),
  /** The same, where those who call are stations. */
  'overheard-stations': world({ faults: { replay: 1, restart: 0.1, partition: 0.1 }, nodes: 3, clients: 6, admins: 1, stations: 3 }),
  /** Stations whose calls are made again, while the messages of heartbeats are refused until they are too old. */
  'overheard-late': {
    shape: 'aws',
    faults: {
      ...{ throttle: 0.1, conflict: 0.25, 'index-lag': 0.03, 'time-out': 0.1, freeze: 0.1, 'lost-disk': 0.1, replay: 0.1 },
      ...{ removed: 0.1, 'new-token-key': 0.25, outsider: 0.01, hang: 0.1, 'powered-off': 0.25 },
    },
    ...{
      nodes: 4,
      clients: 18,
      admins: 2,
      automation: true,
      slots: 1024,
      steered: true,
      stations: 4,
      hands: true,
      readmit: 'auto' as const,
    },
    ...{ vouched: true, boots: true, faultMs: 2_700_000 },
  },
  /** Nodes take other keys while answers are lost, and what they said is made again. */
  rotating: world({ faults: { 'new-key': 1, partition: 0.25, replay: 0.25, restart: 0.1 }, nodes: 4 }),
  /** Each host has to be let in, tokens are stolen, nodes removed. */
  guarded: world({ faults: { closed: 0.25, 'stolen-token': 0.25, removed: 0.25, partition: 0.1 }, nodes: 4, clients: 2 }),
  /** The table refuses and conflicts as often as it may while administrators work. */
  storm: world({ faults: { throttle: 1, conflict: 1 }, clients: 2, admins: 4, faultMs: 120_000 }),
  /** Keys of automation are stolen, revoked and run out; somebody of another zone reaches for this one. */
  keys: world({ faults: { 'stolen-key': 0.25, outsider: 0.25 }, nodes: 3, clients: 8, admins: 1, automation: true }),
  /** Somebody knocks as others, and administrators ban. */
  masked: world({ faults: { impostor: 0.25 }, nodes: 2, clients: 12, admins: 3 }),
  /** Onboarding tokens are handed out, and found. */
  tokens: world({ faults: { 'found-token': 0.25, 'lost-answer': 0.1, conflict: 0.1 }, nodes: 2, clients: 8 }),
  /** A site is brought in by a token while others call from its address more often than one address may. */
  beside: world({ shape: 'embedded', neighbours: true, faultMs: 120_000 }),
  /** Machines are cloned with the machine id in their image, bring tokens, and wait in the pool. */
  cloned: world({ faults: { 'found-token': 0.25 }, nodes: 2, clients: 6, clones: true, faultMs: 120_000 }),
  /** Machines of one name bring tokens, wait in the pool, and take each other's place. */
  namesakes: world({ faults: { 'found-token': 0.25 }, nodes: 2, clients: 6, admins: 1, namesakes: true, faultMs: 180_000 }),
  /** Machines are started again, and calls of their boots before come late. */
  'boots-late': world({
    faults: {
      ...{ throttle: 0.25, 'dead-letter': 0.25, 'partial-batch': 0.03, crash: 0.01, 'time-out': 0.1, partition: 0.1, closed: 0.01 },
      ...{ replay: 0.1, impostor: 0.01, 'found-token': 0.1, switched: 0.03, 'powered-off': 0.1 },
    },
    nodes: 3,
    clients: 24,
    admins: 2,
    admitEveryMs: 15_000,
    metadata: true,
    vouched: true,
    boots: true,
    faultMs: 600_000,
  }),
  /** Machines are copied with their keys, and knock in turns with their copies, while nodes come and go. */
  'in-turns': world({ faults: { clone: 1, restart: 0.25 }, nodes: 3, clients: 6, admins: 1, boots: true, faultMs: 360_000 }),
  /** The keys of membership tokens are replaced again and again. */
  rekeyed: world({ faults: { 'new-token-key': 0.25, restart: 0.25 }, nodes: 2, clients: 12, faultMs: 1_800_000 }),
  /** Calls are switched off while others knock in the name of machines. */
  switched: world({ faults: { switched: 0.25, impostor: 0.25 }, nodes: 2, clients: 6, admins: 1 }),
  /** Two machines that come and go. */
  pair: world({ faults: { restart: 0.5, clone: 0.25, partition: 0.25 }, nodes: 2, admins: 1, automation: true, faultMs: 300_000 }),
  /** Copies of machines speak at once, and what they say is late and overtaken. */
  doubled: world({
    faults: { clone: 1, delay: 0.5, reorder: 0.5, restart: 0.25 },
    nodes: 4,
    admins: 1,
    automation: true,
    faultMs: 900_000,
  }),
  /** The same, in two zones, with machines that are cut off and somebody who speaks for others. */
  'doubled-apart': world({
    faults: { freeze: 0.03, partition: 0.25, restart: 0.03, clone: 0.1, impostor: 0.25, 'found-token': 0.1 },
    nodes: 5,
    clients: 24,
    admins: 2,
    automation: true,
    slots: 4096,
    hearsAtOnce: true,
    staysDueMs: 45_000,
    readmit: 'auto',
    steered: true,
    zones: 2,
    faultMs: 120_000,
  }),
  /** Copies of machines ask where they belong, and come back where they were. */
  elsewhere: world({
    faults: { clone: 1, partition: 0.25, restart: 0.25, 'lost-disk': 0.1 },
    nodes: 6,
    clients: 8,
    admins: 2,
    automation: true,
  }),
  /** Nodes admit one after another, and are lost while many wait. */
  admitting: world({
    faults: { restart: 0.5, 'lost-disk': 0.25 },
    nodes: 4,
    clients: 24,
    admins: 1,
    admitEveryMs: 15_000,
    faultMs: 2_700_000,
    restMs: 3_600_000,
  }),
  /** Nodes admit as fast as they bear, are lost while many wait, and somebody sets whether they may, and how fast. */
  adapting: world({
    faults: { restart: 0.5 },
    nodes: 3,
    clients: 40,
    admitEveryMs: 15_000,
    adapts: true,
    faultMs: 2_700_000,
    restMs: 3_600_000,
  }),
  /** Nodes declare about half of all clients, and come and go, while these are counted every few seconds. */
  full: world({ shape: 'embedded', faults: { restart: 0.5, 'lost-disk': 0.1 }, nodes: 4, clients: 24, capacity: 12 }),
  /** Somebody pins client systems, and machines are restarted. */
  pinned: world({ shape: 'embedded', faults: { restart: 0.1 }, nodes: 3, clients: 8, pins: true, faultMs: 120_000, restMs: 600_000 }),
  /** Somebody pins client systems and lets them go, nodes admit one after another, and machines are restarted. */
  'let-go': world({
    shape: 'embedded',
    faults: { restart: 0.5 },
    nodes: 2,
    clients: 8,
    pins: true,
    pinnedAtOnce: 8,
    admitEveryMs: 120_000,
    faultMs: 1_800_000,
    restMs: 5_400_000,
  }),
  /** Somebody pins client systems, and administrators drain nodes and give them up. */
  emptied: world({ shape: 'embedded', nodes: 2, clients: 8, pins: true, admins: 6, faultMs: 300_000, restMs: 600_000 }),
  /** Events are delivered to webhooks, whose targets fail now and then. */
  delivering: world({ shape: 'embedded', nodes: 2, clients: 6, admins: 2, webhooks: true, faultMs: 300_000, restMs: 1_200_000 }),
  /** The same of two zones, where what is asked of webhooks is late, repeated and lost. */
  'delivering-late': world({
    faults: { duplicate: 0.25, reorder: 0.25, delay: 0.25, crash: 0.1, 'time-out': 0.1, 'partial-batch': 0.1, restart: 0.1 },
    nodes: 2,
    clients: 6,
    admins: 2,
    zones: 2,
    webhooks: true,
    faultMs: 300_000,
    restMs: 1_500_000,
  }),
  /** The same of one zone, where whoever delivers is killed in the middle and runs out of time. */
  'delivering-killed': world({
    faults: { crash: 0.25, 'time-out': 0.25, duplicate: 0.1, restart: 0.25 },
    nodes: 2,
    clients: 6,
    admins: 4,
    webhooks: true,
    faultMs: 300_000,
    restMs: 1_500_000,
  }),
  /** The same, where machines are made from one image with its machine id, and events come late and again. */
  'delivering-cloned': world({
    faults: { crash: 0.25, duplicate: 0.25, delay: 0.25 },
    nodes: 2,
    clients: 9,
    admins: 2,
    clones: true,
    webhooks: true,
    faultMs: 300_000,
    restMs: 1_500_000,
  }),
  /**
   * There are storage zones whose hosts are removed, let in again and restarted, while words are late and somebody
   * loads facts, among all others.
   */
  'storing-removed': world({
    faults: {
      'index-lag': 0.1,
      duplicate: 0.25,
      reorder: 0.01,
      delay: 0.25,
      crash: 0.03,
      asleep: 0.03,
      restart: 0.25,
      clone: 0.03,
      skew: 0.1,
      poison: 0.1,
      replay: 0.03,
      removed: 0.1,
      'stolen-key': 0.25,
      switched: 0.01,
      outsider: 0.03,
    },
    clients: 13,
    admins: 1,
    automation: true,
    pins: true,
    pinnedAtOnce: 8,
    storage: true,
    loads: true,
    metadata: true,
    staysDueMs: 45_000,
    settlers: true,
  }),
  /** Nodes that are to take the places of others are held, and lost, before they have them. */
  'heirs-are-held': world({ nodes: 4, clients: 0, admins: 2, admitEveryMs: 15_000, replacement: true, boots: true, faultMs: 337_500 }),
  /** Somebody asks what would happen if nodes were dropped while stations and guard-rails hold some. */
  'foreseen-while-held': world({
    shape: 'embedded',
    nodes: 6,
    clients: 0,
    stations: 1,
    legacy: true,
    boots: true,
    previews: true,
    hearsAtOnce: true,
    staysDueMs: 45_000,
    faultMs: 360_000,
  }),
  /** Functions are frozen and begin anew, machines are cut off: those who search begin with what is stored. */
  'begun-anew': {
    shape: 'aws',
    faults: {
      ...{ throttle: 0.03, 'lost-answer': 0.03, delay: 0.1, 'dead-letter': 0.01, 'partial-batch': 0.25, crash: 0.1, 'time-out': 0.25 },
      ...{ freeze: 0.25, asleep: 0.01, partition: 0.25, restart: 0.03, 'lost-disk': 0.1, poison: 0.03, closed: 0.01, replay: 0.03 },
      ...{ 'stolen-token': 0.03, removed: 0.01, 'stolen-key': 0.25, 'new-token-key': 0.1 },
    },
    ...{ nodes: 5, clients: 21, admins: 1, automation: true, slots: 1024, metadata: true, staysDueMs: 45_000, faultMs: 240_000 },
  },
  /** Zones into which somebody moves rest for weeks; hosts are cut off, and commits refused. */
  'weeks-apart': world({
    faults: { conflict: 0.1, duplicate: 0.03, reorder: 0.25, delay: 0.01, away: 0.25, skew: 0.1, 'stolen-key': 0.03, impostor: 0.03 },
    nodes: 4,
    clients: 6,
    slots: 4096,
    admitEveryMs: 1_000,
    settlers: true,
    boots: true,
    faultMs: 120_000,
  }),
  /** Things change on the Uyuni servers of hosts that are restarted, and answers are lost. */
  'servers-change': world({
    faults: { 'lost-answer': 0.25, restart: 0.25, crash: 0.1, throttle: 0.25, partition: 0.25 },
    nodes: 3,
    clients: 2,
    changes: true,
    faultMs: 300_000,
  }),
  /** Hosts had systems before, which somebody adopts; agents are restarted, and answers are lost. */
  'servers-adopted': world({
    faults: { 'lost-answer': 0.25, restart: 0.25, crash: 0.1, conflict: 0.1, partition: 0.25 },
    nodes: 3,
    clients: 2,
    legacy: true,
    faultMs: 300_000,
  }),
  /** Somebody acts on client systems of servers whose agents are killed, while calls and answers are lost and late. */
  'servers-act': world({
    faults: { 'lost-answer': 0.25, restart: 0.25, freeze: 0.1, conflict: 0.1, crash: 0.1, partition: 0.1 },
    nodes: 3,
    clients: 8,
    acts: true,
    faultMs: 600_000,
  }),
  /** Somebody enters servers whose agents are restarted, while calls and answers are lost. */
  'servers-entered': world({
    faults: { 'lost-answer': 0.25, restart: 0.25, conflict: 0.1, duplicate: 0.1, partition: 0.1 },
    nodes: 3,
    clients: 2,
    enters: true,
    faultMs: 600_000,
  }),
  /** Somebody edits common content of servers that are restarted, while calls and answers are lost. */
  'servers-edited': world({
    faults: { 'lost-answer': 0.25, restart: 0.25, conflict: 0.1, crash: 0.1, partition: 0.25, freeze: 0.1 },
    nodes: 3,
    clients: 2,
    edits: true,
    faultMs: 900_000,
  }),
  /** There is a storage zone whose hosts are restarted, and somebody who keeps it. */
  storing: world({ faults: { restart: 0.25 }, storage: true }),
  /** The same, where words are late, repeated and in any order. */
  'storing-late': world({ faults: { duplicate: 0.25, reorder: 0.25, delay: 0.25, restart: 0.1 }, storage: true }),
  /** The same, and the table refuses commits as if others had been faster. */
  contended: world({ faults: { conflict: 1 }, storage: true }),
  /** Nothing runs on a storage host any more until it is mended and switched off and on. */
  broken: world({ shape: 'embedded', storage: true, incident: 'breakdown', faultMs: 360_000, restMs: 300_000 }),
  /** What runs on a storage host comes up and ends soon after, until it is mended and switched off and on. */
  shaky: world({ shape: 'embedded', storage: true, incident: 'crash-loop', faultMs: 360_000, restMs: 300_000 }),
  /** Facts are loaded into storage zones, by two operators at once. */
  loading: world({ shape: 'embedded', storage: true, loads: true, faultMs: 240_000, restMs: 300_000 }),
  /** The same, where hosts are replaced by others of the same name. */
  'loading-anew': world({
    faults: { asleep: 0.1 },
    clients: 0,
    admitEveryMs: 1_000,
    replacement: true,
    storage: true,
    loads: true,
    staysDueMs: 45_000,
    faultMs: 360_000,
  }),
  /** Services run on hosts that are restarted, and somebody orders them. */
  serving: world({ shape: 'embedded', faults: { restart: 0.25 }, nodes: 2, services: true, faultMs: 300_000 }),
  /** The same, where words are late, repeated and in any order. */
  'serving-late': world({
    shape: 'embedded',
    faults: { duplicate: 0.25, reorder: 0.5, delay: 0.5, restart: 0.1 },
    nodes: 2,
    services: true,
    faultMs: 300_000,
  }),
  /** Checks by schemas of services run out of time, and types are put again. */
  'late-checks': world({ shape: 'embedded', nodes: 3, services: true, lateChecks: true, faultMs: 600_000 }),
  /** Services change their configuration themselves, and need others; words come late and in any order. */
  drifting: world({
    shape: 'embedded',
    faults: { restart: 0.25, reorder: 0.25, delay: 0.25 },
    nodes: 2,
    services: true,
    drifts: true,
    faultMs: 300_000,
  }),
  /** The same with supervisors, where hosts are cut off from Muster by turns, and much is said twice. */
  'drifting-apart': world({
    shape: 'embedded',
    faults: {
      ...{ 'lost-answer': 0.01, duplicate: 0.25, reorder: 0.03, delay: 0.03, 'dead-letter': 0.01, crash: 0.01, 'time-out': 0.01 },
      ...{ away: 0.25, restart: 0.1, skew: 0.1, replay: 0.03, 'stolen-key': 0.25, 'new-token-key': 0.1, switched: 0.1 },
    },
    nodes: 3,
    clients: 14,
    staysDueMs: 45_000,
    services: true,
    drifts: true,
    supervisors: true,
    vouched: true,
    faultMs: 1_350_000,
  }),
  /** Agents that are cut off start their services again, and their reports come in any order. */
  'serving-alone': world({
    shape: 'aws',
    faults: {
      ...{ 'lost-answer': 0.1, conflict: 0.25, reorder: 0.25, 'partial-batch': 0.03, partition: 0.25, 'lost-disk': 0.25, skew: 0.25 },
      ...{ 'stolen-key': 0.1, impostor: 0.01, outsider: 0.25 },
    },
    nodes: 4,
    clients: 10,
    admins: 2,
    slots: 1024,
    admitEveryMs: 1_000,
    pins: true,
    pinnedAtOnce: 2,
    planRows: 10,
    services: true,
    supervisors: true,
    boots: true,
    enters: true,
    faultMs: 240_000,
  }),
  /** Machines ask to be watched where they are not, and somebody lets some of them. */
  lying: world({ shape: 'embedded', nodes: 1, liars: true, faultMs: 600_000 }),
  /** Supervisors run on hosts that are restarted, and somebody starts and stops them. */
  watching: world({ shape: 'embedded', faults: { restart: 0.25 }, nodes: 3, services: true, supervisors: true, faultMs: 300_000 }),
  /** The same, where hosts are cut off, and words are late and overtaken. */
  missing: world({
    shape: 'embedded',
    faults: { restart: 0.25, partition: 0.25, delay: 0.25, reorder: 0.25 },
    nodes: 4,
    services: true,
    supervisors: true,
    faultMs: 600_000,
  }),
  /** An agent is killed while its service answers a message. */
  interrupted: world({ shape: 'embedded', services: true, incident: 'interruption', faultMs: 300_000 }),
  /**
   * Three of four hosts are the stations of their zone, and sites lose their way to Muster, are split and without
   * power.
   */
  manned: world({ shape: 'embedded', nodes: 4, stations: 3, faultMs: 480_000 }),
  /** The same, where hosts are cut off from Muster and from each other. */
  'manned-cut-off': world({ shape: 'embedded', faults: { partition: 0.25 }, nodes: 4, stations: 3, faultMs: 480_000 }),
  /** The same, where agents stand still, which their kernels take connections for. */
  'manned-hung': world({ shape: 'embedded', faults: { hang: 0.5 }, nodes: 4, stations: 3, faultMs: 480_000 }),
  /** As manned, and hosts are power-cycled by somebody and by rule. */
  handy: world({ shape: 'embedded', nodes: 6, stations: 3, hands: true, faultMs: 600_000, restMs: 600_000 }),
  /** The same, and who coordinates is killed and given an order meanwhile. */
  lapsing: world({ shape: 'embedded', nodes: 4, stations: 3, hands: true, incident: 'lapse', faultMs: 480_000, restMs: 600_000 }),
  /**
   * Four of four, so that a split in half leaves nobody who decides; and a storage zone beside them with stations of
   * its own.
   */
  halved: world({ shape: 'embedded', nodes: 4, stations: 4, storage: true, faultMs: 480_000 }),
  /**
   * A control plane that stands still for half an hour at a time, while what runs on a storage host ends as soon as it
   * is up.
   */
  'alone-shaky': world({ faults: { asleep: 0.25 }, storage: true, incident: 'crash-loop', faultMs: 1_800_000 }),
  /** One that does so once, while what runs on hosts is killed. */
  outage: world({ nodes: 2, storage: true, services: true, incident: 'outage', faultMs: 2_040_000 }),
  /** Administrators order. */
  ordered: world({ nodes: 2, clients: 2, admins: 4, faultMs: 240_000 }),
  /** Administrators whose answers are lost all the time. */
  unheard: world({ shape: 'embedded', faults: { partition: 1 }, clients: 4, admins: 4, faultMs: 300_000 }),
  /** Administrators order, and of every commit the table may lose the answer. */
  unanswered: world({ shape: 'embedded', faults: { 'lost-answer': 1 }, nodes: 2, clients: 2, admins: 6, faultMs: 300_000 }),
  /** Somebody of another zone reaches for a few client systems. */
  reached: world({ faults: { outsider: 1 }, clients: 6 }),
  /** The same, for hosts that wait to be let in, and for machines that nobody has accepted yet. */
  waiting: world({ faults: { outsider: 1, closed: 0.25 }, nodes: 3, clients: 6 }),
  /** Administrators ban while indexes stand still. */
  banning: world({ faults: { 'index-lag': 0.25 }, nodes: 2, clients: 16, admins: 6, faultMs: 300_000 }),
  /** One process, and client systems that are sent to another node and back. */
  settling: world({ shape: 'embedded', nodes: 2, clients: 12, admins: 2, automation: true }),
  /** Administrators ban and unregister. */
  strict: world({ nodes: 2, clients: 24, admins: 8, faultMs: 900_000 }),
  /** Scripts ask with each token as soon as they are given it, while administrators have nodes leave and stay. */
  hasty: world({ faults: { restart: 0.25 }, nodes: 3, clients: 8, admins: 6, hasty: true, faultMs: 480_000 }),
  /** Nothing goes wrong, and a deployment of two zones, and others that come and go, is back from its export. */
  restored: world({ incident: 'restoration', nodes: 2, clients: 6, zones: 2, hasty: true, faultMs: 300_000 }),
  /** Operators give nodes up while these come and go, and reports are late. */
  rushed: world({ faults: { restart: 0.9, delay: 0.9 }, nodes: 2, clients: 1, admins: 12, readmit: 'auto', faultMs: 2_700_000 }),
  /** Machines lose their disks while copies of them run. */
  copied: world({ faults: { 'lost-disk': 0.5, clone: 1 }, nodes: 3, clients: 1, admins: 2, faultMs: 7_200_000 }),
  /** Three of ten nodes fall silent together, and another for itself. */
  partly: world({ incident: 'part', nodes: 10, clients: 12, faultMs: 660_000 }),
  /** The two nodes of a rack fall silent together. */
  racked: world({ incident: 'rack', nodes: 6, clients: 2, faultMs: 540_000 }),
  /** A node falls silent, and another is to be drained, while their zone is frozen. */
  frozen: world({ incident: 'frozen', nodes: 3, clients: 2, faultMs: 540_000 }),
  /** A node falls silent, and its client systems say so: by even seeds from several networks. */
  witnessed: world({ incident: 'witnesses', nodes: 3, clients: 12, faultMs: 480_000 }),
  /** A machine dies in recovery mode, and another takes its place. */
  replaced: world({ incident: 'replacement', nodes: 2, clients: 6, faultMs: 420_000 }),
  /** A node is lost in recovery mode and comes back, while another joins. */
  recovering: world({ incident: 'recovery', nodes: 2, clients: 4, faultMs: 420_000 }),
  /** A node is given up where nobody comes back without an administrator's word, asks, and is let in. */
  readmitted: world({ incident: 'readmission', nodes: 2, clients: 2, faultMs: 360_000 }),
  /** Another system vouches for machines, by a bus that hands on late; others say the same without a right to. */
  vouched: world({ vouched: true, faults: { delay: 0.25, restart: 0.1 }, nodes: 2, clients: 2, faultMs: 600_000 }),
  /** No queue can be reached for a while, and a node falls silent meanwhile. */
  queueless: world({ incident: 'no-queues', nodes: 4, clients: 4, hearsAtOnce: true, faultMs: 600_000, restMs: 900_000 }),
  /** Somebody asks what would happen, while nodes come and go. */
  foreseen: world({ previews: true, faults: { restart: 0.1 }, nodes: 3, clients: 6, faultMs: 300_000 }),
  /** The gateway before servers that do all that they should not. */
  gateway: world({
    ...beforeServers,
    faults: {
      ...{
        'server-hangs': 0.05,
        'server-slow': 0.1,
        'server-cuts': 0.1,
        'server-babbles': 0.05,
        'server-lies': 0.05,
        'server-faults': 0.03,
      },
      ...{ 'server-forgets': 0.01, 'muster-lags': 0.1, 'caller-leaves': 0.1, 'caller-dawdles': 0.1 },
    },
  }),
  /** The gateway before servers that are well, and only refuse a call now and then. */
  'gateway-calm': world({ ...beforeServers, faults: { 'server-faults': 0.1 } }),
  /** The gateway before a single server that hangs. */
  'gateway-alone': world({ ...beforeServers, nodes: 1, faults: { 'server-hangs': 0.25 } }),
  /** The gateway before two servers that are well, one of which is not always there. */
  'gateway-pair': world({ ...beforeServers, nodes: 2 }),
  /** Knocks are recorded and made again, while functions crash and their calls are refused. */
  'boots-recorded': world({
    faults: {
      ...{ throttle: 0.25, 'index-lag': 0.1, duplicate: 0.1, reorder: 0.1, 'dead-letter': 0.1, crash: 0.1, freeze: 0.01, away: 0.01 },
      ...{ replay: 0.25, removed: 0.01, impostor: 0.01, 'found-token': 0.03, outsider: 0.03, 'powered-off': 0.25 },
    },
    ...{ nodes: 4, clients: 23, admins: 1, automation: true, replacement: true, pins: true, metadata: true, staysDueMs: 15_000 },
    ...{ services: true, lateChecks: true, supervisors: true, stations: 2, webhooks: true, readmit: 'auto', namesakes: true },
    ...{ boots: true, faultMs: 2_700_000 },
  }),
  /** A node is lost and comes back six times in half an hour. */
  flapping: world({ incident: 'flapping', nodes: 2, clients: 2, faultMs: 1_680_000 }),
} as const;
export type WorldName = keyof typeof worlds;

function world(config: Partial<Config>): Omit<Config, 'seed'> {
  const quiet = {
    shape: 'aws',
    faults: {},
    nodes: 1,
    clients: 1,
    admins: 0,
    automation: false,
    slots: 1024,
    faultMs: 600_000,
    restMs,
  } as const;
  return { ...quiet, ...config };
}
