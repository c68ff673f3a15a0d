import { describe, expect, it } from 'vitest';
import { stackNames, synthesized } from './synthesized.ts';

const templates = synthesized();

/** Tags say the same on every resource, and what CloudFormation is told about metadata changes nothing that runs. */
const withoutNoise = (template: object): unknown =>
  JSON.parse(
    JSON.stringify(template, (key, value: unknown) =>
      key === 'Tags' || key === 'Metadata' || key === 'Rules' || key === 'Parameters' ? undefined : value,
    ),
  );

describe('the template of', () => {
  it.each(stackNames)('%s is as it was reviewed', async (name) => {
    await expect(`${JSON.stringify(withoutNoise(templates[name]), null, 1)}\n`).toMatchFileSnapshot(`snapshots/${name.toLowerCase()}.out`);
  });
});
