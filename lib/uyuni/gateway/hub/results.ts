import { sayableText } from '../../merge/scan/characters.ts';
import type { Fault, Value } from '../../xml-rpc/value.ts';

/** What became of a server that was named: what it answered, or why it did not. */
export type AtServer = { readonly id: number } & ({ readonly value: Value } | { readonly fault: Fault });

/** A server that has not answered with a value, by its number, and why. */
export type FailedServer = { readonly id: number; readonly fault: Fault };

/** A fault as the hub writes it among the responses that failed, by which scripts find its code. */
const faultLine = ({ code, text }: Fault): string => `Fault(${code}): ${sayableText(text)}`;

/** Servers that failed, as the hub tells of them: numbers, and the reasons in the same order. */
export const failedValue = (failed: readonly FailedServer[]): Value => ({
  ServerIds: failed.map(({ id }) => id),
  Responses: failed.map(({ fault }) => faultLine(fault)),
});

/** The members of an answer about several servers, as the hub names them. */
export function resultsOf(all: readonly AtServer[]): { readonly Successful: Value; readonly Failed: Value } {
  const succeeded = all.filter((one) => 'value' in one);
  return {
    Successful: { ServerIds: succeeded.map(({ id }) => id), Responses: succeeded.map(({ value }) => value) },
    Failed: failedValue(all.filter((one) => 'fault' in one)),
  };
}
