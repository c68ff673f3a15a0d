import { statSync } from 'node:fs';
import * as z from 'zod';
import { jsonIn } from '../../lib/core/json.ts';
import { secondMs } from '../../lib/core/time.ts';
import { Unusable } from '../../lib/machine/command-line.ts';
import { readGivenFile } from '../../lib/machine/own.ts';
import { callOnward } from '../../lib/uyuni/gateway/call.ts';
import type { GatewayNode } from '../../lib/uyuni/gateway/directory.ts';
import type { Typed } from '../../lib/uyuni/gateway/typed.ts';
import { collectAnswers } from '../../lib/uyuni/merge/collect.ts';
import type { Value } from '../../lib/uyuni/xml-rpc/value.ts';
import { type Clock, NodeDeadline } from './deadline.ts';
import type { CallNode } from './node-calls.ts';
import { isSessionKey } from './sessions.ts';

/** The account by which the gateway itself reads the numbers of systems on each node. */
export type Account = { readonly login: string; readonly password: string };

const AccountFile = z.object({ login: z.string().min(1), password: z.string().min(1) });

/** The account in a JSON file. Throws {@link Unusable}, which never quotes the file, and where others may read it. */
export function accountIn(file: string): Account {
  const text = readGivenFile(file);
  if ((statSync(file).mode & 0o077) !== 0) throw new Unusable(`other users may read ${file}: run chmod 600 ${file}`);
  const read = AccountFile.safeParse(jsonIn(text));
  if (!read.success) throw new Unusable(`${file} is not a JSON object with login and password`);
  return read.data;
}

/** The numbers of systems on a node, by their minion ids. */
export type Numbers = ReadonlyMap<string, number>;

/** How long a node may take: 15,000 systems take a second or two. */
const limitMs = 30 * secondMs;

/** What reading numbers takes; `say` gets a line about a node that does not give them. */
export type Reading = { readonly account: Account; readonly call: CallNode; readonly clock: Clock; say(line: string): void };

/** Reads the numbers of systems on nodes, of all nodes at once. What a node does not give stays as it was before. */
export class NumbersOfNodes {
  readonly #reading: Reading;
  #known: ReadonlyMap<string, Numbers> = new Map();

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  async of(nodes: readonly GatewayNode[]): Promise<ReadonlyMap<string, Numbers>> {
    const read = await Promise.all(nodes.map(async (node) => [node.name, node.isUp ? await this.#read(node) : undefined] as const));
    const known = read.map(([name, numbers]) => [name, numbers ?? this.#known.get(name)] as const);
    this.#known = new Map(known.filter((one): one is readonly [string, Numbers] => one[1] !== undefined));
    return this.#known;
  }

  async #read(node: GatewayNode): Promise<Numbers | undefined> {
    const { account, say } = this.#reading;
    const text = (value: string): Typed => ({ type: 'string', text: value });
    const key = await this.#asked(node, 'auth.login', [text(account.login), text(account.password)]);
    if (typeof key !== 'string' || !isSessionKey(key)) return undefined;
    const map = await this.#asked(node, 'system.getMinionIdMap', [text(key)]);
    await this.#asked(node, 'auth.logout', [text(key)]);
    const numbers = z.record(z.string(), z.int().positive()).safeParse(map);
    if (numbers.success) return new Map(Object.entries(numbers.data));
    if (map !== undefined) say(`${node.name} gives no numbers of systems by their minion ids`);
    return undefined;
  }

  async #asked(node: GatewayNode, method: string, params: readonly Typed[]): Promise<Value | undefined> {
    const { call, clock, say } = this.#reading;
    const deadline = new NodeDeadline(clock, limitMs);
    const document = callOnward(method, params);
    const open = (signal: AbortSignal) => call(node, { document, reads: true }, signal);
    const { answers, ends } = await collectAnswers([{ node: node.name, open, deadline }]);
    deadline.end();
    const [end] = ends;
    if (end && !end.ok) say(`the numbers of systems of ${node.name} are as they were before: ${method}: ${end.fault?.text ?? end.text}`);
    return answers[0]?.value;
  }
}
