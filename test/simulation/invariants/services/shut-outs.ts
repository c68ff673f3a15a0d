import { type EpochMs, minuteMs } from '../../../../lib/core/time.ts';
import type { ServiceTypes } from '../../../../lib/services/rows/service-type.ts';
import type { Service } from '../../../../lib/services/service.ts';
import type { Committed } from '../../watching.ts';

/** How long a function may go by what it has read: longer than any of them may run. */
const readMs = minuteMs;

/** Which types are shut out, by zone, and until when others were. */
export class ShutOuts {
  readonly #out = new Map<string, ReadonlySet<string>>();
  readonly #letIn = new Map<string, EpochMs>();

  take(changes: readonly Committed[], now: EpochMs): void {
    for (const { after } of changes) {
      if (after.key.sk !== 'service-types') continue;
      const { zone, shutOut = [] } = after.body as ServiceTypes;
      const out = new Set<string>(after.gone ? [] : shutOut.map(({ type }) => type));
      for (const type of this.#out.get(zone) ?? []) if (!out.has(type)) this.#letIn.set(`${zone}/${type}`, now);
      this.#out.set(zone, out);
    }
  }

  isOut = ({ zone, type }: Pick<Service, 'zone' | 'type'>): boolean => this.#out.get(zone)?.has(type) ?? false;

  /** Whether the type of a service is shut out, for all that a function knows that writes now. */
  mayBeOut(service: Pick<Service, 'zone' | 'type'>, now: EpochMs): boolean {
    const letIn = this.#letIn.get(`${service.zone}/${service.type}`);
    return this.isOut(service) || (letIn !== undefined && letIn + readMs > now);
  }
}
