import { basename, dirname } from 'node:path';
import { type ApiClient, Unreachable } from '../../../lib/api/client.ts';
import { problemTypeOf } from '../../../lib/api/problem.ts';
import { exitCodes } from '../../../lib/machine/command-line.ts';
import { type Folder, replaceFile } from '../../../lib/machine/folder.ts';
import { configurationText } from '../../../lib/mero/facts/configuration.ts';
import { nodeRoutes } from '../../../lib/node-contract.ts';
import { type Ledger, readLedger } from '../ledger.ts';
import { configurationMode } from './configuration-files.ts';
import { readHeldDesired, readTable } from './disk.ts';
import { tellAgent } from './launchers.ts';
import type { ConfigurationGiven, ReportGiven } from './options.ts';
import { faultOfEnvironment } from './runner.ts';

/** The outcome of a command: data for standard output, talk for standard error, and its exit code. */
export type Outcome = { readonly code: number; readonly data?: string; readonly talk?: string };

/** Hands a launcher's report to the agent that runs in this folder. */
export async function reportProcess(folder: Folder, { fid, is, pid }: ReportGiven): Promise<Outcome> {
  const answer = await tellAgent(folder, { process: fid, is, ...(pid !== undefined && { pid }) });
  if (!answer) return { code: exitCodes.unreachable, talk: `no agent runs in ${folder.path}: the report is lost` };
  if (answer.ok) return { code: exitCodes.done };
  return { code: answer.again ? exitCodes.busy : exitCodes.usage, talk: answer.why };
}

/** Reads the configuration of a process from Muster, under this node's identity; prints it, or writes it to a file. */
export async function processConfiguration(
  folder: Folder,
  { fid, json, output }: ConfigurationGiven,
  connect: (ledger: Ledger) => ApiClient,
): Promise<Outcome> {
  const ledger = readLedger(folder);
  if (ledger?.node === undefined) return { code: exitCodes.usage, talk: `${folder.path} holds no node that has joined` };
  try {
    const answer = await connect(ledger)(nodeRoutes.processConfiguration, { params: { id: ledger.node, fid } });
    if (!answer.ok) {
      const problem = problemTypeOf(answer.problem);
      const isWrong = problem === 'unknown-process' || problem === 'not-owner';
      return { code: isWrong ? exitCodes.usage : exitCodes.busy, talk: `refused (${problem}): ${answer.problem.detail}` };
    }
    const fault = faultOfEnvironment(answer.body.environment);
    if (fault !== undefined) return { code: exitCodes.usage, talk: fault };
    const data = json ? `${JSON.stringify(answer.body, undefined, 2)}\n` : configurationText(answer.body.environment);
    if (output === undefined) return { code: exitCodes.done, data };
    replaceFile(dirname(output), basename(output), data, configurationMode);
    return { code: exitCodes.done };
  } catch (error) {
    if (error instanceof Unreachable)
      return { code: exitCodes.unreachable, talk: `${error.message}; give the address of Muster by --endpoint` };
    throw error;
  }
}

const columns = ['FID', 'PREFIX', 'GOAL', 'STATE', 'PID', 'SINCE'];

/** The processes of this host as its agent last recorded them. */
export function listProcesses(folder: Folder, { json }: { readonly json?: true }): Outcome {
  const table = readTable(folder);
  if (!table) return { code: exitCodes.usage, talk: `${folder.path} records no processes: no agent has run any from this folder` };
  const goals = new Map(readHeldDesired(folder)?.processes.map(({ process, goal }) => [process, goal]));
  const processes = table.held.map(({ process, prefix, is: state, life, since }) => ({
    process,
    prefix,
    goal: goals.get(process) ?? 'gone',
    state,
    ...(life && { pid: life.pid, born: life.born }),
    since: new Date(since).toISOString(),
  }));
  if (json) return { code: exitCodes.done, data: `${JSON.stringify({ processes, waiting: table.out.length }, undefined, 2)}\n` };
  const rows = processes.map((one) => [one.process, one.prefix, one.goal, one.state, String(one.pid ?? '-'), one.since]);
  const talk = table.out.length === 0 ? {} : { talk: `${table.out.length} reports wait for Muster` };
  return { code: exitCodes.done, data: aligned([columns, ...rows]), ...talk };
}

/** Rows with the same number of cells as aligned lines. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(widths[i]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
