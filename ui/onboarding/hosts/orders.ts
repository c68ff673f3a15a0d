import { useState } from 'react';
import { call, type Reply } from '../../api/call.ts';
import { count } from '../../kit/kit.tsx';
import { useOnce } from '../../kit/order.tsx';
import { doing } from '../../kit/toasts.tsx';
import { client } from '../../live/queries.ts';
import { chunks } from '../systems/batches.ts';
import { doneOf, type Host, hostsAtOnce, type NotDone } from './hosts.ts';

/** How hosts are admitted: into which zone and as what, undefined for what each asks for. */
export type Admission = {
  readonly zone: string | undefined;
  readonly kind: Host['kind'] | undefined;
  readonly anyWatch: boolean;
};

/**
 * Orders about hosts, and why some of the last ones were not carried out. `admit` says how it went. `reject` gives how
 * many were rejected, and throws a Problem for a refusal of a whole call.
 */
export type HostOrders = {
  readonly isBusy: boolean;
  readonly refused: ReadonlyMap<string, NotDone>;
  readonly admit: (hosts: readonly Host[], as: Admission) => Promise<void>;
  readonly reject: (hosts: readonly Host[]) => Promise<number>;
};

/** How many of an order were carried out, in words; undefined where none was: each then says why not. */
export const countText = (n: number, done: string): string | undefined => (n === 0 ? undefined : `${count(n, 'host')} ${done}`);

type Send = (fps: string[]) => Promise<Pick<Reply<'admitHosts'>, 'results'>>;

/** Admits and rejects hosts, some at a time. */
export function useHostOrders(): HostOrders {
  const { isBusy, once } = useOnce();
  const [refused, setRefused] = useState<ReadonlyMap<string, NotDone>>(new Map());
  const carryOut = async (hosts: readonly Host[], send: Send): Promise<number> => {
    let n = 0;
    const not = new Map<string, NotDone>();
    try {
      for (const part of chunks(hosts, hostsAtOnce)) {
        const outcome = doneOf((await send(part.map(({ fp }) => fp))).results);
        n += outcome.done;
        for (const [fp, why] of outcome.not) not.set(fp, why);
      }
    } finally {
      setRefused(not);
      for (const queryKey of [['hosts'], ['pool', 'hosts']]) void client.invalidateQueries({ queryKey });
    }
    return n;
  };
  const admit = (hosts: readonly Host[], { zone, kind, anyWatch }: Admission): Promise<number> =>
    carryOut(hosts, (fps) => call('admitHosts', { body: { hosts: fps, ...(zone && { zone }), ...(kind && { kind }), anyWatch } }));
  return {
    isBusy,
    refused,
    admit: async (hosts, as) => void (await once(() => doing(admit(hosts, as), (n) => countText(n, 'admitted')))),
    reject: (hosts) => carryOut(hosts, (fps) => call('rejectHosts', { body: { hosts: fps } })),
  };
}
