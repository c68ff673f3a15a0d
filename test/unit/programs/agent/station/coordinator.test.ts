import { describe, expect, it } from 'vitest';
import type { Moment } from '../../../../../programs/agent/moment.ts';
import { SiteCoordinator } from '../../../../../programs/agent/station/coordinator.ts';

/** A host whose clocks are set by the test, and its folder. */
function aHost() {
  const files = new Map<string, string>();
  const clocks: [number, number] = [1_000, 1_800_000_000_000];
  const folder = {
    path: '/nowhere',
    read: (name: string) => files.get(name),
    write: (name: string, text: string) => void files.set(name, text),
    remove: (name: string) => void files.delete(name),
  };
  const begin = () => new SiteCoordinator({ folder, clocks: (): Moment => [...clocks] });
  return { files, clocks, begin };
}
const answer = (epoch: number, coordinates = true, leaseMs = 30_000) => ({ leaseMs, epoch, coordinates });

describe('the right to act on site', () => {
  it('is had for as long as the answer says from when the heartbeat went out, and not before one was answered', () => {
    const { clocks, begin } = aHost();
    const one = begin();
    expect(one.acts()).toBeUndefined();
    const sentAt = one.sentAt();
    clocks[0] += 4_000;
    one.answered(answer(3, true, 20_000), sentAt);
    expect([one.acts(), one.status().says]).toEqual([3, 'acts under epoch 3, for 16 s more unless Muster answers a heartbeat']);
    clocks[0] += 15_999;
    expect(one.acts()).toBe(3);
    clocks[0] += 1;
    expect(one.acts()).toBeUndefined();
    expect(one.status()).toEqual({ acts: false, says: 'does not act: no heartbeat was acknowledged in time; the last epoch is 3' });
  });

  it('ends by whichever clock says so first: that of the day goes on while a machine is halted, and may be set back', () => {
    const { clocks, begin } = aHost();
    const one = begin();
    one.answered(answer(1), one.sentAt());
    clocks[1] += 30_000;
    expect(one.acts()).toBeUndefined();
    one.answered(answer(1), one.sentAt());
    clocks[1] -= 3_600_000;
    clocks[0] += 29_999;
    expect(one.acts()).toBe(1);
    clocks[0] += 1;
    expect(one.acts()).toBeUndefined();
  });

  it('is that of the highest epoch alone, which is known again after a restart', () => {
    const { begin } = aHost();
    const one = begin();
    one.answered(answer(7, false), one.sentAt());
    expect(one.acts()).toBeUndefined();
    const again = begin();
    expect([again.highest, again.acts()]).toEqual([7, undefined]);
    again.answered(answer(6), again.sentAt());
    expect(again.acts()).toBeUndefined();
    again.answered(answer(8), again.sentAt());
    expect(again.acts()).toBe(8);
    again.answered(undefined, again.sentAt());
    expect(again.acts()).toBe(8);
    again.answered(answer(8, false), again.sentAt());
    expect(again.status()).toEqual({ acts: false, says: 'does not act: it is not the coordinator; the last epoch is 8' });
  });

  it('is not had by what a damaged file says', () => {
    const { files, begin } = aHost();
    files.set('coordinator.json', '{');
    expect(begin().highest).toBe(0);
  });
});
