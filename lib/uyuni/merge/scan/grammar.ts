import type { IdKind, IdSteps } from '../ids.ts';
import { AnswerRefused } from '../refusal.ts';

/** The types of XML-RPC whose element holds text. */
export const leaves = ['int', 'i4', 'i8', 'boolean', 'double', 'string', 'dateTime.iso8601', 'base64', 'nil', 'ex:nil'] as const;
export type Leaf = (typeof leaves)[number];

/**
 * Where a document can be between two tags: just after `<value>`, in a leaf, in a struct or member or after its name,
 * in an array or its data, after a typed element, or after everything.
 */
export type Mode = Leaf | 'value' | 'done' | (typeof structure)[number];
const structure = ['typed', 'struct', 'member', 'named', 'member-end', 'array', 'data', 'array-end'] as const;
const structural: ReadonlySet<string> = new Set(structure);

/** Something at an offset: the beginning or end of an element of the outermost array, or that array itself. */
export type Bound = { readonly is: 'start' | 'end' | 'list'; readonly at: number };

/** Markup that was read before in a state, to where it leads, and what begins and ends in it. */
export type Edge = { readonly markup: string; readonly to: State; readonly bounds: readonly Bound[] };

/**
 * A mode at a place. Edges are what makes scanning fast: servers write the elements of a list alike, so that the markup
 * between two texts is nearly always one that was read before, and is compared as a whole.
 */
export type State = {
  readonly mode: Mode;
  readonly place: Place;
  /** Whether only blanks may come before the next tag. */
  readonly isBetween: boolean;
  readonly edges: Edge[];
};

/** How many more places and edges one answer may have remembered: names of members may be different in each element. */
export type Budget = { places: number; edges: number };

/** Where a value is in an answer, by the steps to it: the same for every element of an array. */
export class Place {
  readonly parent: Place | undefined;
  readonly step: string;
  readonly depth: number;
  /** Of what the value here is an id. */
  readonly id: IdKind | undefined;
  readonly #paths: readonly IdSteps[];
  readonly #budget: Budget;
  readonly #children = new Map<string, Place>();
  readonly #members = new Map<string, Place | null>();
  readonly #states = new Map<Mode, State>();

  private constructor(parent: Place | undefined, step: string, paths: readonly IdSteps[], budget: Budget) {
    this.parent = parent;
    this.step = step;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.#paths = paths;
    this.id = paths.find(({ steps }) => steps.length === this.depth)?.kind;
    this.#budget = budget;
  }

  /** The value that an answer holds; `paths` lead to the ids in it. */
  static root(paths: readonly IdSteps[]): Place {
    return new Place(undefined, '', paths, { places: 1_000, edges: 2_000 });
  }

  /** An element of the array here (`[]`), or a member of the struct (`.name`). */
  child(step: string): Place {
    const known = this.#children.get(step);
    if (known) return known;
    const leads = ({ steps }: IdSteps): boolean => {
      const next = steps[this.depth];
      return next === step || (next === '.*' && step.startsWith('.'));
    };
    const child = new Place(this, step, this.#paths.filter(leads), this.#budget);
    if (this.#budget.places > 0) {
      this.#budget.places--;
      this.#children.set(step, child);
    }
    return child;
  }

  /** The member of the struct here by its name; undefined if there is no id in it. */
  member(name: string): Place | undefined {
    const known = this.#members.get(name);
    if (known !== undefined) return known ?? undefined;
    const child = this.child(`.${name}`);
    const found = child.#paths.length > 0 ? child : undefined;
    if (this.#budget.places > 0) this.#members.set(name, found ?? null);
    return found;
  }

  in(mode: Mode): State {
    const known = this.#states.get(mode);
    if (known) return known;
    const state = { mode, place: this, isBetween: structural.has(mode), edges: [] };
    this.#states.set(mode, state);
    return state;
  }

  /** Remembers markup that leads from one state to another, as long as there is room. */
  remember(from: State, edge: Edge): void {
    if (this.#budget.edges === 0 || from.edges.length === edgesMax || edge.markup.length > edgeMax) return;
    this.#budget.edges--;
    from.edges.push(edge);
  }
}

/** With more ways to go on than this, comparing with each costs more than reading. */
const edgesMax = 8;
const edgeMax = 1024;

type Move = (place: Place) => State;
type Moves = Readonly<Record<string, Move>>;

const typed: Move = (place) => place.in('typed');

/** After `</value>`. */
function closed(place: Place): State {
  if (place.parent === undefined) return place.in('done');
  return place.parent.in(place.step === '[]' ? 'data' : 'member-end');
}

const inLeaf = (leaf: Leaf): Moves => ({ [`</${leaf}>`]: typed });

/** Which tags may come next, and where they lead. */
const moves: Readonly<Record<Exclude<Mode, 'member'>, Moves>> = {
  value: {
    ...Object.fromEntries(leaves.map((leaf) => [`<${leaf}>`, (place: Place) => place.in(leaf)])),
    ...Object.fromEntries(['string', 'base64', 'nil', 'ex:nil', 'struct'].map((name) => [`<${name}/>`, typed])),
    '<struct>': (place) => place.in('struct'),
    '<array>': (place) => place.in('array'),
    '</value>': closed,
  },
  typed: { '</value>': closed },
  struct: { '<member>': (place) => place.in('member'), '</struct>': typed },
  named: { '<value>': (place) => place.in('value'), '<value/>': closed },
  'member-end': { '</member>': (place) => place.in('struct') },
  array: { '<data>': (place) => place.in('data'), '<data/>': (place) => place.in('array-end') },
  data: {
    '<value>': (place) => place.child('[]').in('value'),
    '<value/>': (place) => place.in('data'),
    '</data>': (place) => place.in('array-end'),
  },
  'array-end': { '</array>': typed },
  done: {},
  int: inLeaf('int'),
  i4: inLeaf('i4'),
  i8: inLeaf('i8'),
  boolean: inLeaf('boolean'),
  double: inLeaf('double'),
  string: inLeaf('string'),
  'dateTime.iso8601': inLeaf('dateTime.iso8601'),
  base64: inLeaf('base64'),
  nil: inLeaf('nil'),
  'ex:nil': inLeaf('ex:nil'),
};

/** The state after a tag without its blanks; a name of a member is no tag. Throws if the tag may not come here. */
export function after({ mode, place }: State, tag: string): State {
  const move = mode === 'member' ? undefined : moves[mode][tag];
  if (move === undefined) throw new AnswerRefused('malformed', `${tag} is not allowed ${where(mode)}`);
  return move(place);
}

const where = (mode: Mode): string => (mode === 'done' ? 'after the value' : `where ${mode} is read`);
