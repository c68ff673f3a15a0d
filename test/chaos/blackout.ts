import { freePorts } from '../../demo/ports.ts';
import type { Acknowledged } from './acknowledged.ts';
import { type Stored, storedIn } from './evidence.ts';
import { type HostProgram, type Keeper, keeperOf } from './keeper.ts';
import { type Cut, cutPower } from './power.ts';
import { atRest } from './rest.ts';
import { durable, type Rule, violations } from './rules.ts';
import { nodeRules } from './rules-nodes.ts';
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
 * Copies the state as a power cut leaves it, and looks for what had been answered or told before: for reports in the copy as it is, where
 * they had their effect or wait for it, and for everything in what a host makes of the copy. The first look depends on no time that the
 * host takes; the second shows that what waited is worked off.
 */
export const blackout = ({ home, keeper, program, random, ack, seen }: Blacked): Promise<Blackout> =>
  inTemporaryFolder(async (copy) => {
    let then: { ack: Acknowledged; followed: Followed } | undefined;
    const cut = await cutPower(home, copy, keeper, random, () => {
      then = { ack: structuredClone(ack), followed: structuredClone(seen()) };
    });
    const against = (rules: readonly Rule[], stored: Stored): string[] => violations(rules, { ...then!, stored, history: stored.history });
    const asCut = against(nodeRules, storedIn(copy));
    const worked = against(durable, await atRest(copy, keeperOf(copy, (await freePorts(1))[0]!, program)));
    return { ...cut, violations: [...new Set([...asCut, ...worked])] };
  });
