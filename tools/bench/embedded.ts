import { join } from 'node:path';
import { boundTo, freePorts, type Started, start } from './report/processes.ts';

/** An embedded host in a process of its own. */
export type Embedded = Started & { readonly url: string };

/**
 * The embedded host as `npm start` runs it, on its state folder, once it answers; `flags` are for node, `bound` gives
 * it a processor of its own, `headers` are those of a proxy in front. Throws when it does not answer within 20 s.
 */
export async function startEmbedded(
  home: string,
  {
    env = {},
    flags = [],
    bound = false,
    headers = {},
  }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly flags?: readonly string[];
    readonly bound?: boolean;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<Embedded> {
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const settings = { MUSTER_PORT: String(port), MUSTER_HOME: home, ...env };
  const main = join(import.meta.dirname, '../../programs/local/main.ts');
  const alone = [process.execPath, [...flags, main]] as const;
  const [command, args] = bound ? boundTo('measured', alone) : alone;
  const host = await start(command, args, settings, async () => (await fetch(`${url}/api/v1/sign-in`, { headers })).ok);
  return { ...host, url };
}
