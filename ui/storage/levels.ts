import type { Reply } from '../api/call.ts';

type Status = Reply<'meroStatus'>;
type Loss = NonNullable<Reply<'previewZone'>['storage']>;

/** What starts at each level, and what it waits for, by docs/storage-cluster.md. */
const levels = [
  { level: 0, name: 'confd', needs: undefined },
  { level: 1, name: 'servers', needs: 'more than half of the confds, and the principal resource manager' },
  { level: 2, name: 'kernel clients', needs: 'all processes of level 1' },
  { level: 3, name: 'applications', needs: 'all processes that host CAS' },
] as const;

/** Where a level is: reached, ordered and not all there, on its way down, still to come, or not wanted. */
export type Standing = 'reached' | 'under way' | 'going down' | 'to come' | 'off';

/**
 * A level of a cluster: how many of its processes are online, of all that Muster starts there, what it waits for in
 * words, and how far what it waits for is. `lost`: how many of its processes a loss would take.
 */
export type Rung = {
  readonly level: number;
  readonly name: string;
  readonly online: number;
  readonly all: number;
  readonly standing: Standing;
  readonly needs: string;
  readonly lost: number;
};

const levelOfType: Readonly<Record<string, number>> = { confd: 0, mdservice: 1, ioservice: 1, m0d: 1, m0t1fs: 2 };

type Tally = { readonly online: number; readonly all: number };

/** How many processes of a cluster are of each of the levels 0 to 2, and how many of them are online. */
function talliesOf({ hosts = [] }: Pick<Status, 'hosts'>): readonly Tally[] {
  const processes = hosts.flatMap((host) => host.processes);
  return [0, 1, 2].map((level) => {
    const its = processes.filter(({ type }) => levelOfType[type] === level);
    return { all: its.length, online: its.filter(({ state }) => state === 'online').length };
  });
}

/** What is left for level 3: a status does not say which applications Muster starts, but how many processes it does. */
function applications({ managed }: Pick<Status, 'managed'>, below: readonly Tally[]): Tally {
  const sum = (of: (one: Tally) => number): number => below.reduce((total, one) => total + of(one), 0);
  return { all: Math.max(0, managed.all - sum(({ all }) => all)), online: Math.max(0, managed.online - sum(({ online }) => online)) };
}

/** The level that an operator wants: 3 for ONLINE, −1 for OFFLINE. */
export const goalOf = ({ disposition }: Pick<Status, 'disposition'>): number => (disposition === 'ONLINE' ? 3 : -1);

type Of = Pick<Status, 'hosts' | 'managed' | 'disposition' | 'level' | 'reached' | 'principal'>;

/** The levels of a cluster, the highest first. With what a loss would take, each says how much of it. */
export function rungsOf(status: Of, loss?: Pick<Loss, 'levels'>): readonly Rung[] {
  const below = talliesOf(status);
  const tallies = [...below, applications(status, below)];
  const cas = casOf(status);
  return levels
    .map(({ level, name, needs }): Rung => {
      const { online, all } = tallies[level]!;
      const lost = loss?.levels.find((one) => one.level === level)?.lost ?? 0;
      const standing = standingOf(status, level);
      const waits = standing === 'under way' || standing === 'to come' ? 'waits for' : 'needs';
      const text = needs === undefined ? 'starts at once' : `${waits} ${needs}${soFar(level, tallies, status, cas)}`;
      return { level, name, online, all, standing, needs: text, lost };
    })
    .toReversed();
}

function standingOf({ level: ordered, reached, ...status }: Of, level: number): Standing {
  const goal = goalOf(status);
  if (level <= goal) return level <= reached ? 'reached' : level <= ordered ? 'under way' : 'to come';
  return level > ordered && level > reached ? 'off' : 'going down';
}

/** Processes with a service of the type CAS. */
function casOf({ hosts = [] }: Pick<Status, 'hosts'>): Tally {
  const its = hosts.flatMap(({ processes }) => processes).filter(({ services }) => services.some(({ type }) => type === 'CST_CAS'));
  return { all: its.length, online: its.filter(({ state }) => state === 'online').length };
}

function soFar(level: number, tallies: readonly Tally[], { principal }: Pick<Status, 'principal'>, cas: Tally): string {
  const counted = ({ online, all }: Tally): string => (all === 0 ? ': there are none' : `: ${online} of ${all} online`);
  if (level === 1) return `${counted(tallies[0]!)}, ${principal === undefined ? 'no principal' : 'principal chosen'}`;
  if (level === 2) return counted(tallies[1]!);
  return level === 3 ? counted(cas) : '';
}
