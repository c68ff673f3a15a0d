import type { NodeReport } from '../../events/reported/node.ts';
import { type Decision, nothing, type Tick } from '../core/decision.ts';
import { type EpochMs, unreachable } from '../core/time.ts';
import type { NodeCommand } from './command.ts';
import { awaitsUp, type Node } from './node.ts';
import { onCommand } from './on-command.ts';
import { onHeartbeat } from './on-heartbeat.ts';
import { onTick } from './on-tick.ts';
import { onUp, type Surroundings } from './on-up.ts';
import { onLeaving, onReady, onReleased } from './on-word.ts';
import { speaksOfLife, vouchedDecision, whyNotItsVoice } from './vouched.ts';

/** Decides what a report, an administrator's command or the passing of time means for one node. */
export function decide(
  node: Node | undefined,
  input: NodeReport | NodeCommand | Tick,
  now: EpochMs,
  surroundings: Surroundings = {},
): Decision<Node> {
  switch (input.type) {
    case 'join':
    case 'leave':
    case 'stay':
    case 'miss':
    case 'drop':
    case 'remove':
    case 'take-back':
    case 'replace':
    case 'take-over':
    case 'name-key':
    case 'take-key':
    case 'pace':
    case 'edit':
      return onCommand(node, input, now);
    case 'tick':
      return node ? onTick(node, input, now) : nothing('there is no such node');
    default:
      return node ? onReport(node, input, now, surroundings) : nothing('a report from a node that never joined');
  }
}

function onReport(node: Node, report: NodeReport, now: EpochMs, surroundings: Surroundings): Decision<Node> {
  const silenced = whyNotItsVoice(node, report);
  if (silenced !== undefined) return nothing(silenced);
  return vouchedDecision(node, report, onAcceptedReport(node, report, now, surroundings), surroundings.isQuorate);
}

function onAcceptedReport(node: Node, report: NodeReport, now: EpochMs, surroundings: Surroundings): Decision<Node> {
  // Reports from before its replacement may arrive late: the node is out all the same.
  if (node.replacedBy) return nothing(`a report from a node that node ${node.replacedBy.node} replaces`);
  if (report.type === 'node.up') return onUp(node, report, now, surroundings);
  if (report.incarnation !== undefined && report.incarnation !== node.incarnation)
    return nothing(`a report of incarnation ${report.incarnation}; the node is at ${node.incarnation}`);
  if (awaitsUp(node) && speaksOfLife(report)) return nothing('the source of its liveness changed: a node-up must come first');
  switch (report.type) {
    case 'node.heartbeat':
      return onHeartbeat(node, report, now);
    case 'node.ready':
      return onReady(node, report, now);
    case 'node.leaving':
      return onLeaving(node, { ...report.data, report }, now);
    case 'node.released':
      return onReleased(node, report, now);
    case 'node.table':
      return nothing("its process table is decided apart from the node's row");
    default:
      return unreachable(report);
  }
}
