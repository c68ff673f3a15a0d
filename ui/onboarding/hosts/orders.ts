import { useState } from 'react';
import { call, type Reply } from '../../api/call.ts';
import { count } from '../../kit/kit.tsx';
import { say, sayWhy } from '../../kit/toasts.tsx';
import { client } from '../../live/queries.ts';
import { chunks } from '../systems/batches.ts';
import { doneOf, type Host, hostsAtOnce, type NotDone } from './hosts.ts';

/** How hosts are admitted: into which zone and as what, undefined for what each asks for. */
export type Admission = {
  readonly zone: string | undefined;
  readonly kind: Host['kind'] | undefined;
  readonly anyWatch: boolean;
};

/** Orders about hosts, and why some of the last ones were not carried out. */
export type HostOrders = {
  readonly isBusy: boolean;
  readonly refused: ReadonlyMap<string, NotDone>;
  readonly admit: (hosts: readonly Host[], as: Admission) => Promise<void>;
  readonly reject: (hosts: readonly Host[]) => Promise<void>;
};

/** Admits and rejects hosts, some at a time. */
export function useHostOrders(): HostOrders {
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<ReadonlyMap<string, NotDone>>(new Map());
  const carryOut = async (
    hosts: readonly Host[],
    order: (fps: string[]) => Promise<Pick<Reply<'admitHosts'>, 'results'>>,
    done: string,
  ): Promise<void> => {
    setBusy(true);
    let n = 0;
    const not = new Map<string, NotDone>();
    try {
      for (const part of chunks(hosts, hostsAtOnce)) {
        const outcome = doneOf((await order(part.map(({ fp }) => fp))).results);
        n += outcome.done;
        for (const [fp, why] of outcome.not) not.set(fp, why);
      }
      if (n > 0) say(`${count(n, 'host')} ${done}`);
    } catch (error) {
      sayWhy(error);
    }
    setRefused(not);
    setBusy(false);
    await Promise.all([['hosts'], ['pool', 'hosts']].map((queryKey) => client.invalidateQueries({ queryKey })));
  };
  return {
    isBusy,
    refused,
    admit: (hosts, { zone, kind, anyWatch }) =>
      carryOut(
        hosts,
        (fps) => call('admitHosts', { body: { hosts: fps, ...(zone && { zone }), ...(kind && { kind }), anyWatch } }),
        'admitted',
      ),
    reject: (hosts) => carryOut(hosts, (fps) => call('rejectHosts', { body: { hosts: fps } }), 'rejected'),
  };
}
