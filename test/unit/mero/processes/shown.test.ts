import { describe, expect, it } from 'vitest';
import type { Fid } from '../../../../lib/core/fid.ts';
import type { MeroProcess, ProcessDevices, ProcessState } from '../../../../lib/mero/processes/process.ts';
import { deviceCascade, displayedProcess, displayedState, serviceCascade } from '../../../../lib/mero/processes/rows/shown.ts';
import type { NodeStatus } from '../../../../lib/nodes/node.ts';
import { aNode, nodeId } from '../../../../tools/support/builders.ts';
import { aCluster, aMeroNode, aProcess, processTypes, serviceFid } from '../../../support/mero.ts';

const up = aNode();
const around = (status: NodeStatus = 'up') => ({ node: aNode({ status }), cluster: aCluster(), meroNode: aMeroNode() });
const states: readonly ProcessState[] = [
  { is: 'unknown' },
  { is: 'offline' },
  { is: 'starting' },
  { is: 'online' },
  { is: 'quiescing' },
  { is: 'stopping' },
  { is: 'failed', reason: 'exited' },
];

describe('a process whose node is down', () => {
  it.each(['down', 'dropped'] as const)('is inhibited and says what it did, unless nothing of it runs › %s', (status) => {
    const shown = states.map((state) => displayedState(aProcess({ state }), around(status)));
    expect(shown).toEqual([
      { is: 'inhibited', previous: 'unknown' },
      { is: 'offline' },
      { is: 'inhibited', previous: 'starting' },
      { is: 'inhibited', previous: 'online' },
      { is: 'inhibited', previous: 'quiescing' },
      { is: 'inhibited', previous: 'stopping' },
      { is: 'failed', reason: 'exited' },
    ]);
  });

  it('is inhibited too when the node is gone that spoke for it, and as it was loaded where none ever did', () => {
    const heard = { node: nodeId(1), incarnation: 1, seq: 4 };
    const online = aProcess({ state: { is: 'online' } });
    expect(displayedState({ ...online, heard }, { ...around(), node: undefined })).toEqual({ is: 'inhibited', previous: 'online' });
    expect(displayedState(online, { ...around(), node: undefined })).toEqual({ is: 'online' });
  });

  it('takes its services and their devices with it', () => {
    const { state, services } = displayedProcess(aProcess({ state: { is: 'online' } }), { ...around('down'), devices: oneDevice });
    expect(state.is).toBe('inhibited');
    expect(services.map((service) => [service.state, service.devices?.[0]?.state])).toEqual([['inhibited', 'inhibited']]);
  });
});

describe('a process whose node is there', () => {
  it.each(['joining', 'up', 'suspect', 'leaving', 'quarantined'] as const)('is shown as it is › %s', (status) => {
    expect(states.map((state) => displayedState(aProcess({ state }), around(status)))).toEqual(states);
  });

  it('is quiescing from when it is to stop until its agent says so', () => {
    const online = aProcess({ state: { is: 'online' } });
    expect(displayedState(online, { ...around(), cluster: aCluster({ level: 0 }) })).toEqual({ is: 'quiescing' });
    expect(displayedState({ ...online, stopped: true }, around())).toEqual({ is: 'quiescing' });
    expect(displayedState({ ...online, type: processTypes.app }, { ...around(), cluster: aCluster({ level: -1 }) })).toEqual({
      is: 'online',
    });
  });

  it('is what its node is when it stands for the agent', () => {
    const halon = aProcess({ type: processTypes.halon, state: { is: 'unknown' } });
    expect(displayedState(halon, around('suspect'))).toEqual({ is: 'online' });
    expect(displayedState(halon, around('down'))).toEqual({ is: 'inhibited', previous: 'online' });
    expect(displayedState(halon, { ...around(), node: undefined })).toEqual({ is: 'unknown' });
  });
});

const oneDevice: ProcessDevices = {
  services: [
    {
      service: serviceFid(1),
      devices: [{ fid: 'd' as Fid, wwn: 'w', serial: 's', path: '/dev/sdb', blockSize: 4096, size: 1e12 }],
    },
  ],
};

describe('services and devices', () => {
  it('follow their process, by the tables', () => {
    const shown = states.map((state) => {
      const [service] = displayedProcess(aProcess({ state }), {
        node: up,
        cluster: aCluster(),
        meroNode: undefined,
        devices: oneDevice,
      }).services;
      return [state.is, service!.state, service!.devices![0]!.state];
    });
    expect(shown).toEqual(states.map(({ is }) => [is, serviceCascade[is], deviceCascade[serviceCascade[is]]]));
  });

  it('are what was said of themselves: one that has failed stays so beside its process, and is unknown with it', () => {
    const failed = (state: ProcessState): MeroProcess =>
      aProcess({
        state,
        services: [
          { fid: serviceFid(1), type: 'CST_IOS', failed: true },
          { fid: serviceFid(2), type: 'CST_RMS' },
        ],
      });
    const shown = states.map((state) => displayedProcess(failed(state), around()).services.map((service) => service.state));
    expect(shown).toEqual(states.map(({ is }) => [is === 'unknown' ? 'unknown' : 'failed', serviceCascade[is]]));
  });
});
