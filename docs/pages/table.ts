import { keyOf, nouns } from '../../lib/ports/table/keys.ts';
import scale from '../../tools/bench/scale.json' with { type: 'json' };
import { madeFrom, table, textOf } from './source.ts';

const node = 'n0123456789abcdef';
/** An id of each noun whose rows are not keyed by a node's. */
const samples: Readonly<Record<string, string>> = {
  'systems-page': `${node}/4.0`,
  'onboarding-share': `${node}/12`,
  fqdn: 'node7.acme.org',
  client: '6b86b273…',
  metadata: '6b86b273…/channels.0',
  zone: 'default',
  'zone-number': '1',
  resident: '1/client:6b86b273…',
  map: 'default/0',
  delta: 'default/17',
  members: 'default/0',
  turns: 'default/0',
  pins: 'default/0',
  revoked: 'default',
  counts: 'default',
  cluster: 'tier1',
  fids: 'tier1',
  'mero-node': 'tier1/ssu1.acme.org',
  'mero-load': 'tier1',
  layout: 'tier1/4c1f….0',
  'loaded-part': 'tier1/4c1f….12',
  garbage: 'tier1',
  process: 'tier1/0x7200000000000001:0x2d',
  devices: 'tier1/0x7200000000000001:0x2d',
  endpoint: 'tier1/10.0.0.1@tcp:12345:41:401',
  'mero-roles': 'tier1',
  'halon-roles': 'tier1',
  action: '1500000017',
  'action-there': `${node}/4711`,
  'system-action': '1500000017',
  'added-systems': '1500000017/0',
  'action-of-node': `1500000017/${node}`,
  journal: 'default/12',
  dead: '7f3a…',
  key: '6b86b273…',
  nonce: '6b86b273…/Zx3…',
  idempotency: 'patch-tuesday',
  attempt: '0c9d6f1e…',
  audit: 'default/2026-11-21/12',
  'audit-head': 'default/2026-11-21',
  audited: `node:${node}/node@7.1795305600000`,
  history: `node:${node}/12`,
};

/** The access patterns from the head of the keys' file, and an example of each noun's key. */
export function tablePage(): string {
  const [, prose, patterns] = /\/\*\n((?: \* [^|]*\n)+) \*\n((?: \* \|.*\n)+) \*\//.exec(textOf('lib/ports/table/keys.ts')) ?? [];
  if (!prose || !patterns) throw new Error('lib/ports/table/keys.ts has no table of access patterns at its head');
  const unstarred = (text: string): string => text.replaceAll(/^ \* /gm, '');
  const keys = nouns.map((noun) => {
    const { pk, sk } = keyOf({ noun, id: samples[noun] ?? node });
    if (`${pk} ${sk}`.includes('NaN')) throw new Error(`the noun ${noun} needs a sample of its ids: ${pk} ${sk}`);
    return [noun, `\`${decodeURIComponent(pk)}\``, `\`${decodeURIComponent(sk)}\``];
  });
  return `${madeFrom('lib/ports/table/keys.ts and tools/bench/scale.json')}
# The table

${unstarred(prose)}
## Access patterns

${unstarred(patterns)}
## Units at every size

Read and write units of every operation as it is played on a table in memory that charges as DynamoDB does, history and audit included (\`tools/bench/scale.ts\`, written by
\`node tools/bench/units.ts --write\`). A test plays them again and fails when one uses more with more client systems or nodes than \`tools/bench/scale/growth.ts\` allows it.

${table(['operation', ...scale.sizes.map(sizeText)], played())}
## Keys

${table(['noun', 'pk', 'sk'], keys)}`;
}

const sizeText = ({ clients, nodes }: { clients: number; nodes: number }): string => `${clients.toLocaleString('en-US')} on ${nodes} nodes`;

/** Every operation with its units at each size. */
const played = (): string[][] =>
  Object.keys(scale.played[0]!).map((name) => [
    name,
    ...scale.played.map((at) => {
      const { reads, writes } = (at as Readonly<Record<string, { reads: number; writes: number }>>)[name]!;
      return `${reads} R + ${writes} W`;
    }),
  ]);
