import { basename } from 'node:path';
import type { Defect } from '../../../../lib/core/defect.ts';
import type { Held, Place } from '../../../../lib/mero/facts/text/text.ts';
import type { Cli } from '../../cli.ts';
import { printable } from '../../output/printable.ts';
import { textOf } from '../../reading.ts';

/** A file that was read: its name for people, and its content or the reason why there is none. */
export type ReadFile = { readonly file: string } & (
  | ({ readonly ok: true } & Held)
  | { readonly ok: false; readonly says: string; readonly place: Place }
);

/** A finding in a file: its place, the defect there, and its text. */
export type Finding = { readonly file: string; readonly place?: Place | undefined; readonly defect?: Defect; readonly says: string };

/** Reads a file of YAML or JSON. The readers are loaded by this command alone. */
export const readFile = async (cli: Cli, file: string): Promise<ReadFile> => heldIn(file, await textOf(cli, file));

/** The content of the text of a file. */
export async function heldIn(file: string, text: string): Promise<ReadFile> {
  const { readText } = await import('../../../../lib/mero/facts/text/text.ts');
  return { file: file === '-' ? 'standard input' : file, ...(await readText(text)) };
}

/** Findings in the order of the file, each with its place. */
export const located = ({ file, placeOf }: { file: string } & Held, defects: readonly Defect[]): Finding[] =>
  defects
    .map((defect) => ({ file, place: placeOf(defect.path), defect, says: defect.says }))
    .sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);

/** So many lines are read by people; --json has all. */
const linesMax = 500;

/** Findings as lines that editors can follow: `FILE:LINE:COLUMN path: what is wrong`. */
export async function findingsText(findings: readonly Finding[]): Promise<string> {
  const { pathText } = await import('../../../../lib/core/defect.ts');
  const lines = findings.slice(0, linesMax).map(({ file, place, defect, says }) => {
    const where = place ? `${basename(file)}:${place.line}:${place.column}` : basename(file);
    const path = defect ? pathText(defect.path) : '';
    return printable(`${where} ${path ? `${path}: ` : ''}${says}`);
  });
  if (findings.length > linesMax) lines.push(`… and ${findings.length - linesMax} more: --json shows all`);
  return lines.map((line) => `${line}\n`).join('');
}

/** Prints the remarks on a file that is right. */
export async function sayRemarks(cli: Cli, remarks: readonly Finding[]): Promise<void> {
  if (remarks.length > 0) cli.say((await findingsText(remarks)).trimEnd());
}

/** Findings in the form of the API's problems: a pointer into the file, and what is wrong; with line and column. */
export async function findingsAsJson(findings: readonly Finding[]): Promise<object[]> {
  const { pointerOf } = await import('../../../../lib/core/defect.ts');
  return findings.map(({ place, defect, says }) => ({ ...(defect && { pointer: pointerOf(defect.path) }), ...place, detail: says }));
}

/** A number of things in words. */
export const counted = (n: number, one: string, many = `${one}s`): string => `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;
