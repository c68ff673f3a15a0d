import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { Circuits } from '../../../lib/uyuni/gateway/circuits.ts';
import { responseText } from '../../../lib/uyuni/xml-rpc/write.ts';
import { Round } from '../../../programs/gateway/asking.ts';
import { namedAnswer } from '../../../programs/gateway/hub/named-answer.ts';
import { xmlRpcOutgoing } from '../../../programs/gateway/node-calls.ts';
import { sessionsInMemory } from '../../../programs/gateway/sessions.ts';

const names = ['a.acme.test', 'b.acme.test', 'c.acme.test'];

it('an answer of several servers that is abandoned lets go of all, also of those that have begun and whose turn has not come', async () => {
  const clock = { now: () => 0 as never, after: () => () => undefined };
  const left: string[] = [];
  // More than is read ahead of a server, so that each has a part ready, and nobody waits for its next one.
  const text = responseText(Array.from({ length: 4_000 }, (_, n) => `${n} `.padEnd(1_000, '.')));
  const round = new Round(
    {
      call: async ({ name }, _outgoing, signal) => {
        const given = Promise.withResolvers<void>();
        signal.addEventListener('abort', () => [left.push(name), given.resolve()]);
        return (async function* () {
          yield Buffer.from(text.slice(0, text.length - 100));
          await given.promise;
        })();
      },
      ...{ circuits: new Circuits(clock.now), sessions: sessionsInMemory(clock.now, randomBytes), clock, deadlineMs: 1_000 },
    },
    { outgoing: xmlRpcOutgoing('system.listSystems', true), session: undefined, deadlineMs: 1_000, signal: new AbortController().signal },
  );
  const nodes = names.map((name) => ({ name, url: '', isUp: true, isInSync: true }));
  const { body, ends } = namedAnswer(
    nodes.map((node, id) => ({ id, answer: round.from(node, [], undefined, true) })),
    { round, reads: true, options: {} },
  );
  const parts = body[Symbol.asyncIterator]();
  await parts.next();
  await new Promise(setImmediate);
  await parts.return!();
  await new Promise(setImmediate);
  expect(left).toEqual(names);
  expect((await ends).map(({ node, ok }) => [node, ok])).toEqual(names.map((name) => [name, false]));
});
