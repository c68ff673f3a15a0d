import { freePorts } from '../../tools/demo/ports.ts';
import type { Acknowledged } from './acknowledged.ts';
import { type Stored, storedIn } from './evidence.ts';
import { type HostProgram, type Keeper, keeperOf } from './keeper.ts';
import { type Cut, cutPower } from './power.ts';
import { atRest } from './rest.ts';
import { durable, type Rule, violations } from './rules.ts';
import { heartbeatRule } from './rules-nodes.ts';
import type { Followed } from './subscriber.ts';
import { inTemporaryFolder } from './temporary.ts';

/** A power cut on a copy: how it went, and what was missing afterwards. */
export type Blackout = Cut & { readonly violations: readonly string[] };

type Blacked = {
  readonly home: string;
  readonly keeper: Keeper;
  readonly program: HostProgram;
  readonly random: () => number;
  readonly ack: Acknowledged;
  seen(): Followed;
};

/**
 * Copies the state as a power cut leaves it, and looks for what had been answered or told before: for heartbeats in the
 * copy as it is, where they are counted or wait for it, and for everything in what a host makes of the copy. By then a
 * lease may be over, if the host is slow to start; the first look is excused by no such time.
 */
export const blackout = ({ home, keeper, program, random, ack, seen }: Blacked): Promise<Blackout> =>
  inTemporaryFolder(async (copy) => {
    let then: { ack: Acknowledged; followed: Followed } | undefined;
    const cut = await cutPower(home, copy, keeper, random, () => {
      then = { ack: structuredClone(ack), followed: structuredClone(seen()) };
    });
    const against = (rules: readonly Rule[], stored: Stored): string[] => violations(rules, { ...then!, stored, history: stored.history });
    const asCut = against([heartbeatRule], storedIn(copy));
    const worked = against(durable, await atRest(copy, keeperOf(copy, (await freePorts(1))[0]!, program)));
    return { ...cut, violations: [...new Set([...asCut, ...worked])] };
  });
