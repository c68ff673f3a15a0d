import { SystemView } from '../../lib/clients/admin-routes.ts';
import { DisplayedStateName } from '../../lib/mero/processes/routes.ts';
import { NodeView } from '../../lib/nodes/admin-routes.ts';
import { ServiceStateName } from '../../lib/services/view-routes.ts';
import { madeFrom, table } from './source.ts';

/** Every noun of the product, in one line each: what an operator meets first comes first. */
const nouns: readonly (readonly [word: string, means: string])[] = [
  ['deployment', 'One Muster, with its table, its keys and its API: on AWS, or embedded on one machine'],
  ['zone', 'Nodes and client systems that belong together: of the kind `management`, or `storage`'],
  ['host', 'A machine, whether or not Muster knows it'],
  ['node', 'A host whose agent is a member of a zone. A management node manages client systems; a storage node runs processes'],
  ['node agent', 'The program `muster-agent`, which speaks for a node'],
  ['client system', 'A machine that a node manages, such as a Salt minion: `system` in commands and the API, `client` in code and events'],
  ['cluster id', 'The number of a client system for tools of Uyuni, unique over all servers and for life'],
  ['client daemon', 'The program `muster-client`, which asks Muster where its client system lives'],
  ['action', 'What Uyuni servers do with client systems on one order, such as a highstate, under one number of the cluster'],
  ['gateway', 'The program `muster-gateway`, which answers calls to Uyuni servers for all of them'],
  ['onboarding pool', 'Client systems that have knocked and wait to be accepted'],
  ['node pool', 'Hosts that have asked to join, and nodes that were given up, which wait for an administrator'],
  ['join token', 'A secret that lets hosts of certain names become nodes'],
  ['onboarding token', 'A secret that has client systems accepted without an administrator, up to a number of uses'],
  ['admission rule', 'A condition by which hosts are let in without a token'],
  ['knock', 'The call by which a client system asks for its node'],
  ['heartbeat', 'A sign of life of a node. It renews the lease of the node'],
  ['lease', 'How long a node counts as up without another heartbeat'],
  ['boot, incarnation', 'A start of an agent, and its number as Muster has acknowledged it'],
  ['generation', 'How often a node has joined anew after it was given up'],
  ['slot', 'A share of the client systems of a zone, by their fingerprints. A slot has an owner, the node that they live on'],
  ['map', 'Which node owns which slot of a zone; each change has a version'],
  ['turn', 'When a client system may go to its next node, so that a node admits them one after another'],
  ['rate', 'How often a node admits client systems that move to it: fixed, or by what it bears'],
  ['bearing', 'What a node shows that it can bear: how soon client systems have their first job there, and how many wait'],
  ['pin', 'An order that a client system lives on one node, whoever owns its slot'],
  ['drain', 'A node leaves on purpose: its client systems move away first'],
  ['hold', 'A node leaves for a while, such as for a reboot: its client systems wait for it'],
  ['guard-rail', 'A rule by which nodes are held although they are silent, because too much fell silent at once'],
  ['freeze', "An operator's order that nothing moves, that no lease runs out, or both"],
  ['sweep', 'The function that looks at every row whose time has come'],
  ['report', 'What a node, or another sender, claims: `node.up`, `process.started`'],
  ['event', 'What Muster has concluded: `node.joined`, `client.assigned`'],
  ['decision', 'What should happen to a row, with its reason, as data'],
  ['because', 'The reason of the last decision about a thing, in words'],
  ['dead letter', 'A message that could not be processed. It is kept with its reason until it is given back or dropped'],
  ['journal', 'What was published of a zone in the last day, in order: readers that were cut off continue from it'],
  ['audit', 'What people and automation did, in a chain whose entries cannot be changed unseen'],
  ['outbox', 'A table in the database of a Uyuni server, in which triggers write what was changed there, until it is reported'],
  ['cluster mode', 'How the web pages of a Uyuni server are those of a cluster: by one file of Apache, and pages of the agent'],
  ['common content', 'What is to be the same on all Uyuni servers of a zone: channels, activation keys, users and more'],
  ['seat', 'The Uyuni server of a zone on which common content may be edited'],
  ['metadata', 'Documents about a client system that outlive its node'],
  [
    'station',
    'A host of a zone that says which other hosts it reaches. A majority of the stations must agree before a host counts as lost',
  ],
  ['coordinator', 'The station that may give orders on its site, under an epoch of its own'],
  ['service', 'An instance of a service type that Muster runs on a node'],
  ['service type', 'A kind of service: its program, its schema of configuration, and its rules'],
  ['supervisor', 'A service that watches others and reports them, without acting'],
  ['storage cluster', 'A storage zone with what was loaded into it: hosts, processes, devices'],
  ['facts', 'The file that describes a storage cluster'],
  ['fid', 'The identifier of a thing of a storage cluster, such as `0x7200000000000001:0x1`'],
  ['Mero node', "A storage cluster's own record of a host that runs processes"],
  ['process', 'A program of a storage cluster, with the Mero services in it'],
  ['level', 'A step in which processes of a storage cluster start, each after the one before'],
  ['webhook', 'An address to which events are delivered'],
  [
    'API key, session, scope',
    'What lets a caller in, and what it allows: `read`, `number`, `edit`, `report`, `operate`, `execute`, `admin`, `security`',
  ],
];

/** What a thing may be, by the schema that the API shows it by: each state has one spelling everywhere. */
const states: readonly (readonly [thing: string, names: readonly string[]])[] = [
  ['node', NodeView.shape.status.options],
  ['client system', SystemView.shape.status.options],
  ['process', DisplayedStateName.options],
  ['service', ServiceStateName.options],
];

/** The words of the product. */
export const glossaryPage = (): string => `${madeFrom('docs/pages/glossary.ts')}
# Glossary

## Nouns

${table(
  ['word', 'means'],
  nouns.map(([word, means]) => [word, means]),
)}

## States

${table(
  ['of a', 'states'],
  states.map(([thing, names]) => [thing, names.map((name) => `\`${name}\``).join(', ')]),
)}

[State machines](state-machines.md) draws how they follow each other.
`;
