import * as z from 'zod';
import type { AdminCall } from '../../access/verify-admin.ts';
import { Refusal } from '../../api/problem.ts';
import { HoldingRule } from '../../nodes/admin-routes.ts';
import { dropNode, editNode, leaveNode } from '../../nodes/handlers/admin.ts';
import { replaceNode } from '../../nodes/handlers/replace.ts';
import type { Node } from '../../nodes/node.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { guardsOfDrop } from '../../zones/guardrails/drop-view.ts';
import { editZone } from '../../zones/handlers/zones.ts';
import { foundNodeIn, foundZone } from '../../zones/reads/found.ts';
import { overrules } from './guards.ts';
import { type Lost, lostNodes } from './lost-nodes.ts';
import type { Guard } from './routes.ts';

/**
 * An order that was given on the copy, or a loss: in words; the nodes that it is about, undefined for all of the zone;
 * the hosts that go; the nodes that fall silent; the rules that would hold it; and the reasons of its acceptance.
 */
export type Given = {
  readonly what: string;
  readonly about: readonly Node[] | undefined;
  readonly hosts: ReadonlySet<string>;
  readonly silent: ReadonlySet<string>;
  readonly guards: readonly Guard[];
  readonly because: readonly string[];
};

type Call = AdminCall<'previewZone'>;

/**
 * Gives the order of a call on a copy, by the handler that takes the same order in earnest. Throws the {@link Refusal}
 * of that handler.
 */
export async function give(call: Call, copy: Shell): Promise<Given> {
  const { drop, drain, lose, replace, weight } = call.query;
  if (drop !== undefined) return dropped(call, copy, await inZone(call, copy, drop));
  if (drain !== undefined) return drained(call, copy, await inZone(call, copy, drain));
  if (lose !== undefined) return lost(await lostNodes(call, copy, lose));
  if (replace !== undefined) return replaced(call, copy, await inZone(call, copy, replace));
  if (weight !== undefined) return weighed(call, copy, weight);
  return set(call, copy);
}

const inZone = ({ params, caller }: Call, copy: Shell, name: string): Promise<Node> => foundNodeIn(copy, params.zone, name, caller);

const nobody: ReadonlySet<string> = new Set();
/** The reason that an order was answered with. */
const Reasoned = z.object({ because: z.string() });
function becauseOf({ body }: Answer): string[] {
  const read = Reasoned.safeParse(body);
  return read.success ? [read.data.because] : [];
}

async function dropped(call: Call, copy: Shell, node: Node): Promise<Given> {
  const { head } = await foundZone(copy, call.params.zone, call.caller);
  const { holds, stands } = guardsOfDrop(head, node);
  const overrule = holds.flatMap(({ rule }) => HoldingRule.safeParse(rule).data ?? []);
  const answer = await dropNode({ ...call, params: { id: node.id }, query: {}, body: { overrule: [...new Set(overrule)] } }, copy);
  return {
    what: `drop ${node.fqdn}`,
    about: [node],
    hosts: new Set([node.fqdn]),
    silent: nobody,
    guards: [
      ...holds.map((one) => ({ ...one, overruledBy: `muster node drop ${node.fqdn} --overrule ${one.rule}` })),
      ...stands.map((one) => overrules(head.name, one)),
    ],
    because: becauseOf(answer),
  };
}

async function drained(call: Call, copy: Shell, node: Node): Promise<Given> {
  const answer = await leaveNode({ ...call, params: { id: node.id }, query: {}, body: { mode: 'drain' } }, copy);
  return { what: `drain ${node.fqdn}`, about: [node], hosts: new Set([node.fqdn]), silent: nobody, guards: [], because: becauseOf(answer) };
}

const lost = ({ nodes, hosts }: Lost): Given => ({
  what: `lose ${[...hosts].join(', ')}`,
  about: nodes,
  hosts,
  silent: new Set(nodes.map(({ id }) => id)),
  guards: [],
  because: [],
});

/** A node that may serve is replaced only with force: the preview gives it, and says so. */
async function replaced(call: Call, copy: Shell, node: Node): Promise<Given> {
  const by = call.query.with ?? node.id;
  const order = (force: boolean) => replaceNode({ ...call, params: { id: node.id }, query: {}, body: { by, force } }, copy);
  const given = { what: `replace ${node.fqdn} with ${by}`, about: [node], hosts: new Set([node.fqdn]), silent: new Set([node.id]) };
  try {
    return { ...given, guards: [], because: becauseOf(await order(false)) };
  } catch (refusal) {
    if (!(refusal instanceof Refusal) || refusal.type !== 'refused') throw refusal;
    const because = becauseOf(await order(true));
    return { ...given, guards: [{ because: refusal.message, overruledBy: 'muster node replace --force' }], because };
  }
}

async function weighed(call: Call, copy: Shell, text: string): Promise<Given> {
  const at = text.indexOf(':');
  const weight = Number(text.slice(at + 1));
  if (!(weight >= 0.01 && weight <= 100))
    throw new Refusal('invalid', '/weight: a weight is from 0.01 to 100', { errors: [{ pointer: '/weight', detail: 'from 0.01 to 100' }] });
  const node = await inZone(call, copy, text.slice(0, at));
  await editNode({ ...call, params: { id: node.id }, query: {}, body: { weight } }, copy);
  return {
    what: `set the weight of ${node.fqdn} from ${node.weight} to ${weight}`,
    about: undefined,
    hosts: nobody,
    silent: nobody,
    guards: [],
    because: [],
  };
}

async function set(call: Call, copy: Shell): Promise<Given> {
  const { mode, remapAfterMs, meanwhile, freeze } = call.query;
  const body = {
    ...(mode && { mode }),
    ...(remapAfterMs !== undefined && { remapAfterMs: remapAfterMs === 'usual' ? null : remapAfterMs }),
    ...(meanwhile && { meanwhile }),
    ...(freeze !== undefined && { freeze: freeze === 'off' ? null : freeze }),
  };
  await editZone({ ...call, query: {}, body }, copy);
  const names = Object.entries(body).map(([name, value]) => `${name} ${value ?? 'usual'}`);
  return { what: `set ${names.join(', ')}`, about: undefined, hosts: nobody, silent: nobody, guards: [], because: [] };
}
