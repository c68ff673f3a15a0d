import { nameOf, type Row } from '../../../../lib/ports/table/table.ts';
import type { Invariant } from '../invariant.ts';

type Body = {
  readonly standing?: string;
  readonly zone?: string;
  readonly status?: string;
  readonly day?: string;
  readonly n?: number;
  readonly count?: number;
  readonly kind?: string;
  readonly name?: string;
  readonly pin?: { readonly index: number; readonly hard: boolean };
};

/** What is in no list is seen by nobody, and counted by nobody. */
export const listed: Invariant = {
  name: 'rows-stand-in-their-lists',
  says: 'a client is listed by its standing, zone and the top 6 bits of its fingerprint, a node, a zone, its storage cluster, a key, a token, a host that waits, a service by its name, type and node, and what the audit and the journal are found by where they belong, the silent client systems of a node by their zone, everything else and what is gone nowhere',
  begin: ({ violated }) => ({
    heedsMarks: true,
    committed: (changes) => {
      for (const { after } of changes) {
        if (after.key.pk.startsWith('dead')) continue;
        const wanted = listOf(after);
        const is = after.list && `${after.list.pk} ${after.list.sk}`;
        if (is !== wanted) violated(`${nameOf(after.key)} stands in the list ${is}, and belongs into ${wanted}`);
      }
    },
  }),
};

/** What has a list of all of its kind; sign-in links, which are keys too, nobody looks for. */
const ownLists: Readonly<Record<string, string>> = {
  'api-key': 'api-keys',
  'onboarding-token': 'onboarding-tokens',
  'join-token': 'join-tokens',
  'pooled-host': 'node-pool',
  cluster: 'clusters',
};

function listOf({ key: { pk, sk }, body, gone }: Row): string | undefined {
  const { standing, zone = '', day, n, kind, pin, count } = body as Body;
  const id = pk.slice(pk.indexOf('#') + 1);
  if (gone) return undefined;
  if (pk.startsWith('audit-heads#')) return `audit-heads ${day}#${zone}`;
  if (pk.startsWith('audited#')) return `audited#${day} ${zone}#${String(n).padStart(10, '0')}`;
  if (sk in ownLists) return kind === 'link' ? undefined : `${ownLists[sk]} ${id}`;
  if (pk.startsWith('journal#')) return sk === 'end' ? `journal ${id}` : undefined;
  if (sk === 'head') return `zones ${id}`;
  if (sk === 'cluster') return `clusters ${id}`;
  if (pk.startsWith('node#')) return ofNode(id, sk, body as Body);
  if (sk === 'silence') return `silence#${zone} ${id}#${count}`;
  if (sk !== 'client' || standing === 'alias') return undefined;
  const partition = Math.floor(Number.parseInt(id.slice(0, 2), 16) / 4);
  const list = { pooled: 'pool', accepted: `zone#${zone}`, banned: 'banned' }[standing!];
  return `${list}#${partition} ${id}${pin ? `#${pin.index}#${pin.hard ? 'hard' : 'soft'}` : ''}`;
}

/** What is in the partition of a node. */
function ofNode(id: string, sk: string, { zone, name }: Body): string | undefined {
  if (sk === 'node') return `nodes#${zone} ${id}`;
  return sk.startsWith('service#') ? `services#${zone} ${name}${sk.slice('service'.length)}#${id}` : undefined;
}
