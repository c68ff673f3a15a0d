import * as z from 'zod';
import written from './methods.json' with { type: 'json' };

/**
 * How a cluster of servers carries out a method: answered by the gateway (GW), read on all nodes and merged (FM), read
 * on any (CR), written where common content is edited (CW), sent to the node of a system (R1, M1, RC), or split by
 * systems (RN); between systems (XS), by an action (A1, AN) or an action chain (AC), placed anew (PL), by a number that
 * is a node's own (NL), by a name (NR), or written on every node (FW).
 */
export const RoutingClass = z.enum(['GW', 'FM', 'CR', 'CW', 'R1', 'RN', 'XS', 'A1', 'AN', 'M1', 'PL', 'NL', 'NR', 'RC', 'AC', 'FW']);
export type RoutingClass = z.infer<typeof RoutingClass>;

const Auth = z.enum(['session', 'clientcert', 'none']);

/**
 * One form of a method, as its documentation has it. `reads`: it changes nothing, and is a GET in the JSON interface.
 * With `auth` `session` the session key comes before these parameters in XML-RPC; `jsonNames` are theirs in JSON, in
 * the same order.
 */
export type Signature = {
  readonly routing: RoutingClass;
  readonly reads: boolean;
  readonly auth: z.infer<typeof Auth>;
  readonly params: readonly { readonly name: string; readonly type: string }[];
  readonly jsonNames: readonly string[];
};

/** Before the names of parameters in JSON, where they differ. */
const asJson = 'as JSON: ';

/**
 * The forms of each method of a Uyuni server (version 29 of its interface) by its full name, such as
 * `channel.software.create`. The namespaces `taskomatic` and `taskomatic.org` are not documented, and not among them.
 */
export const methods: ReadonlyMap<string, readonly Signature[]> = new Map(
  Object.entries(written).map(([name, forms]) => [name, forms.map(signatureOf)]),
);

/** The form that is written as `CW write session; label: string; …`. */
function signatureOf(form: string): Signature {
  const [head = '', ...rest] = form.split('; ');
  const [routing, kind, auth] = head.split(' ');
  const params = rest.filter((part) => !part.startsWith(asJson)).map(paramOf);
  const named = rest
    .find((part) => part.startsWith(asJson))
    ?.slice(asJson.length)
    .split(', ');
  return {
    routing: RoutingClass.parse(routing),
    reads: kind === 'read',
    auth: Auth.parse(auth),
    params,
    jsonNames: jsonNamesOf(
      params.map(({ name }) => name),
      named,
    ),
  };
}

/** The documentation lists names in JSON in any order, and the session among them, which comes in a cookie. */
function jsonNamesOf(names: readonly string[], written: readonly string[] | undefined): readonly string[] {
  if (!written) return names;
  const others = written.filter((name) => name !== 'sessionKey' && !names.includes(name));
  return names.map((name) => (written.includes(name) ? name : (others.shift() ?? name)));
}

function paramOf(part: string): { readonly name: string; readonly type: string } {
  const at = part.indexOf(': ');
  return { name: part.slice(0, at), type: part.slice(at + 2) };
}
