import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { type Implementation, implementations, type Opened } from './table/implementations.ts';
import { indexes } from './table/indexes.ts';
import { limits } from './table/limits.ts';
import { ownProcess } from './table/own-process.ts';
import { queries } from './table/queries.ts';
import { rows } from './table/rows.ts';
import { sequences } from './table/sequences.ts';
import { units } from './table/units.ts';

const keepsContract = ({ start, isLocal }: Implementation): void => {
  let started: Awaited<ReturnType<Implementation['start']>>;
  let opened: Opened;
  beforeAll(async () => {
    started = await start();
  });
  beforeEach(async () => {
    opened = await started.open();
  });
  afterAll(() => started.stop());

  for (const suite of [rows, queries, indexes, limits, units]) suite(() => opened);
  sequences(() => started.open());
  if (isLocal) ownProcess(() => opened);
};

for (const implementation of implementations)
  describe.skipIf(!implementation.isInstalled)(`a table ${implementation.name}`, () => keepsContract(implementation));
