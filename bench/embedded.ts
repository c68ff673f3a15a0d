import { join } from 'node:path';
import { freePorts, type Started, start } from './processes.ts';

/** An embedded host in a process of its own. */
export type Embedded = Started & { readonly url: string };

/** The embedded host as `npm start` runs it, on its state folder, once it answers; `flags` are for node. Throws when it does not within 20 s. */
export async function startEmbedded(
  home: string,
  { env = {}, flags = [] }: { readonly env?: Readonly<Record<string, string>>; readonly flags?: readonly string[] } = {},
): Promise<Embedded> {
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const settings = { MUSTER_PORT: String(port), MUSTER_HOME: home, ...env };
  const main = join(import.meta.dirname, '../local/main.ts');
  const host = await start(process.execPath, [...flags, main], settings, async () => (await fetch(`${url}/api/v1/sign-in`)).ok);
  return { ...host, url };
}
