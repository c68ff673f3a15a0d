import type { Document } from '../../../lib/search/segment/segment.ts';
import { seeded } from '../../support/seeded.ts';

const tags = Array.from({ length: 2_000 }, (_, n) => `t${n}`);
const groups = Array.from({ length: 60 }, (_, n) => `g${n}`);
const roles = ['web', 'db', 'app', 'cache', 'mq', 'pos', 'till', 'edge', 'git', 'ci', 'vault', 'proxy'] as const;
const companies = ['acme', 'corp', 'shop', 'lab'] as const;
const tagsEach = 8;

/** How many tags are at least as frequent as one, as a share of all uses (Zipf): the first is on every fifth system. */
const shares = (() => {
  const weights = tags.map((_, n) => 1 / (n + 3));
  const sum = weights.reduce((all, one) => all + one, 0);
  let before = 0;
  return Float64Array.from(weights, (one) => {
    before += one / sum;
    return before;
  });
})();

function tagAt(share: number): string {
  let [low, high] = [0, tags.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (shares[middle]! < share) low = middle + 1;
    else high = middle;
  }
  return tags[low]!;
}

/**
 * Systems in the order of their ids, the same at every run: 8 tags of 2,000 each, a group of 60, a name of 22
 * characters, when they were seen. Their fingerprints are spread evenly, as hashes are. Other seeds give other systems.
 */
export function* systems(count: number, seed = 7): Generator<Document> {
  const random = seeded(seed);
  const digits = (): string =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  for (let n = 0; n < count; n++) {
    const begin = Math.floor(((n + random()) / count) * 2 ** 32);
    yield {
      id: `${begin.toString(16).padStart(8, '0')}${n.toString(16).padStart(8, '0')}${digits()}${digits()}`.padEnd(64, digits()),
      version: 1 + Math.floor(random() * 1_000),
      names: [
        `${roles[Math.floor(random() * roles.length)]!}${(n % 100_000).toString(36).padStart(4, '0')}.dc${n % 37}.${companies[n % 4]!}.org`,
      ],
      keywords: new Map([
        ['tag', [...new Set(Array.from({ length: tagsEach }, () => tagAt(random())))]],
        ['group', [groups[Math.floor(random() * random() * groups.length)]!]],
      ]),
      numbers: new Map([['seen', 1_767_000_000_000 + Math.floor(random() * 2 ** 30)]]),
    };
  }
}
