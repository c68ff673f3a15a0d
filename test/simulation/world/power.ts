import { defaultZone } from '../../../lib/zones/zone.ts';
import type { Result } from '../../../programs/agent/services/command.ts';
import type { Around, Cluster } from '../cluster.ts';
import type { Random } from '../random.ts';
import type { SimulatedHost } from './host.ts';

/** How long a BMC takes to obey, and a machine to be on again, in ms, at the most. */
const obeysWithinMs = 10_000;
const bootsWithinMs = 120_000;
/**
 * How many commands never come to an end, how many say that they failed and how many of those end as no command may,
 * while faults last.
 */
const hangsShare = 0.1;
const failsShare = 0.2;
const ownCodes = [1, 75, 77];
/** How often the agent that runs a command is killed at it, or its machine switched off, while faults last. */
const killedShare = 0.25;
const awayMs = 20_000;

/** The password of every BMC of a site. */
export const bmcPassword = 'hunter2-of-every-bmc';
/** How programs print it: as it is, and so that nobody who looks for it finds it. */
export const printedForms = [bmcPassword, Buffer.from(bmcPassword).toString('base64'), Buffer.from(bmcPassword).toString('hex')];

/** A command that a station runs: its words, the order that it was told, and what the file of the password holds. */
export type PowerCommand = { readonly words: readonly string[]; readonly data: string | undefined; readonly password: string | undefined };

/** The BMCs of a site: a command of a station switches a machine off, and it boots. */
export class Power {
  readonly #around: Around;
  readonly #cluster: Cluster;
  readonly #random: Random;
  readonly #hosts: () => readonly SimulatedHost[];
  #isSilent = false;

  constructor(around: Around, cluster: Cluster, hosts: () => readonly SimulatedHost[]) {
    this.#around = around;
    this.#cluster = cluster;
    this.#random = around.kernel.random('power');
    this.#hosts = hosts;
  }

  /** Nobody switches anything on any more. */
  silence(): void {
    this.#isSilent = true;
  }

  /**
   * Runs a command on a host. It goes on by itself when its agent is killed, and ends with the machine that it runs on.
   */
  async run(by: SimulatedHost, { words, data, password }: PowerCommand, limitMs: number): Promise<Result> {
    const { kernel, watch } = this.#around;
    const { order, epoch } = JSON.parse(data!) as { readonly order: number; readonly epoch: number };
    const told = { by: by.name, zone: by.zone ?? defaultZone, host: words[1]!, order, epoch };
    if (password?.trim() !== bmcPassword) throw new Error(`${by.name} runs ${words.join(' ')} without its password`);
    watch.powered({ ...told, is: 'begun' });
    const does = this.#drawn();
    if (does.kills) this.#kill(by);
    await kernel.wait(does.hangs ? limitMs : does.takesMs, `${by.name} power-cycles ${words[1]}`);
    watch.powered({ ...told, is: 'over' });
    if (does.exit === 0 || does.hangs) this.#cycle(words[1]!, does.bootsMs);
    const says = `${does.exit === 0 ? 'chassis power cycle' : 'no route to the BMC'} ${printedForms[order % printedForms.length]}`;
    return does.hangs ? { says } : { exit: does.exit, says };
  }

  /** What becomes of a command; all is drawn in any case, so that a history goes on alike when faults end. */
  #drawn() {
    const { isHealed } = this.#around.faults;
    const [hangs, fails, kills] = [hangsShare, failsShare, killedShare].map((share) => this.#random() < share && !isHealed);
    const code = ownCodes[Math.floor(this.#random() * ownCodes.length)]!;
    return { hangs, kills, exit: fails ? code : 0, takesMs: 1 + this.#random() * obeysWithinMs, bootsMs: this.#random() * bootsWithinMs };
  }

  #cycle(fqdn: string, bootsMs: number): void {
    const host = this.#hosts().find((one) => one.fqdn === fqdn);
    if (!host) return;
    host.stop(true);
    this.#later(bootsMs, host);
  }

  #kill(by: SimulatedHost): void {
    const atMs = 1 + this.#random() * obeysWithinMs;
    const isReboot = this.#random() < 0.3;
    this.#around.kernel.after(atMs, `${by.name} is killed at it`, () => {
      if (this.#around.faults.isHealed) return;
      by.stop(isReboot);
      this.#later(this.#random() * awayMs, by);
    });
  }

  #later(ms: number, host: SimulatedHost): void {
    this.#around.kernel.after(ms, `${host.name} is on again`, () => !this.#isSilent && !this.#cluster.isAway && host.start());
  }
}
