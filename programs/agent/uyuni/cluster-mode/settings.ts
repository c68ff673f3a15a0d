import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { jsonIn } from '../../../../lib/core/json.ts';
import { Unusable } from '../../../../lib/machine/command-line.ts';
import type { Folder } from '../../../../lib/machine/folder.ts';

/** A path that needs no quoting in a file of Apache. */
export const PlainPath = z.string().regex(/^(\/[\w.+-]+)+$/, 'a whole path of letters, digits and . _ + -');

/** The address of the Cluster UI: Muster's own, or a path of the server. */
export const ClusterUi = z
  .string()
  .regex(/^(https?:\/\/(\[[0-9a-f:]+\]|[\w.-]+)(:\d{1,5})?)?(\/[\w.~-]+)*\/?$/i, 'an address such as https://muster.acme.test/ui/')
  .refine((text) => text !== '', { error: 'an address such as https://muster.acme.test/ui/' });

/** How cluster mode is installed on a server: the agent and the commands read it from the agent's folder. */
export const ClusterMode = z.strictObject({
  version: z.literal(1),
  /** The file of Apache that the agent wrote. */
  apacheFile: PlainPath,
  /** The folder that Apache looks into at each request: the lease, and the seat's file. */
  state: PlainPath,
  /** Where the agent listens for Apache, on loopback. */
  port: z.int().min(1).max(65_535),
  clusterUi: ClusterUi,
  /** Where Apache takes calls of XML-RPC that the agent has let through. */
  server: z.url({ protocol: /^https?$/ }),
  locksContent: z.boolean(),
  /** By this secret Apache knows calls that the agent has let through. */
  secret: z.string().regex(/^[0-9a-f]{32,}$/),
  /** Where modules of Apache are that may have to be loaded. */
  modules: PlainPath.optional(),
});
export type ClusterMode = z.infer<typeof ClusterMode>;

/** The file that records how cluster mode is installed, in the agent's folder. */
export const settingsFile = 'cluster-mode.json';

/** How cluster mode is installed; undefined where it is not. Throws {@link Unusable} for a file that cannot be read. */
export function readClusterMode(folder: Folder): ClusterMode | undefined {
  const text = folder.read(settingsFile);
  if (text === undefined) return undefined;
  const read = ClusterMode.safeParse(jsonIn(text));
  if (!read.success) throw new Unusable(`${join(folder.path, settingsFile)} cannot be read: install cluster mode again`);
  return read.data;
}

/** Writes how cluster mode is installed. */
export const writeClusterMode = (folder: Folder, mode: ClusterMode): void =>
  folder.write(settingsFile, `${JSON.stringify(mode, undefined, 2)}\n`);

/** The file that is there as long as the login page leads to the Cluster UI, for Apache. */
export const leaseFile = ({ state }: Pick<ClusterMode, 'state'>): string => join(state, 'lease');
/** The file that is there where common content is open for editing, for Apache. */
export const seatFile = ({ state }: Pick<ClusterMode, 'state'>): string => join(state, 'seat');

/** Makes the folder that Apache looks into, where it is not there: a boot of the host takes it away. */
export function makeState({ state }: Pick<ClusterMode, 'state'>): void {
  mkdirSync(state, { recursive: true });
  // Apache is another user, whatever the umask of this program is.
  chmodSync(state, 0o755);
}

const Editing = z.strictObject({ who: z.string().min(1).max(200), node: z.string().min(1).max(253) });
const editingFile = 'editing.json';

/** Who edits common content, and where; undefined while nobody does. */
export function readEditing(folder: Folder): z.infer<typeof Editing> | undefined {
  return Editing.safeParse(jsonIn(folder.read(editingFile))).data;
}

/** Records who edits common content, and where; undefined: nobody. */
export function writeEditing(folder: Folder, editing: z.infer<typeof Editing> | undefined): void {
  if (editing === undefined) folder.remove(editingFile);
  else folder.write(editingFile, `${JSON.stringify(editing)}\n`);
}
