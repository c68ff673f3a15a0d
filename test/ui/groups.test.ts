import { describe, expect, it } from 'vitest';
import { grouped } from '../../ui/overview/groups.ts';
import { told } from './events.ts';

const client = (at: number, n: number, because: string) =>
  told(at, 'client.assigned', { subject: `client/${n}`, because, data: { fqdn: `web${n}.acme.org`, zone: 'emea' } });

describe('the feed', () => {
  it('has one line for what happened for one reason, with its number and first names, the newest first', () => {
    const events = [told(1, 'node.lost'), ...Array.from({ length: 50 }, (_, n) => client(2 + n / 10, n, 'because node1 is lost'))];
    const [moved, lost] = grouped(events, 60);
    expect(moved).toMatchObject({ type: 'client.assigned', n: 50, names: ['web49', 'web48', 'web47'], isBad: false });
    expect(lost).toMatchObject({ type: 'node.lost', n: 1, isBad: true });
  });

  it('takes reasons that differ by an id or a number alone for the same', () => {
    expect(grouped([client(1, 1, 'heartbeat 31 renewed it'), client(2, 2, 'heartbeat 32 renewed it')], 60)).toHaveLength(1);
    expect(grouped([client(1, 1, 'its node is lost'), client(2, 2, 'its node drains')], 60)).toHaveLength(2);
  });

  it('keeps apart what is more than 15 s apart, and has no more lines than it is asked for', () => {
    expect(grouped([client(1, 1, 'x'), client(40, 2, 'x')], 60)).toHaveLength(2);
    expect(grouped([client(1, 1, 'x'), client(40, 2, 'x'), client(80, 3, 'x')], 2).map(({ names }) => names)).toEqual([['web3'], ['web2']]);
  });

  it('names what has changed on a server, and not the node a second time as who has reported it', () => {
    const about = { node: 'n1', fqdn: 'node1.acme.org', zone: 'emea' };
    const changed = (type: string, data: object) => told(1, type, { subject: 'changes/n1', who: 'node:n1', data: { ...about, ...data } });
    const lineOf = (type: string, data: object) => grouped([changed(type, data)], 60).map(({ names, who }) => [...names, who]);
    const systems = [{ number: 1, name: 'web1.acme.org' }, { number: 2, name: 'web2.acme.org' }, { number: 3 }];
    expect(lineOf('system.changed', { systems })).toEqual([['web1 and 2 more on node1', undefined]]);
    expect(lineOf('content.changed', { kind: 'channel', things: [{ number: 7, name: 'leap-15.6' }] })).toEqual([
      ['leap-15.6 on node1', undefined],
    ]);
    expect(lineOf('content.changed', { kind: 'user', things: [{ number: 7 }] })).toEqual([['7 on node1', undefined]]);
    expect(lineOf('system.changed', { why: 'a restore' })).toEqual([['node1', undefined]]);
    expect(grouped([told(1, 'node.dropped', { who: 'admin:ada' })], 60)).toMatchObject([{ who: 'admin:ada' }]);
  });

  it('counts every event of the newest lines, mixed as they come', () => {
    const events = Array.from({ length: 40 }, (_, n) =>
      n % 2 ? client(n / 10, n, 'x') : told(n / 10, 'zone.rebalanced', { subject: 'zone/emea' }),
    );
    expect(grouped(events, 60).map(({ n }) => n)).toEqual([20, 20]);
  });
});
