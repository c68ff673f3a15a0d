import { placedStatus, rowStatus, type Status, statusMoves, tokenHolds, tokenStatus } from '../../../lib/clients/rows/status.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import { type Token, tokenLifeS } from '../../../lib/identity/token.ts';
import type { Standing } from '../../../lib/zones/map/rows/standing.ts';
import { type Law, law } from '../model.ts';
import type { ClientReal } from './real.ts';

/** Nobody waits for a turn here, so that every moment is as good. */
const asked = { now: 0 as EpochMs };

export type SomeNode = { standing: Standing; generation: number };
export type Place = { readonly index: number; readonly generation: number; readonly isConfirmed: boolean };

/** A client system in a few words: how it stands, where it was told to be, and the tokens it was ever given. */
export type Remembered = {
  standing: 'absent' | 'pooled' | 'accepted' | 'banned';
  told: Place | undefined;
  /** Until when a pooled key is remembered. */
  until: number;
  firstSeenAt: EpochMs | undefined;
  nodes: SomeNode[];
  owner: number;
  tokens: { readonly token: Token; isRevoked: boolean }[];
  status: Status;
};

/** A machine that never knocked, and a zone of three nodes. */
export const remembersNothing = (): Remembered => ({
  standing: 'absent',
  told: undefined,
  until: 0,
  firstSeenAt: undefined,
  nodes: (['up', 'up', 'suspect'] as const).map((standing) => ({ standing, generation: 1 })),
  owner: 0,
  tokens: [],
  status: 'new',
});

/** The nodes whose present clients stay with them. */
const serving: readonly Standing[] = ['up', 'suspect', 'draining', 'held', 'quarantined'];

/**
 * The status that a place gives: on the node that owns the client's slot, confirmed, and that node serves as the member
 * it was.
 */
const statusAt = ({ nodes, owner }: Remembered, place: Place | undefined): Status => {
  const node = nodes[owner]!;
  const isThere = place?.isConfirmed && place.index === owner && place.generation === node.generation && serving.includes(node.standing);
  return isThere ? 'onboarded' : 'orphan';
};

/** The status that the model expects. */
export const statusOf = (model: Remembered): Status =>
  model.standing === 'accepted' ? statusAt(model, model.told) : model.standing === 'banned' ? 'deleted' : 'new';

/** The model and the real thing after a step. */
export type ClientStep = { readonly model: Remembered; readonly real: ClientReal; readonly before: Status };

const zoneOf = ({ model, real }: ClientStep) => real.zone(model.nodes, model.owner);

/** Everything that is promised of one client system, whatever is asked of it in whatever order. */
export const clientLaws: readonly Law<ClientStep>[] = [
  law('it stands as the last word of an admin says', ({ model, real }) => (real.row.state?.standing ?? 'absent') === model.standing),
  law(
    'it was told what its own last call was told, and nothing once it was unregistered',
    ({ model, real }) => JSON.stringify(real.told) === JSON.stringify(model.told),
  ),
  law(
    'its status is computed from its place and the map',
    (step) => rowStatus(step.real.row.state, zoneOf(step), asked) === statusOf(step.model),
  ),
  law(
    'its status moves only along the table',
    ({ model, before }) => before === statusOf(model) || (statusMoves[before] as readonly Status[]).includes(statusOf(model)),
  ),
  law('its first knock is remembered', ({ model, real }) => real.row.state?.firstSeenAt === model.firstSeenAt),
  law(
    'a key in the pool is forgotten in time, any other never',
    ({ model, real }) => !real.row.state || real.row.row?.expiresAt === (model.standing === 'pooled' ? model.until : undefined),
  ),
  law('a token holds until its client is unregistered or banned, or it is seven days old', (step) => {
    const nowS = Math.floor(step.real.row.shell.now() / 1000);
    return step.model.tokens.every(
      ({ token, isRevoked }) => tokenHolds(zoneOf(step), token, nowS, tokenLifeS) === (!isRevoked && nowS <= token.issuedAtS + tokenLifeS),
    );
  }),
  law('the newest token never says more than the row', (step) => {
    const newest = step.model.tokens.at(-1);
    if (!newest || newest.isRevoked) return true;
    return tokenStatus(zoneOf(step), newest.token, asked) === 'orphan' || statusOf(step.model) === 'onboarded';
  }),
  law('a status is that of its placement, whoever computes it', (step) => {
    const { standing, told } = step.model;
    if (standing !== 'accepted') return true;
    const placement = told && { index: told.index, generation: told.generation, confirmed: told.isConfirmed };
    return (
      placedStatus(zoneOf(step), { fp: step.real.row.ref.id, pin: 0xffff, soft: false, told: placement }, asked) === statusOf(step.model)
    );
  }),
];
