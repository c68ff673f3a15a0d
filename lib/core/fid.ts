import * as z from 'zod';

/** The kinds of things that have a fid, and the letter that is the fid's first byte. */
export const fidTypes = {
  root: 't',
  profile: 'p',
  site: 'S',
  rack: 'a',
  enclosure: 'e',
  node: 'n',
  process: 'r',
  service: 's',
  device: 'd',
  disk: 'k',
  controller: 'c',
  pool: 'o',
  'pool version': 'v',
  virtual: 'j',
} as const;
export type FidType = keyof typeof fidTypes;

const firstByte = (type: FidType): string => fidTypes[type].charCodeAt(0).toString(16);

/**
 * A fid such as `0x7200000000000001:0x2d`: the kind in its first byte, the container 1, and a number that is unique in
 * the cluster.
 */
export const fidOf = (type: FidType, key: number): Fid => `0x${firstByte(type)}00000000000001:0x${key.toString(16)}` as Fid;

const typeOfByte: ReadonlyMap<string, FidType> = new Map((Object.keys(fidTypes) as FidType[]).map((type) => [firstByte(type), type]));
const form = new RegExp(`^0x(${[...typeOfByte.keys()].join('|')})0{13}1:0x(0|[1-9a-f][0-9a-f]{0,12})$`);

/** The kind of thing that a fid names, and its number; undefined when the text is no fid of ours. */
export function readFid(text: string): { type: FidType; key: number } | undefined {
  const [, byte, key] = form.exec(text) ?? [];
  return byte === undefined || key === undefined ? undefined : { type: typeOfByte.get(byte)!, key: Number.parseInt(key, 16) };
}

/** The fid of anything in a storage cluster. */
export const Fid = z.string().regex(form, 'not a fid such as 0x7200000000000001:0x2d').brand<'Fid'>();
export type Fid = z.infer<typeof Fid>;

/** The one root of a storage cluster. */
export const rootFid = fidOf('root', 0);
