import { execFile } from 'node:child_process';
import type { Fid } from '../../../lib/core/fid.ts';
import { secondMs } from '../../../lib/core/time.ts';
import type { Ran } from '../../../lib/machine/command.ts';
import type { DesiredProcess } from '../../../lib/nodes/desired/desired.ts';
import type { ServiceUser } from '../runs-as.ts';
import type { Lives } from './born.ts';
import { type Began, faultOfPrefix, type Look, type Runner, type Seen } from './runner.ts';
import type { Held } from './state.ts';

/** The unit of a process. A fid contains no character that systemd would escape. */
export const unitOf = ({ prefix, process }: Pick<DesiredProcess, 'prefix' | 'process'>): string => `${prefix}@${process}.service`;

/**
 * The properties that the agent reads of each unit: its state, whether a job is pending, its process, and how that
 * ended.
 */
const properties = ['Id', 'ActiveState', 'Job', 'MainPID', 'InvocationID', 'Result', 'ExecMainCode', 'ExecMainStatus'];
/** The limit of a systemctl command: none of ours waits for a unit, so one that takes this long hangs. */
const limitMs = 20 * secondMs;

/** Runs systemctl; gives its output, or its error. */
export type Systemctl = (args: readonly string[]) => Promise<{ ok: true; text: string } | { ok: false; why: string }>;

/** Runs the systemctl of this host. */
export const systemctl: Systemctl = (args) =>
  new Promise((resolve) => {
    execFile('systemctl', [...args], { timeout: limitMs, encoding: 'utf8' }, (error, text, complaint) => {
      if (!error) resolve({ ok: true, text });
      else resolve({ ok: false, why: complaint.trim().split('\n')[0] || (error.killed ? 'systemctl does not answer' : error.message) });
    });
  });

/** Runs processes as units of systemd, `<prefix>@<fid>.service`, which the packages of the processes install. */
export class SystemdRunner implements Runner {
  readonly #lives: Lives;
  readonly #run: Systemctl;

  readonly #users: readonly ServiceUser[];

  /** Distinguishes lives by `lives`; `run` is systemctl unless given. */
  constructor(
    { lives, serviceUser = [] }: { readonly lives: Lives; readonly serviceUser?: readonly ServiceUser[] | undefined },
    run: Systemctl = systemctl,
  ) {
    this.#lives = lives;
    this.#users = serviceUser;
    this.#run = run;
  }

  /** Never calls: systemd does not notify the agent, which sees an end at the next look. */
  onEnd(): void {}

  async start(process: DesiredProcess): Promise<Began> {
    const fault = faultOfPrefix(process.prefix) ?? (await this.#faultOfUser(process));
    return fault === undefined ? this.#told('start', process) : { ok: false, why: fault };
  }

  stop(held: Held): Promise<Ran> {
    return this.#told('stop', held);
  }

  /** Kills nothing: the unit itself sets how long a stop may take, and whether systemd kills the process then. */
  async kill(): Promise<Ran> {
    return { ok: false, why: 'systemd kills it as its unit says (TimeoutStopSec)' };
  }

  async look(held: readonly Held[]): Promise<Look> {
    const seen = new Map<Fid, Seen>();
    const units = new Map<string, Held>();
    for (const one of held) {
      // A pid from a launcher is more reliable than any unit.
      if (one.unmanaged && one.life && this.#lives.isOn(one.life)) seen.set(one.process, { is: 'online', life: one.life });
      else if (faultOfPrefix(one.prefix) === undefined) units.set(unitOf(one), one);
    }
    if (units.size === 0) return { ok: true, seen };
    const ran = await this.#run(['show', `--property=${properties.join(',')}`, '--', ...units.keys()]);
    if (!ran.ok) return ran;
    for (const block of ran.text.split(/\n{2,}/)) {
      const values = new Map(
        block.split('\n').map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
      );
      const one = units.get(values.get('Id') ?? '');
      if (one) seen.set(one.process, this.#found(values));
    }
    return { ok: true, seen };
  }

  /** Checks the user of a unit. A unit without one runs as root, which the host's own configuration must allow. */
  async #faultOfUser(process: DesiredProcess): Promise<string | undefined> {
    const unit = unitOf(process);
    const ran = await this.#run(['show', '--property=User,DynamicUser', '--', unit]);
    if (!ran.ok) return ran.why;
    if (/^(?:User=.+|DynamicUser=yes)$/m.test(ran.text)) return undefined;
    const said = this.#users.find(({ of }) => of === process.prefix) ?? this.#users.find(({ of }) => of === undefined);
    if (said?.user === 'root') return undefined;
    return `${unit} names no user, and would run as root: name one in the unit (User=), or set service-user = ${process.prefix}=root in the agent’s configuration`;
  }

  async #told(verb: 'start' | 'stop', process: Pick<DesiredProcess, 'prefix' | 'process'>): Promise<Ran> {
    const ran = await this.#run([verb, '--no-block', '--', unitOf(process)]);
    return ran.ok ? { ok: true } : ran;
  }

  #found(said: ReadonlyMap<string, string>): Seen {
    const life = this.#lifeOf(said);
    const of = life ? { life } : {};
    switch (said.get('ActiveState')) {
      case 'active':
      case 'reloading':
      case 'refreshing':
        return { is: 'online', ...of };
      case 'activating':
        return { is: 'starting', ...of };
      case 'deactivating':
        return { is: 'stopping', ...of };
      default:
        // A job that waits for other units has not started yet, and will.
        return Number(said.get('Job') || 0) > 0 ? { is: 'starting' } : absent(said);
    }
  }

  #lifeOf(said: ReadonlyMap<string, string>) {
    const pid = Number(said.get('MainPID') || 0);
    const invocation = said.get('InvocationID') ?? '';
    if (pid > 0) return this.#lives.of(pid);
    return said.get('ActiveState') === 'active' && invocation !== '' ? this.#lives.ofUnit(invocation) : undefined;
  }
}

/** CLD_EXITED of waitid(2); any other code means a signal. */
const exited = '1';

function absent(values: ReadonlyMap<string, string>): Seen {
  const [code, status, result] = [
    values.get('ExecMainCode') ?? '0',
    Number(values.get('ExecMainStatus') || 0),
    values.get('Result') ?? 'success',
  ];
  const exit = code === '0' ? undefined : code === exited ? status : 128 + status;
  const why = result === 'success' || result === '' ? undefined : `${result}${exit === undefined ? '' : `, exit status ${exit}`}`;
  return { is: 'absent', ...(exit !== undefined && { exit }), ...(why !== undefined && { why }) };
}
