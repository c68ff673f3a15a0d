import { type Kind, type kinds, may, type Place, placeOf } from './kinds.ts';
import { allows, layers } from './layers.ts';
import { reserved } from './reserved.ts';
import type { Import, Parsed, Violation } from './sources.ts';

/** What any file of a room may import besides: schemas are made with zod, and what reads facts has its parsers. */
const packages = ['zod', 'yaml', 'liquidjs', 're2js', 'sax'];
/** Hashes: for those who read and write, and for what is identified or sealed by them. */
const hashing = /^lib\/(mero\/facts\/load\/identity|audit\/(chain|seal)|uyuni\/content\/(blob|document|tree))\.ts$/;
/** Checksums and compression: for bytes that are kept. */
const summing = /^lib\/(search\/(segment|stored)\/format|uyuni\/content\/packed)\.ts$/;
/** What of the ports a noun may know: their interfaces, and the keys of the table. Adapters are for hosts. */
const interfaces = [
  'table/keys',
  'table/table',
  'queue/queue',
  'checks/checks',
  'objects/objects',
  'keys/keys',
  'outbound/outbound',
  'outbound/target',
  'issuer/issuer',
  'page/pages',
].map((name) => `lib/ports/${name}.ts`);

/** Imports that neither the layer of a file nor its kind allows, and those that are reserved for others. */
export function importViolations(file: Parsed): Violation[] {
  const place = placeOf(file.path);
  const refused = place && !isLayered(place) ? ofKind(file, place) : ofLayer(file);
  const taken = file.imports.flatMap(({ from, line }) =>
    reserved
      .filter(({ what, by }) => what.test(from) && !by.test(file.path))
      .map(({ why }) => ({ file: file.path, line, why: `imports ${from}: ${why}` })),
  );
  return [...refused, ...taken, ...zodViolations(file)];
}

/** Whether a part of `lib/` is ruled as a whole, by its layer: nothing but the foundations is. */
const isLayered = ({ kind }: Place): boolean => kind === 'foundation';

function ofLayer(file: Parsed): Violation[] {
  const layer = layers.find(({ of }) => of.test(file.path));
  if (!layer) return [{ file: file.path, line: 1, why: 'no layer of the architecture has a place for this file' }];
  const own = file.path.slice(0, file.path.lastIndexOf('/') + 1);
  return file.imports
    .filter((one) => !(own !== '' && one.from.startsWith(own)) && !allows(layer.may, one.from) && !isContractType(file, one))
    .map(({ from, line }) => ({ file: file.path, line, why: `imports ${from}: ${layer.why}` }));
}

/** Programs outside see the contract by its routes: what these are made of, they may name. */
const isContractType = ({ path }: Parsed, { from }: Import): boolean =>
  /^(programs\/(agent|client|cli|loadtest)|infra)\//.test(path) && placeOf(from)?.kind === 'routes';

function ofKind(file: Parsed, place: Place): Violation[] {
  const { kind } = place;
  const isHash = ({ from }: Import): boolean => from === 'node:crypto' && (isStarred(kind) || hashing.test(file.path));
  const isSum = ({ from }: Import): boolean => from === 'node:zlib' && summing.test(file.path);
  const isWrite = ({ from, isType }: Import): boolean => kind === 'reads' && !isType && writes.test(from) && file.path !== makesDefaultZone;
  return file.imports
    .filter((one) => isWrite(one) || !(isHash(one) || isSum(one) || mayImport(place, kind, one)))
    .map(({ from, line }) => ({ file: file.path, line, why: `imports ${from}: ${whyOf(kind)}` }));
}

const isStarred = (kind: Kind): boolean => ['reads', 'changes', 'verify', 'handlers', 'assembly'].includes(kind);
/**
 * What writes: reads may know its types alone. The zone that is there from the first start is made by whoever asks for
 * it.
 */
const writes = /^lib\/runtime\/apply(-plan)?\.ts$/;
const makesDefaultZone = 'lib/zones/reads/zones.ts';

function mayImport(place: Place, kind: Kind, { from, isType }: Import): boolean {
  if (from.startsWith('events/') || packages.includes(from)) return true;
  const to = placeOf(from);
  if (to === undefined) return false;
  if (kind === 'assembly') return true;
  if (kind === 'contract') return ['row', 'routes', 'contract'].includes(to.kind) || ['core', 'identity', 'api'].includes(to.room);
  const rule = may[kind as (typeof kinds)[number]];
  if (to.room === 'ports') return rule.on.includes('ports') && interfaces.includes(from);
  if (to.kind === 'foundation') return rule.on.includes(to.room);
  // What a handler is given depends on the route, whichever that is.
  if (to.kind === 'contract') return isStarred(kind) && isType;
  return rule.any.includes(to.kind) || (to.room === place.room && rule.own.includes(to.kind));
}

const whyOf = (kind: Kind): string =>
  kind === 'contract'
    ? 'the contract is the routes of all nouns, and nothing else'
    : kind === 'assembly'
      ? 'the assembly joins what is in lib'
      : may[kind as (typeof kinds)[number]].why;

const zodViolations = (file: Parsed): Violation[] =>
  file.imports
    .filter(({ from, isWhole }) => from === 'zod' && !isWhole)
    .map(({ line }) => ({ file: file.path, line, why: 'imports names of zod: only `import * as z` lets a bundle leave most of it out' }));
