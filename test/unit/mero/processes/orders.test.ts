import { describe, expect, it } from 'vitest';
import type { MeroNode } from '../../../../lib/mero/nodes/mero-node.ts';
import {
  type Ground,
  orderNodeRemove,
  orderNodeStart,
  orderNodeStop,
  orderRemove,
  orderStart,
  orderStop,
} from '../../../../lib/mero/processes/orders.ts';
import type { MeroProcess } from '../../../../lib/mero/processes/process.ts';
import { at } from '../../../../tools/support/builders.ts';
import { aCluster, aMeroNode, aProcess } from './some.ts';

const ground = (more: Partial<Ground> = {}): Ground => ({ cluster: aCluster(), meroNode: {}, node: { status: 'up' }, ...more });
const refuses = (because: string) => ({ does: 'refuse', because });
const failed = { is: 'failed', reason: 'it fell over' } as const;

describe('process start', () => {
  it('wants it once more, and forgets that it was stopped and how often it failed', () => {
    const process = aProcess('storage', failed, { start: 5, stopped: true, attempts: 5, retryAt: at(5) });

    const decision = orderStart(process, ground());

    const { stopped: _stopped, attempts: _attempts, retryAt: _retryAt, ...rest } = process;
    expect(decision).toMatchObject({ does: 'write', next: { ...rest, start: 6 } });
    expect(Object.keys((decision as { next: MeroProcess }).next)).not.toContain('stopped');
  });

  it('changes nothing of one that runs', () => {
    expect(orderStart(aProcess('storage', { is: 'online' }), ground())).toMatchObject({ does: 'nothing' });
    expect(orderStart(aProcess('storage', { is: 'online' }, { stopped: true }), ground())).toMatchObject({ does: 'write' });
  });

  it('starts an unmanaged one once, as whoever asks', () => {
    expect(orderStart(aProcess('clovis-app'), ground())).toMatchObject({ does: 'write', next: { start: 1 } });
  });

  it('is refused in the words of the original', () => {
    const storage = aProcess('storage');

    expect(orderStart(storage, ground({ cluster: aCluster({ disposition: 'OFFLINE' }) }))).toEqual(
      refuses('Cluster disposition is offline'),
    );
    expect(orderStart(storage, ground({ cluster: aCluster({ level: 0 }) }))).toEqual(
      refuses(`Can't start ${storage.fid} on cluster boot level 0`),
    );
    expect(orderStart(aProcess('clovis-app'), ground({ cluster: aCluster({ level: 2 }) }))).toMatchObject({ does: 'refuse' });
    expect(orderStart(aProcess('ha'), ground())).toEqual(refuses('Halon process should be started in halon:m0d.'));
    expect(orderStart(storage, ground({ node: undefined }))).toEqual(refuses("Can't find node hosting the process"));
    expect(orderStart(storage, ground({ node: { status: 'down' } }))).toEqual(
      refuses('Node hosting the process is not online: ssu1.acme.org is down'),
    );
    expect(orderStart(storage, ground({ meroNode: { stopped: true } }))).toMatchObject({ does: 'refuse' });
    expect(orderStart(aProcess('storage', failed, { removing: true }), ground())).toMatchObject({ does: 'refuse' });
  });
});

describe('process stop', () => {
  it('keeps it stopped, once', () => {
    const process = aProcess('storage', { is: 'online' });

    expect(orderStop(process, ground(), undefined)).toMatchObject({ does: 'write', next: { stopped: true } });
    expect(orderStop({ ...process, stopped: true }, ground(), undefined)).toMatchObject({ does: 'nothing' });
  });

  it('is refused of one that is unmanaged, of Halon’s own, and where the cluster would lose what it lives by (reference 39)', () => {
    const app = aProcess('clovis-app', { is: 'online' });

    expect(orderStop(app, ground(), undefined)).toEqual(refuses(`${app.fid} is unmanaged: Muster cannot stop it, only its owner can`));
    expect(orderStop(aProcess('ha'), ground(), undefined)).toMatchObject({ does: 'refuse' });
    expect(orderStop(aProcess('confd', { is: 'online' }), ground(), 'Quorum would be lost.')).toEqual(
      refuses('Process stop would lower cluster liveness: Quorum would be lost.'),
    );
  });
});

describe('process remove', () => {
  it('takes one that has ended at once, and stops first what Muster runs', () => {
    expect(orderRemove(aProcess('storage', failed), at(600), undefined)).toEqual({ does: 'now' });
    expect(orderRemove(aProcess('clovis-app'), at(600), undefined)).toEqual({ does: 'now' });
    expect(orderRemove(aProcess('storage', { is: 'online' }), at(600), undefined)).toMatchObject({
      does: 'write',
      next: { removing: true, removeBy: at(600) },
    });
  });

  it('is refused of an unmanaged one that is neither offline nor failed (reference 33)', () => {
    for (const is of ['unknown', 'starting', 'online', 'quiescing', 'stopping'] as const) {
      const app = aProcess('clovis-app', { is });
      expect(orderRemove(app, at(600), undefined)).toEqual(
        refuses(`${app.fid} is unmanaged and ${is}: remove it once it is offline or failed`),
      );
    }
  });

  it('is refused where the cluster would lose what it lives by, and of Halon’s own', () => {
    expect(orderRemove(aProcess('confd', { is: 'online' }), at(600), 'Quorum would be lost.')).toMatchObject({ does: 'refuse' });
    expect(orderRemove(aProcess('ha'), at(600), undefined)).toMatchObject({ does: 'refuse' });
  });
});

describe('mero node stop, start and remove', () => {
  const process = aProcess('storage', { is: 'online' });
  const node = aMeroNode([process]);

  it('stop keeps its processes down until start; each is said once', () => {
    const stopped: MeroNode = { ...node, stopped: true };

    expect(orderNodeStop(node, undefined)).toMatchObject({ does: 'write', next: stopped });
    expect(orderNodeStop(stopped, undefined)).toMatchObject({ does: 'nothing' });
    expect(orderNodeStart(stopped)).toMatchObject({ does: 'write', next: node });
    expect(orderNodeStart(node)).toMatchObject({ does: 'nothing' });
    expect(orderNodeStop(node, 'Quorum would be lost.')).toEqual(refuses("Can't stop node because it leads to: Quorum would be lost."));
  });

  it('remove names every process that is in the way, and changes nothing then (reference 35)', () => {
    const app = aProcess('clovis-app', { is: 'online' });
    const asked = { host: true, by: at(600), lost: undefined };

    expect(orderNodeRemove(node, [process, app, { ...app, fid: process.fid }], asked)).toEqual(
      refuses(`ssu1.acme.org has unmanaged processes that are neither offline nor failed: ${app.fid} (online), ${process.fid} (online)`),
    );
    expect(orderNodeRemove(node, [process], asked)).toMatchObject({
      does: 'write',
      next: { stopped: true, removing: { host: true, by: at(600) } },
    });
  });

  it('remove of the Mero node becomes that of the host when that is asked for later, and not the other way round', () => {
    const removing: MeroNode = { ...node, stopped: true, removing: { host: false, by: at(600) } };

    expect(orderNodeRemove(removing, [process], { host: true, by: at(900), lost: undefined })).toMatchObject({
      next: { removing: { host: true, by: at(600) } },
    });
    expect(
      orderNodeRemove({ ...removing, removing: { host: true, by: at(600) } }, [process], { host: false, by: at(900), lost: undefined }),
    ).toMatchObject({ does: 'nothing' });
    expect(orderNodeStart(removing)).toMatchObject({ does: 'refuse' });
  });
});
