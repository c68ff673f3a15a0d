import type { Verb } from '../cli.ts';
import { bash } from './completion/bash.ts';
import { fish } from './completion/fish.ts';
import { zsh } from './completion/zsh.ts';
import { drop as letterDrop } from './dlq/drop.ts';
import { ls } from './dlq/ls.ts';
import { redrive } from './dlq/redrive.ts';
import { show as letterShow } from './dlq/show.ts';
import { explain } from './explain.ts';
import { history } from './history.ts';
import { list as keyList } from './keys/list.ts';
import { rotate } from './keys/rotate.ts';
import { drop } from './node/drop.ts';
import { leave } from './node/leave.ts';
import { list as nodeList } from './node/list.ts';
import { show as nodeShow } from './node/show.ts';
import { list as onboardingList } from './onboarding/list.ts';
import { set } from './settings/set.ts';
import { show as settingsShow } from './settings/show.ts';
import { status } from './status.ts';
import { accept } from './system/accept.ts';
import { ban } from './system/ban.ts';
import { list as systemList } from './system/list.ts';
import { show as systemShow } from './system/show.ts';
import { unregister } from './system/unregister.ts';
import { list as zoneList } from './zone/list.ts';
import { show as zoneShow } from './zone/show.ts';

/** A noun of the command line: what it is, and its verbs. */
export type Noun = { readonly name: string; readonly does: string; readonly verbs: readonly Verb[] };

/** Everything the command line can do, in the order the help names it: nouns with their verbs, and verbs that stand alone. */
export const tree: readonly (Noun | Verb)[] = [
  status,
  { name: 'node', does: 'Nodes: the hosts that client systems live on', verbs: [nodeList, nodeShow, leave, drop] },
  { name: 'system', does: 'Client systems: the machines that nodes manage', verbs: [systemList, systemShow, accept, unregister, ban] },
  { name: 'onboarding', does: 'The onboarding pool: machines that wait to be accepted', verbs: [onboardingList] },
  { name: 'zone', does: 'Zones: nodes and client systems that belong together', verbs: [zoneList, zoneShow] },
  explain,
  history,
  { name: 'dlq', does: 'Dead letters: messages that were put aside, and why', verbs: [ls, letterShow, redrive, letterDrop] },
  { name: 'keys', does: 'The keys that sign membership tokens', verbs: [keyList, rotate] },
  { name: 'settings', does: 'Settings of the deployment', verbs: [settingsShow, set] },
  { name: 'completion', does: 'Scripts that complete commands in a shell', verbs: [bash, zsh, fish] },
];
