import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stepped, type World } from '../../../../tools/support/stepped.ts';
import { aStorageZone } from '../../../support/a-storage-zone.ts';
import { served } from '../../../support/served.ts';
import { ran } from './a-terminal.ts';

let world: World;
let server: Awaited<ReturnType<typeof served>>;
let files: Record<string, string>;
beforeEach(async () => {
  world = await stepped();
  await aStorageZone(world);
  server = await served(world);
  files = {};
});
afterEach(() => server.stop());

const cli = (line: string) => ran(line, { env: { MUSTER_ENDPOINT: server.url }, now: () => world.now(), read: (file) => files[file] });
const put = (text: string) => {
  files['types.yaml'] = text;
  return cli('service type put -f types.yaml');
};
const greeter = `
name: greeter
start: [sh, /usr/local/lib/greeter.sh]
schema:
  configuration: {type: object, required: [greeting], properties: {greeting: {type: string}}}
configuration: {greeting: Hello}
messages:
  - {name: greet, command: [greet]}
`;

describe('service type', () => {
  it('put takes the example of its own help, and what show prints', async () => {
    const { out: help } = await cli('service type put --help');
    const example = /greeter.yaml:\n\n([\s\S]*?)\n\nand/.exec(help)![1]!.replace(/^ {2}/gm, '');

    expect(await put(example)).toEqual({ code: 0, out: 'type greeter put\n', err: '' });
    const { out: shown } = await cli('service type show greeter');
    expect(await put(shown)).toEqual({ code: 0, out: 'type greeter is unchanged\n', err: '' });
    expect(shown).toContain('start: [sh, /usr/local/lib/greeter.sh]\n');
  });

  it('list shows those of Muster and those that were put; what is deleted is gone', async () => {
    await put(greeter);
    const { out } = await cli('service type list');

    expect(out.split('\n').map((line) => line.trimEnd())).toContain(
      'greeter               greeter               greeter       sh /usr/local/lib/greeter.sh  execute  greet     put',
    );
    expect(out.split('\n')).toHaveLength(14);
    expect(await cli('service type delete greeter')).toEqual({ code: 0, out: 'type greeter deleted\n', err: '' });
    expect(await cli('service type delete greeter')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no operator has put a type greeter'),
    });
    expect((await cli('service type show greeter')).code).toBe(1);
  });

  it('several types of a file may share a schema', async () => {
    const both = [
      { name: 'one', start: ['one'] },
      { name: 'two', serviceName: 'one', schema: 'one', start: ['two'] },
    ];
    expect((await put(JSON.stringify(both))).out).toBe('type one put\ntype two put\n');
    const { out } = await cli('service type show two --json');
    expect(JSON.parse(out)).toMatchObject({ serviceName: 'one', schema: { name: 'one', sharedWith: ['one'] } });
  });

  it('is told every fault with its place, and one of Muster is refused', async () => {
    const faulty = greeter
      .replace('{greeting: Hello}', '{greeting: 7}')
      .replace('command: [greet]', 'data: {type: strin}, command: [greet]');
    const { code, err } = await put(faulty);
    expect(code).toBe(2);
    expect(err).toContain('/configuration/greeting: Instance type "number" is invalid. Expected "string".');
    expect(err).toContain('/messages/0/data/type: ');
    expect(await put('name: m0d\nstart: [x]\n')).toMatchObject({ err: expect.stringContaining('the type m0d comes with Muster') });
    expect(await put('start: [x]\n')).toMatchObject({ code: 2, err: expect.stringContaining('a type in the file has no name') });
    expect((await put('name: [\n')).code).toBe(1);
  });
});
