/**
 * The arguments and options that take the names of existing things, and the command that lists those: by the path of a
 * command and what its help calls an argument or option. Only lists that a person would look through are here: a
 * deployment may have millions of client systems.
 */
const lists: readonly (readonly [where: RegExp, list: string])[] = [
  [/ --context$|^context (use|delete) name$/, 'context list'],
  [/ --zone$|^zone (?!create )\S+ zone$|^(explain|history) (zone|cluster|stations|site-orders)$/, 'zone list'],
  [/^node (admit|reject) host$/, 'node pool'],
  [/^node token revoke token$/, 'node token list'],
  [/^node rule delete rule$/, 'node rule list'],
  [/^(?!node token ).* (--)?node$|^halon (node power-cycle|station) host$/, 'node list'],
  [/^system accept fingerprint$/, 'onboarding list'],
  [/^onboarding token revoke token$/, 'onboarding token list'],
  [/^service type \S+ type$|^service .* --type$|^halon service type$/, 'service type list'],
  [/^mero role \S+ role$|^mero process add role$/, 'mero role list'],
  [/^halon role \S+ role$/, 'halon role list'],
  [/^key revoke id$/, 'key list'],
  [/^webhook \S+ id$/, 'webhook list'],
  [/^dlq \S+ id$/, 'dlq list'],
];

/** The command that lists the names for an argument or option; undefined where nothing can be offered. */
export const listOf = (path: string, called: string): string | undefined => lists.find(([where]) => where.test(`${path} ${called}`))?.[1];
