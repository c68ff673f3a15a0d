const twice = (to: number) => ({ allOf: [{ $ref: `#/$defs/a${to}` }, { $ref: `#/$defs/a${to}` }] });
const steps = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`a${n}`, twice(n + 1)]));

/** A JSON Schema that every document fits, which a check finds out only after 2^40 steps. */
export const endlessSchema: object = { $defs: { ...steps, a40: true }, $ref: '#/$defs/a0' };
