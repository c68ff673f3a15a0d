import { existsSync } from 'node:fs';
import { minuteMs } from '../../../../lib/core/time.ts';
import type { Folder } from '../../../../lib/machine/folder.ts';
import type { World } from '../../../../lib/machine/reactor.ts';
import type { Contact } from '../../contact.ts';
import { musterPage } from '../site/muster-page.ts';
import { ownPages } from '../site/own-pages.ts';
import type { SiteRoute } from '../site/route.ts';
import { type Site, startSite } from '../site/site.ts';
import type { Standing } from '../site/standing.ts';
import { xmlRpcGate } from '../site/xml-rpc-gate.ts';
import { counts, endLease, loginLeaseMs, readLease, writeLease } from './lease.ts';
import { lookEveryMs } from './looking.ts';
import { followSeat, type SeatHere } from './seat.ts';
import { type ClusterMode, readClusterMode, readEditing, seatFile } from './settings.ts';

/** What keeps cluster mode on this server. `routes` are pages of others on the agent's site. */
export type KeepsClusterMode = {
  readonly folder: Folder;
  readonly endpoint: string;
  readonly fqdn: string;
  /** The zone of the node, as it is known now. */
  zone(): string;
  readonly contact: Pick<Contact, 'answeredAgoMs'>;
  /** Whether this host is the seat of its zone. */
  readonly seat: Pick<SeatHere, 'now' | 'heard'>;
  readonly routes: readonly SiteRoute[];
  say(line: string): void;
  readonly world: Pick<World, 'now' | 'after'>;
};

/** Keeps cluster mode where it is installed, one look at a time: its site, and its lease. */
export class Keeper {
  readonly #options: KeepsClusterMode;
  #site: { readonly of: string; readonly site: Site } | undefined;
  /** How it was installed at the last look. */
  #mode: ClusterMode | undefined;
  #fault = '';
  /** Whether the login page is the server's own, as it was reported last. */
  #isOpen: boolean | undefined;
  /** The moment of the first look. */
  #firstAt: number | undefined;

  constructor(options: KeepsClusterMode) {
    this.#options = options;
  }

  /** Looks once. A fault of ours must not end the agent, which renews the lease of the node. */
  async look(): Promise<void> {
    try {
      const mode = readClusterMode(this.#options.folder);
      this.#mode = mode;
      // First: a port that is taken, or a disk that is full, must not keep content open while it is edited elsewhere.
      if (mode) this.#follow(mode);
      await this.#serve(mode);
      if (mode) this.#renew(mode);
      this.#fault = '';
    } catch (error) {
      this.#tell(error);
    }
  }

  /** Opens and locks common content by what Muster has just said. */
  followNow(): void {
    try {
      if (this.#mode) this.#follow(this.#mode);
    } catch (error) {
      this.#tell(error);
    }
  }

  #tell(error: unknown): void {
    const words = error instanceof Error ? error.message : String(error);
    if (words !== this.#fault) this.#options.say(`cluster mode does not work: ${words}; trying again`);
    this.#fault = words;
  }

  /**
   * Ends the site, and locks common content. The lease of the login runs out by itself: an agent that is started anew
   * soon changes nothing for anybody.
   */
  async close(): Promise<void> {
    if (this.#mode) followSeat(this.#mode, undefined);
    await this.#closeSite();
  }

  async #closeSite(): Promise<void> {
    await this.#site?.site.close();
    this.#site = undefined;
  }

  async #serve(mode: ClusterMode | undefined): Promise<void> {
    const wanted = mode && JSON.stringify(mode);
    if (this.#site?.of === wanted) return;
    await this.#closeSite();
    if (!mode || wanted === undefined) return;
    const { endpoint, routes, say, world } = this.#options;
    const standing = () => this.#standing(mode);
    const passes = [
      musterPage(endpoint, mode.clusterUi, world.now),
      ...(mode.locksContent ? [xmlRpcGate(mode, standing, world.after)] : []),
    ];
    const site = await startSite({ port: mode.port, routes: [...ownPages(standing), ...routes], passes, say, after: world.after });
    this.#site = { of: wanted, site };
    say(`cluster mode: listening for Apache on 127.0.0.1:${site.port}`);
  }

  #standing({ clusterUi, locksContent, state }: ClusterMode): Standing {
    const { folder, fqdn, zone } = this.#options;
    return { fqdn, zone: zone(), clusterUi, locksContent, isOpen: existsSync(seatFile({ state })), editing: readEditing(folder) };
  }

  /** Opens common content while this host is the seat. That ends before its time: looks come late on a busy host. */
  #follow(mode: ClusterMode): void {
    if (!mode.locksContent) return;
    const { seat, say } = this.#options;
    const done = followSeat(mode, seat.now(2 * lookEveryMs));
    if (done !== undefined) say(`cluster mode: ${done}`);
  }

  /** Renews the lease while Muster answers, and reports when the login page comes and goes. */
  #renew(mode: ClusterMode): void {
    const { contact, world, say } = this.#options;
    const [before, now] = [readLease(mode), world.now()];
    const isLapsed = before !== undefined && !counts(before, now);
    if (this.#firstAt === undefined && isLapsed) say(`emergency while this agent was away: ${openLine} from ${shown(before)} on`);
    this.#firstAt ??= now;
    const agoMs = contact.answeredAgoMs();
    if (agoMs !== undefined && agoMs < loginLeaseMs) writeLease(mode, now - agoMs + loginLeaseMs);
    else if (isLapsed) endLease(mode);
    const isOpen = !counts(readLease(mode), now);
    // An agent that has just started has had no answer yet.
    if (isOpen === this.#isOpen || (isOpen && now - this.#firstAt < loginLeaseMs && this.#isOpen === undefined)) return;
    if (isOpen) say(`emergency: Muster has not answered for ${loginLeaseMs / minuteMs} minutes: ${openLine} until it does`);
    else say(`the login page of this server leads to the Cluster UI${this.#isOpen ? ' again: Muster answers' : ''}`);
    this.#isOpen = isOpen;
  }
}

const openLine = 'people can sign in at the login page of this server';

/** The digits of a lease as a person reads them. */
const shown = (lease: string): string => lease.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3 $4:$5:$6');
