import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';
import { served } from '../../../support/served.ts';
import { ran } from './a-terminal.ts';

const node = 'node1.acme.org';
let world: World;
let server: Awaited<ReturnType<typeof served>>;
beforeAll(async () => {
  world = await stepped();
  await new Agent(world, node).start();
  await world.call('PUT', '/api/v1/zones/default/service-types/greeter', {
    start: ['greet'],
    messages: [{ name: 'greet', command: ['greet'] }],
  });
  server = await served(world);
});
afterAll(() => server.stop());

/** A word of a command line: what is known, what looks like an option, and what no keyboard has. */
const word = fc
  .oneof(
    { weight: 3, arbitrary: fc.constantFrom('greeter', 'greet', node, 'process', 'supervisor', 'start', 'check', 'send', 'ts1.acme.org') },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        '-n',
        '-c',
        '-d',
        '-f',
        '--file',
        '--zone',
        '--update',
        '--none',
        '--self',
        '--hosts-from',
        '--limit',
        '--state',
      ),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom('', '-', '--', '../..', '{}', '{"a":', '[]', 'null', '0', '-1', '1e99', '\u001b[2J', '\u0000', 'é', '😀'),
    },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  )
  .map((text) => text.replaceAll(/\s/g, '_'));
const command = fc.constantFrom(
  ...['start', 'stop', 'reconfigure', 'status', 'check', 'send'].flatMap((order) =>
    [`greeter ${order}`, `greeter ${order} -n ${node}`].map((one) => `halon service ${one}`),
  ),
  'halon service',
  'halon station',
  ...['list', 'find', 'show', 'show greeter', 'type list', 'type show', 'type put', 'type put -f', 'type delete'].map(
    (verb) => `service ${verb}`,
  ),
  'explain service',
  'history service',
  'history stations',
  'explain site-orders',
);
const file = fc.option(
  fc.oneof(
    fc.constantFrom(
      '',
      '\u0000',
      '[',
      '{}',
      '[]',
      'null',
      '7',
      'a: &a [*a]',
      '<<: 1',
      'name: x',
      'name: x\nstart: []',
      'name: ../x\nstart: [sh]',
      '- name: x\n  start: [a]\n- name: x\n  start: [a]',
      'ts1.acme.org\n',
    ),
    fc.json(),
    fc.string({ unit: 'binary', maxLength: 200 }),
  ),
  { nil: undefined },
);
/** What a command may end with: what the exit codes are, or a service's own of those that OCF has. */
const codes = [0, 1, 2, 7, 69, 75, 77];
// A line that is refused says why, in words, in characters that a terminal only shows.
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be there
const plain = /^[^\u0000-\u0008\u000b-\u001f\u007f\ud800-\udfff]*$/u;

describe('commands of services and stations', () => {
  it('understand any words, or say in plain ones why not; nothing that nobody expected happens', async () => {
    await fc.assert(
      fc.asyncProperty(command, fc.array(word, { maxLength: 6 }), file, async (line, words, text) => {
        const { code, err } = await ran([line, ...words].join(' '), {
          env: { MUSTER_ENDPOINT: server.url },
          now: world.now,
          read: () => text,
          sleep: (ms) => world.step(ms),
        });
        expect(codes).toContain(code);
        expect(err).toMatch(plain);
        if (code !== 0) expect(err).not.toBe('');
        expect(err).not.toMatch(/\bat .*\.ts:\d+|\[object /);
      }),
      { numRuns: 400 },
    );
  });
});
