import { freePorts } from '../../demo/ports.ts';
import type { Acknowledged } from './acknowledged.ts';
import { type HostProgram, type Keeper, keeperOf } from './keeper.ts';
import { type Cut, cutPower } from './power.ts';
import { atRest } from './rest.ts';
import { durable, violations } from './rules.ts';
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

/** Copies the state as a power cut leaves it, starts a host on the copy, and looks for what had been answered or told before. */
export const blackout = ({ home, keeper, program, random, ack, seen }: Blacked): Promise<Blackout> =>
  inTemporaryFolder(async (copy) => {
    let then: { ack: Acknowledged; followed: Followed } | undefined;
    const cut = await cutPower(home, copy, keeper, random, () => {
      then = { ack: structuredClone(ack), followed: structuredClone(seen()) };
    });
    const stored = await atRest(copy, keeperOf(copy, (await freePorts(1))[0]!, program));
    return { ...cut, violations: violations(durable, { ...then!, stored, history: stored.history }) };
  });
