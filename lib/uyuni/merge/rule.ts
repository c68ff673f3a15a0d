/**
 * How answers of several servers become one. `concat`: all elements of their arrays, which needs no tree. `keyed`: one
 * struct for each value of a member, with counters summed. `struct`: one struct, with counters summed. `joined`: one
 * struct, with the elements of its lists from all. `map`: the members of all. `set`: texts, each once. `duplicates`:
 * groups of systems by what they have in common, which may be on several servers.
 */
export type MergeRule =
  | { readonly how: 'concat' }
  | { readonly how: 'keyed'; readonly key: string; readonly sums: readonly string[] }
  | { readonly how: 'struct'; readonly sums: readonly string[] }
  | { readonly how: 'joined'; readonly lists: readonly string[] }
  | { readonly how: 'map' }
  | { readonly how: 'set' }
  | { readonly how: 'duplicates'; readonly key: string };
