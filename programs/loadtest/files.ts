import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../lib/machine/folder.ts';
import { pageOf } from './page.ts';
import type { Report } from './report.ts';

/**
 * The error code of the system when a folder cannot be written to; undefined when it exists, or was made, and takes
 * files.
 */
export function faultOfFolder(path: string): string | undefined {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.W_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

/** Writes `report.json` and `report.html`, readable by their owner; gives their paths. */
export function writeReport(path: string, report: Report): string[] {
  replaceFile(path, 'report.json', `${JSON.stringify(report)}\n`, 0o600);
  replaceFile(path, 'report.html', pageOf(report), 0o600);
  return [join(path, 'report.json'), join(path, 'report.html')];
}
