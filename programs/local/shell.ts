import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EpochMs } from '../../lib/core/time.ts';
import { type MintedSecret, mintSecret } from '../../lib/identity/secret-text.ts';
import { folderAt } from '../../lib/machine/folder.ts';
import { wantOwnFile, wantOwnFolder, wantOwnPlace } from '../../lib/machine/own.ts';
import { type MemoryBus, memoryBus } from '../../lib/ports/bus/memory.ts';
import { workerChecks } from '../../lib/ports/checks/worker.ts';
import { oidcIssuer } from '../../lib/ports/issuer/oidc.ts';
import type { IssuerSettings } from '../../lib/ports/issuer/settings.ts';
import { fileKeys } from '../../lib/ports/keys/file.ts';
import { folderObjects, objectsIn } from '../../lib/ports/objects/folder.ts';
import { httpsOutbound } from '../../lib/ports/outbound/https.ts';
import { memoryPages } from '../../lib/ports/page/memory.ts';
import { openStorage, type Storage } from '../../lib/ports/storage/storage.ts';
import type { Rates } from '../../lib/runtime/rates.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import type { Listening } from './listening.ts';
import { logTo } from './log.ts';
import { deploymentIn } from './name.ts';

/** The options of an embedded host. */
export type HostOptions = {
  /** The port to listen on; 0 picks a free one. */
  readonly port: number;
  /** Where to listen, when not on loopback. */
  readonly listening?: Listening;
  /** How often callers may call; without it there is no limit. */
  readonly rates?: Rates;
  /** The name of the deployment; by default the one in the state folder, or a new one where there is none. */
  readonly deployment?: string | undefined;
  /** The state folder; made when it is not there. */
  readonly home: string;
  readonly beatMinMs: number;
  readonly admitEveryMs: number;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  readonly sweepPeriodMs: number;
  /** The issuer that identifies administrators; without one they sign in by link. */
  readonly issuer?: IssuerSettings | undefined;
  /** Whether events may be delivered to this machine itself, over http too. */
  readonly webhooksToLoopback?: boolean;
};

/** The shell of an embedded host, with the parts that only the host itself uses. */
export type LocalShell = {
  readonly shell: Shell;
  readonly storage: Storage;
  readonly bus: MemoryBus;
  /** The operator's secret of this run: a user who can read the state folder has all rights by it. */
  readonly operator: MintedSecret;
};

/**
 * How old a cached zone may be when an answer depends on it. A refresh is two reads of a file in this process, so a
 * quarter of a second costs nothing, and no client system waits for its new node because of the cache.
 */
const zoneMaxAgeMs = 250;

/** How soon a zone may be counted again: the figures that people look at should be right within seconds. */
const countEveryMs = 10_000;

/** The files of a state folder; each determines what the host does. */
const database = ['muster.db', 'muster.db-wal', 'muster.db-shm', 'muster.db-journal'];
const stateFiles = [...database, 'keys.json', 'audit-keys.json', 'deployment', 'operator.key'];

/**
 * Refuses a state folder that others made or may change, because a key in it has an administrator's rights. Throws
 * NotOurs.
 */
function wantOwnHome(home: string): void {
  wantOwnPlace(home);
  for (const file of stateFiles) wantOwnFile(join(home, file));
  wantOwnFolder(objectsIn(home));
}

/**
 * Opens the state folder and makes the shell on it. Throws a MusterError when another process has the folder, and
 * NotOurs when it is not ours.
 */
export function localShell({
  home,
  deployment: given,
  beatMinMs,
  admitEveryMs,
  logLevel,
  sweepPeriodMs,
  issuer,
  rates,
  webhooksToLoopback: loopback = false,
}: HostOptions): LocalShell {
  const now = () => Date.now() as EpochMs;
  wantOwnHome(home);
  const storage = openStorage({ file: join(home, 'muster.db'), now, defer: (run) => void setImmediate(run) });
  const deployment = namedOrClosed(storage, () => deploymentIn(folderAt(home), given, randomBytes));
  const bus = memoryBus(0);
  const operator = mintSecret('mst', randomBytes);
  const shell: Shell = {
    table: storage.table,
    queue: storage.queue,
    bus,
    keys: fileKeys({ file: join(home, 'keys.json'), random: randomBytes }),
    auditKeys: fileKeys({ file: join(home, 'audit-keys.json'), random: randomBytes, keepsAllSince: now() }),
    now,
    newId: randomUUID,
    randomBytes: (bytes) => randomBytes(bytes),
    random: Math.random,
    sleep: (ms) => sleep(ms),
    log: logTo(process.stderr, logLevel, now),
    settings: { deployment, beatMinMs, admitEveryMs, zoneMaxAgeMs, countEveryMs, sweepPeriodMs, receivesMax: 1, ...(rates && { rates }) },
    operatorHash: operator.hash,
    ...(issuer && { issuer: oidcIssuer({ settings: issuer, now }) }),
    outbound: httpsOutbound({ loopback }),
    checks: workerChecks(),
    objects: folderObjects(objectsIn(home)),
    // esbuild is loaded when somebody opens the page.
    pages: memoryPages(async () => (await import('../../ui/build.ts')).buildUi()),
    caches: new Map(),
  };
  return { shell, storage, bus, operator };
}

/** The name of the deployment; closes the storage when there is none to be had. */
function namedOrClosed(storage: Storage, name: () => string): string {
  try {
    return name();
  } catch (error) {
    storage.close();
    throw error;
  }
}
