import type { ServiceTypes } from '../rows/service-type.ts';
import { type CataloguedType, typesIn } from '../types.ts';

/**
 * The type of a name in a zone, with its schema; undefined where there is none. A type that was put before Muster came
 * with one of that name takes precedence.
 */
export const typeIn = (put: ServiceTypes | undefined, name: string): CataloguedType | undefined =>
  typesIn(put).findLast(({ type }) => type.name === name);
