import { describe, expect, it } from 'vitest';
import { livesOf } from '../../../../../programs/agent/processes/born.ts';

const kernel = 'eff96f73-b399-49be-9504-9eed3463e81f';
/** A line as the kernel writes it, of a process whose name is what it likes. */
const stat = (pid: number, name: string, state: string, ticks: number) =>
  `${pid} (${name}) ${state} 1 ${pid} ${pid} 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 ${ticks} 1 1 1\n`;

describe('the life of a process', () => {
  it('is its pid, the boot of its kernel and the ticks from there on, whatever it is called', () => {
    for (const name of ['m0d', 'a b', 'x) Z 1 (', '(('])
      expect(livesOf(kernel).in(stat(101, name, 'S', 4711))).toEqual({ pid: 101, born: 'eff96f73.4711' });
  });

  it('has ended once nothing of it is left but its exit status', () => {
    expect(livesOf(kernel).in(stat(101, 'm0d', 'Z', 4711))).toBeUndefined();
    expect(livesOf(kernel).in('')).toBeUndefined();
  });

  it('is not gone on with by another process of the same pid, nor by one after a reboot that began at the same time', () => {
    const before = livesOf(kernel, (pid) => stat(pid, 'm0d', 'S', 4711)).of(101)!;
    const isOn = (boot: string, ticks: number) => livesOf(boot, (pid) => stat(pid, 'm0d', 'S', ticks)).isOn(before);
    expect([isOn(kernel, 4711), isOn(kernel, 4712), isOn('0123abcd-b399', 4711)]).toEqual([true, false, false]);
    expect(livesOf(kernel, () => undefined).isOn(before)).toBe(false);
  });

  it('of a unit without a process is that of its invocation, under one boot', () => {
    const life = livesOf(kernel).ofUnit('5b1c');
    expect(life).toEqual({ pid: 1, born: 'unit.eff96f73.5b1c' });
    expect([livesOf(kernel).isOn(life), livesOf('0123abcd', () => undefined).isOn(life)]).toEqual([true, false]);
  });

  it('is read from this machine’s kernel', () => {
    const lives = livesOf(kernel);
    const own = lives.of(process.pid)!;
    expect(own.pid).toBe(process.pid);
    expect(lives.isOn(own)).toBe(true);
    // The largest pid that Linux gives is one less than this.
    expect(lives.of(4_194_304)).toBeUndefined();
  });
});
