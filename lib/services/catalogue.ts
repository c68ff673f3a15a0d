import type { ServiceTypes } from './service-type.ts';
import { type CataloguedType, typesIn } from './types.ts';

/** The type of a name in a zone, with its schema; undefined where there is none. */
export const typeIn = (put: ServiceTypes | undefined, name: string): CataloguedType | undefined =>
  typesIn(put).find(({ type }) => type.name === name);
