/** The BMC of a host: its address, its user, and the name by which stations know its password. */
export type Bmc = { readonly host: string; readonly address: string; readonly user: string; readonly secret: string };

/** A BMC as a person writes it: `HOST=USER@ADDRESS`, as the command line has it. */
export const bmcText = ({ host, user, address }: Pick<Bmc, 'host' | 'user' | 'address'>): string => `${host}=${user}@${address}`;

/**
 * The BMCs that lines of a text name, or the first line that names none. The name of a password is that of the known
 * BMC of the host, and `bmc/HOST` for a new one.
 */
export function bmcsIn(
  text: string,
  known: readonly Bmc[],
): { readonly bmcs: readonly Bmc[]; readonly fault?: never } | { readonly bmcs?: never; readonly fault: string } {
  const bmcs: Bmc[] = [];
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '') continue;
    const [, host, user, address] = /^([^=\s]+)=([^@\s]+)@(\S+)$/.exec(line) ?? [];
    if (host === undefined || user === undefined || address === undefined) return { fault: `“${line}” is not HOST=USER@ADDRESS.` };
    if (bmcs.some((one) => one.host === host)) return { fault: `${host} is there twice.` };
    bmcs.push({ host, user, address, secret: known.find((one) => one.host === host)?.secret ?? `bmc/${host}` });
  }
  return { bmcs };
}
