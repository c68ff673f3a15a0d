import type { Concluded } from '../../core/decision.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import { type Guardrails, limits, type Together } from './guardrails.ts';
import { pairedOf, type Scene } from './silence.ts';

type Disrupted = NonNullable<Guardrails['disrupted']>;
type After = {
  readonly disrupted?: Disrupted;
  readonly ended?: true;
  readonly events: readonly Concluded[];
  readonly because: readonly string[];
};

/**
 * Rules 6 and 7: whether the zone is disrupted from now on. The disruption ends below ten per cent for two leases, or
 * after 15 minutes.
 */
export function disruptionAfter(was: Disrupted | undefined, scene: Scene): After {
  if (isOutage(scene)) return was?.rule === 7 ? on({ ...was, ...togetherOf(was, scene) }) : begun(was, scene, 7);
  if (was?.rule === 7) return on(aftermath(was, scene));
  if (!was) return isPart(scene.fresh, scene) ? begun(undefined, scene, 6) : { events: [], because: [] };
  return lasting(was, scene);
}

/** Rule 7: a zone whose nodes are all silent, or of three or more nodes at least 55 %. */
export const isOutage = ({ nodes, silent }: Scene): boolean =>
  isDark({ nodes, silent }) || (nodes.length >= limits.outageNodes && silent.length >= limits.outageShare * nodes.length);

/** No node is heard, and no node could take the clients either. */
export const isDark = ({ nodes, silent }: Pick<Scene, 'nodes' | 'silent'>): boolean => nodes.length > 0 && silent.length === nodes.length;

/** Rule 6: at least 15 %, and at least three. */
const isPart = (silent: Scene['silent'], { nodes }: Scene): boolean =>
  silent.length >= limits.partNodes && silent.length >= limits.partShare * nodes.length;

const on = (disrupted: Disrupted): After => ({ disrupted, events: [], because: [] });

function begun(was: Disrupted | undefined, scene: Scene, rule: 6 | 7): After {
  const { zone, now } = scene;
  const [silent, nodes] = [scene.silent.length, scene.nodes.length];
  const until = was?.until ?? plusMs(now, limits.heldMaxMs);
  const disrupted: Disrupted = { rule, since: was?.since ?? now, until, silent, nodes, ...togetherOf(was, scene) };
  return {
    disrupted,
    events: [{ type: 'zone.disrupted', version: 1, data: { zone, rule, silent, nodes, ...(rule === 6 && { until }) } }],
    because: [`the zone is disrupted: ${silent} of ${nodes} nodes are silent (rule ${rule})`],
  };
}

/**
 * Most of the zone was silent, and is heard again. Its nodes come back one after the other, and the last of them must
 * not be given up because they are few by now. Rule 6 begins anew, or they have one lease where they are too few for
 * it.
 */
function aftermath(was: Disrupted, scene: Scene): Disrupted {
  const { now, silent, nodes, leaseMs } = scene;
  const { calmSince: _before, ...rest } = was;
  const until = plusMs(now, isPart(silent, scene) ? limits.heldMaxMs : leaseMs);
  return { ...rest, rule: 6, until, silent: Math.max(1, silent.length), nodes: Math.max(1, nodes.length), ...togetherOf(was, scene) };
}

function lasting(was: Disrupted, scene: Scene): After {
  const { now, leaseMs, fresh, nodes } = scene;
  if (now >= was.until) return ended(scene, 'time');
  const { calmSince, ...rest } = { ...was, ...togetherOf(was, scene) };
  if (fresh.length >= limits.calmShare * nodes.length && fresh.length > 0) return on(rest);
  const since: EpochMs = calmSince ?? now;
  return now - since >= limits.calmLeases * leaseMs ? ended(scene, 'heard') : on({ ...rest, calmSince: since });
}

function ended({ zone, silent, nodes }: Scene, by: 'time' | 'heard'): After {
  const because = by === 'time' ? 'the longest time for a disruption has passed' : 'few nodes were silent for two leases';
  return {
    ended: true,
    events: [{ type: 'zone.calm', version: 1, data: { zone, by, silent: silent.length, nodes: nodes.length } }],
    because: [`the zone is calm: ${because}`],
  };
}

/** When the nodes that fell silent together were last heard, first and last, including those that are back. */
function togetherOf(was: { readonly together?: Together | undefined } | undefined, { fresh, leaseMs }: Scene): { together?: Together } {
  const heard = pairedOf(fresh, leaseMs).map(({ heardAt }) => heardAt);
  if (was?.together) heard.push(was.together.from, was.together.to);
  if (heard.length === 0) return {};
  return { together: { from: Math.min(...heard) as EpochMs, to: Math.max(...heard) as EpochMs } };
}
