import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fingerprint } from '../../lib/core/ids.ts';
import { install } from '../../programs/agent/uyuni/install.ts';
import { freePorts } from '../../tools/demo/ports.ts';
import { aClient } from '../../tools/support/actors.ts';
import { eventually } from '../../tools/support/host.ts';
import { minionKeyOf, minionOf } from '../../tools/support/minion-keys.ts';
import { administrator, type PlayedServer, startServer } from '../../tools/support/uyuni/played-server.ts';
import { aMinion } from '../../tools/support/uyuni/salt/minion.ts';
import { sessionWith } from './a-uyuni-outbox.ts';
import { aProgram, type Program } from './program.ts';
import { logIn } from './uyuni-api.ts';

/** A played Uyuni server with an agent that keeps its keys and its metadata, and reports its changes. */
export class UyuniSite {
  readonly server: PlayedServer;
  readonly admin: Awaited<ReturnType<typeof logIn>>;
  readonly home: string;
  readonly #muster: string;
  readonly #port: number;
  readonly #passing: NodeJS.Timeout;
  agent: Program | undefined;

  private constructor(server: PlayedServer, admin: Awaited<ReturnType<typeof logIn>>, muster: string, port: number) {
    this.server = server;
    this.admin = admin;
    this.#muster = muster;
    this.#port = port;
    this.home = mkdtempSync(join(tmpdir(), 'muster-site-'));
    this.account(administrator);
    let last = Promise.resolve();
    // What fails because the server stops in the middle of it is over then.
    this.#passing = setInterval(() => {
      last = last.then(() => server.onboarding.pass(100)).catch(() => undefined);
    }, 100);
  }

  /** A server with a few systems of its own, of which Muster knows nothing, and the outbox in its database. */
  static async start(fqdn: string, muster: string): Promise<UyuniSite> {
    const server = await startServer({ fqdn, systems: 3 });
    const session = await sessionWith(server);
    await install(session);
    await session.close();
    const [port = 0] = await freePorts(1);
    return new UyuniSite(server, await logIn(server.url), muster, port);
  }

  /** Writes the file with the account of the agent. */
  account({ login, password }: { readonly login: string; readonly password: string }, mode = 0o600): void {
    const path = join(this.home, 'account.json');
    rmSync(path, { force: true });
    writeFileSync(path, JSON.stringify({ address: this.server.url, login, password }), { mode });
  }

  /** Starts the agent; gives it once it is a member. */
  async startAgent(): Promise<Program> {
    const { fqdn, root, saltKey } = this.server;
    const agent = aProgram('programs/agent/main.ts', [
      ...['--endpoint', this.#muster, '--fqdn', fqdn, '--home', this.home, '--watch', `127.0.0.1:${this.#port}`],
      ...['--watch-source', `salt-master:${root}`, '--manage-keys', '--salt-key', saltKey],
      ...['--report-changes', join(root, 'etc/rhn/rhn.conf'), '--uyuni-account', join(this.home, 'account.json')],
      ...['--allow-actions', 'highstate,packages,errata,reboot,command'],
    ]);
    this.agent = agent;
    await agent.says('acknowledged: incarnation');
    return agent;
  }

  /** Ends the agent as a power cut does. */
  async killAgent(): Promise<void> {
    this.agent?.child.kill('SIGKILL');
    await this.agent?.ended;
  }

  /** The number of the system of a minion; undefined while it is not registered. */
  async sid(minion: string): Promise<number | undefined> {
    const rows = await this.server.database.rows<{ id: number }>('SELECT server_id AS id FROM suseminioninfo WHERE minion_id = $1', [
      minion,
    ]);
    return rows[0]?.id;
  }

  /** Loses the machine with all that is on it. */
  async destroy(): Promise<void> {
    clearInterval(this.#passing);
    await this.killAgent();
    await this.server.stop();
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** A client system with a minion of the same name, whose daemon a test drives. */
export class PlayedSystem {
  readonly minion: string;
  readonly fp: Fingerprint;
  readonly #client: ReturnType<typeof aClient>;

  constructor(minion: string, muster: string) {
    this.minion = minion;
    this.#client = aClient(muster, minion);
    this.fp = this.#client.fp;
  }

  knock(confirmed?: string): Promise<unknown> {
    const minion = minionOf(this.minion, minionKeyOf(this.minion), this.fp);
    return this.#client.knock({ minion, ...(confirmed !== undefined && { confirmed }) });
  }

  /** Waits until it belongs to the node of this server, and has its minion call there. */
  async moveTo({ server }: UyuniSite): Promise<void> {
    await eventually(
      `${this.minion} is assigned to ${server.fqdn}`,
      async () => {
        await this.knock();
        return (await this.#client.orphan()) === server.fqdn;
      },
      90_000,
    );
    await this.knock(server.fqdn);
    server.onboarding.connect(aMinion(this.minion));
  }
}
