import { Client } from '../../../lib/clients/client.ts';
import { decide as productDecide } from '../../../lib/clients/decide.ts';
import { tokenFor } from '../../../lib/clients/handlers/tokens.ts';
import { planRevocations } from '../../../lib/clients/plan.ts';
import type { ClientCommand } from '../../../lib/clients/rows/command.ts';
import { readToken, type Token } from '../../../lib/identity/token.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { nameOf } from '../../../lib/ports/table/table.ts';
import { apply } from '../../../lib/runtime/apply.ts';
import { applyPlan } from '../../../lib/runtime/apply-plan.ts';
import { stateOf } from '../../../lib/runtime/content.ts';
import { type LoadedZone, loadRevoked } from '../../../lib/zones/rows/loaded.ts';
import type { Revoked } from '../../../lib/zones/zone.ts';
import type { TestShell } from '../../../tools/support/a-shell.ts';
import { aZone, fpOf } from '../../../tools/support/builders.ts';
import { KeptRow } from '../row.ts';
import type { Place, SomeNode } from './model.ts';

export type ClientDecide = typeof productDecide;
export type Revoking = Extract<ClientCommand, { type: 'ban' | 'unregister' }>;
type Plan = typeof planRevocations;

/** One client system's row and the zone's revocations, kept by the real shell. */
export class ClientReal {
  readonly row = new KeptRow<Client>({ noun: 'client', id: fpOf('web1') }, Client);
  readonly #decide: ClientDecide;
  readonly #plan: Plan;

  constructor({ decide = productDecide, plan = planRevocations }: { decide?: ClientDecide; plan?: Plan } = {}) {
    this.#decide = decide;
    this.#plan = plan;
  }

  /**
   * What an admin or the client itself asks, as its door does: revocations in a plan with the zone's list, all else by
   * itself.
   */
  readonly ask =
    (command: ClientCommand) =>
    (shell: TestShell = this.row.shell): Promise<unknown> => {
      if (command.type === 'ban' || command.type === 'unregister') return this.#revoke(command, shell);
      // Of two at once the row before and after says nothing about either alone.
      if (shell !== this.row.shell) return apply<Client, ClientCommand>(shell, this.row.ref, command, this.#decide);
      return this.row.take(command, this.#decide);
    };

  #revoke(command: Revoking, shell: TestShell): Promise<unknown> {
    return applyPlan(shell, command, async (reading) => {
      const [row, revoked] = await reading.rows([this.row.ref, { noun: 'revoked', id: 'default' }]);
      const body = stateOf<Client>(row, shell.now());
      const clients = body ? [{ body, rev: row!.rev }] : [];
      const zone = { name: 'default', revoked: revoked?.body as Revoked | undefined, rev: revoked?.rev ?? 0 };
      return this.#plan({ clients, ...(body?.standing === 'accepted' && { zone }) }, command, shell.now());
    });
  }

  /** The zone as its readers have it now: these nodes, one of whom owns every slot. */
  zone(nodes: readonly SomeNode[], owner: number): LoadedZone {
    const revoked = this.row.shell.table.rows.get(nameOf(keyOf({ noun: 'revoked', id: 'default' })))?.body as Revoked | undefined;
    return { ...aZone({ nodes, owner: () => owner }), ...loadRevoked(revoked) };
  }

  /** A token for the row as it is; undefined unless the client is accepted. */
  async token(zone: LoadedZone): Promise<Token | undefined> {
    const { state, shell } = this.row;
    if (state?.standing !== 'accepted') return undefined;
    const { token: text } = await tokenFor(shell, state, zone, { covered: false, askedAt: shell.now() });
    return text === undefined ? undefined : readToken(text, await shell.keys.current());
  }

  /** Where the row says that its client was told to be. */
  get told(): Place | undefined {
    const { state } = this.row;
    if (state?.standing !== 'accepted' || !state.told) return undefined;
    const { index, generation, confirmedAt } = state.told;
    return { index, generation, isConfirmed: confirmedAt !== undefined };
  }
}
