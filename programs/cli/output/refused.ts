/** How many knocks were refused within the last hour, and the verb that lists them; undefined when none was. */
export const refusedText = (knocks: number, { name }: { readonly name: string }): string | undefined =>
  knocks === 0 ? undefined : `${knocks} knock${knocks === 1 ? '' : 's'} refused within the last hour, see ${name} onboarding refused`;
