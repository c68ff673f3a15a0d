import type { EpochMs } from '../../../lib/core/time.ts';
import type { Row } from '../../../lib/ports/table/table.ts';
import { instanceOf, type NameHolder, type ResourceHolders, type Service, serviceId } from '../../../lib/services/service.ts';
import type { Committed } from '../watching.ts';
import type { World } from '../world/world.ts';
import { onceEach } from './once.ts';

/** A service's row in a commit, as the service was and is: undefined where it is registered no more, or not yet. */
export type ServiceStep = {
  readonly at: EpochMs;
  /** Its node and type. */
  readonly id: string;
  readonly before: Service | undefined;
  readonly after: Service | undefined;
  readonly row: Row;
};

const kinds = { service: 'service#', name: 'name#' } as const;
const isOf = (kind: keyof typeof kinds, { key }: Row): boolean => key.pk.startsWith('node#') && key.sk.startsWith(kinds[kind]);
const isResource = ({ key }: Row): boolean => key.pk.startsWith('service-resources#');
const stateIn = <S>(row: Row | undefined): S | undefined => (row === undefined || row.gone ? undefined : (row.body as S));

/** The services of a commit. */
export const serviceSteps = onceEach((changes: readonly Committed[]): readonly ServiceStep[] =>
  changes.flatMap(({ at, before, after }): ServiceStep[] =>
    isOf('service', after)
      ? [{ at, id: serviceId(after.body as Service), before: stateIn(before), after: stateIn(after), row: after }]
      : [],
  ),
);

/** Whether somebody at the API has ordered it. */
export const isOrdered = ({ row }: Pick<ServiceStep, 'row'>): boolean =>
  row.actor !== undefined && row.actor.source !== 'ingest' && !/^(node|client):/.test(row.actor.who);

/** All services that are registered now. */
export const standingServices = (world: World): Service[] =>
  [...world.cluster.store.rows.rows.values()].flatMap((row) => (isOf('service', row) ? (stateIn<Service>(row) ?? []) : []));

/** Services with who has their names and what they hold, as commits make them. */
export class ServiceRows {
  /** By node and type. */
  readonly services = new Map<string, Service>();
  /** By node and name. */
  readonly names = new Map<string, NameHolder>();
  /** By zone, kind and id. */
  readonly resources = new Map<string, ResourceHolders>();

  /** Takes a commit in; gives whether it was about any of these. */
  take(changes: readonly Committed[]): boolean {
    let touched = false;
    for (const { after } of changes) {
      const { pk, sk } = after.key;
      const into = isOf('service', after)
        ? this.services
        : isOf('name', after)
          ? this.names
          : isResource(after)
            ? this.resources
            : undefined;
      if (!into) continue;
      touched = true;
      const [, owner] = pk.split('#');
      const id = into === this.resources ? `${owner}/${decodeURIComponent(sk)}` : `${owner}/${decodeURIComponent(sk.split('#')[1]!)}`;
      const state = stateIn<never>(after);
      if (state === undefined) into.delete(id);
      else (into as Map<string, never>).set(id, state);
    }
    return touched;
  }
}

/** A service in a sentence. */
export const toldService = ({ before, after, row }: ServiceStep): string => {
  const { type, host } = (after ?? before)!;
  const said = (one: Service | undefined): string => (one ? `${one.state.is} (${instanceOf(one)})` : 'nothing');
  return `${type} on ${host} went from ${said(before)} to ${said(after)} by ${row.by} (${row.because})`;
};
