import { describe, expect, it } from 'vitest';
import { eventBus, heardIn } from '../../../../../programs/agent/salt/events.ts';
import { eventually } from '../../../../../tools/support/host.ts';
import { aSteppedWorld } from '../../../../support/stepped-world.ts';

describe('a line of the event bus', () => {
  it.each([
    ['salt/job/20261121233721000000/ret/web1.acme.test\t{"id": "web1.acme.test"}', ['web1.acme.test']],
    ['salt/minion/web1/start\t{}', ['web1']],
    ['salt/beacon/web1/load/\t{}', ['web1']],
    ['salt/presence/present\t{"present": ["web1", "web2"]}', ['web1', 'web2']],
    ['salt/presence/present\t{"present": 7}', []],
    ['salt/presence/present\tno json', []],
    ['salt/job/20261121233721000000/new\t{"minions": ["web1"]}', []],
    ['salt/auth\t{"id": "web1", "act": "pend"}', []],
    ['', []],
  ])('%j is a sign of %j', (line, heard) => {
    expect(heardIn(line)).toEqual(heard);
  });
});

describe('the event bus', () => {
  it('is read from a command, which is run again when it ends', async () => {
    const [heard, said, world]: [string[], string[], ReturnType<typeof aSteppedWorld>] = [[], [], aSteppedWorld()];
    const bus = eventBus(
      `printf 'salt/minion/web1/start\\t{}\\n'`,
      (id) => void heard.push(id),
      (line) => void said.push(line),
      world,
    );

    await eventually('the command ends', async () => said.length === 1 && heard.length === 1, 5_000);
    expect(said).toEqual(['the command of the event bus ended (exit code 0); running it again']);
    world.step(10_000);
    await eventually('it is run again', async () => heard.length === 2, 5_000);
    bus.stop();
  });
});
