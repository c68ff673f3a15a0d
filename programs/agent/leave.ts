import * as z from 'zod';
import { type ApiClient, Unreachable } from '../../lib/api/client.ts';
import { problemTypeOf } from '../../lib/api/problem.ts';
import { dayMs, type EpochMs, hourMs, minuteMs, plusMs } from '../../lib/core/time.ts';
import { exitCodes } from '../../lib/machine/command-line.ts';
import type { Folder } from '../../lib/machine/folder.ts';
import { nodeRoutes } from '../../lib/node-contract.ts';
import { type Ledger, readLedger, writeLeaving } from './ledger.ts';

const unitsMs = { m: minuteMs, h: hourMs, d: dayMs } as const;

/** The moment that a span from now (`90m`, `2h`, `1d`) or an ISO moment means; undefined when it is neither. */
export function momentOf(text: string, now: EpochMs): EpochMs | undefined {
  const span = /^(\d{1,6})([mhd])$/.exec(text);
  if (span) return plusMs(now, Number(span[1]) * unitsMs[span[2] as keyof typeof unitsMs]);
  const read = z.iso.datetime({ offset: true }).safeParse(text);
  return read.success ? (Date.parse(read.data) as EpochMs) : undefined;
}

/** Announces to Muster that the node of this folder leaves on purpose. Gives a line to print and the exit code. */
export async function leave(
  folder: Folder,
  { mode, until }: { mode: 'drain' | 'hold'; until?: EpochMs },
  { connect, newId }: { connect(ledger: Ledger): ApiClient; newId(): string },
): Promise<{ line: string; code: number }> {
  const ledger = readLedger(folder);
  if (!ledger?.node || ledger.incarnation === 0) return { line: `${folder.path} holds no node that has joined`, code: exitCodes.usage };
  const { node, fqdn, incarnation, generation } = ledger;
  try {
    const body = { id: newId(), incarnation, mode, ...(until !== undefined && { untilMs: until }) };
    const answer = await connect(ledger)(nodeRoutes.leaving, { params: { id: node }, body });
    if (!answer.ok) return { line: `refused (${problemTypeOf(answer.problem)}): ${answer.problem.detail}`, code: exitCodes.busy };
  } catch (error) {
    if (error instanceof Unreachable) return { line: error.message, code: exitCodes.unreachable };
    throw error;
  }
  writeLeaving(folder, { incarnation, generation, mode });
  const what =
    mode === 'hold'
      ? 'its client systems wait for it; start its agent again when the host is back'
      : 'its client systems move away, then its agent ends';
  return { line: `${fqdn} is leaving (${mode}): ${what}`, code: exitCodes.done };
}
