import type { Fid } from '../../core/fid.ts';
import type { ProcessType } from './process.ts';

/** A variable of a process, by a name that every shell knows. */
export type EnvironmentVariable = { readonly name: string; readonly value: string };

/** The name as a shell knows it: a hyphen and a dot become an underscore. */
export const variableName = (key: string): string => key.replaceAll(/[-.]/g, '_');

/** The names of variables that Muster sets, which a process's own must not have. */
export const configurationKeys = /^MERO_(\w+_EP|PROFILE_FID|PROCESS_FID|CONF_XC)$/;

/**
 * Variables by which the loader and the C library of Linux take code or settings from elsewhere (ld.so(8)); no process
 * gets any.
 */
export const loaderKeys = /^(LD_\w+|GLIBC_TUNABLES|GCONV_PATH)$/;

/** The file with the configuration of a confd. */
const confXc = '/var/mero/confd/conf.xc';
/** The default end of the endpoint of Halon's own process on a node, as its role has it. */
const haSuffix = ':12345:34:101';

/** The parts of a process that its configuration depends on. */
export type Configured = {
  readonly fid: Fid;
  readonly type: ProcessType;
  readonly endpoint: string;
  readonly environment: readonly EnvironmentVariable[];
  readonly services: readonly { readonly type: string }[];
};

/**
 * The inputs of a configuration that are not the process's own: the endpoint of Halon's process of its node, and its
 * profile.
 */
export type ConfigurationInputs = { readonly haEndpoint?: string | undefined; readonly profile?: Fid | undefined };

/** The prefix of the units and files of a process: `m0d`, `m0t1fs`, or the name of its application. */
export function prefixOf(type: ProcessType): string {
  switch (type.tag) {
    case 'PLHalon':
    case 'PLM0d':
      return 'm0d';
    case 'PLM0t1fs':
      return 'm0t1fs';
    case 'PLClovis':
      return type.contents[0];
  }
}

/** The file on its host that a process's configuration is written to. */
export const configurationFile = ({ type, fid }: Pick<Configured, 'type' | 'fid'>): string => `/etc/sysconfig/${prefixOf(type)}-${fid}`;

/** All variables of a process, in the order of the file. */
export function configurationOf(process: Configured, { haEndpoint, profile }: ConfigurationInputs): EnvironmentVariable[] {
  const { fid, type, endpoint, environment, services } = process;
  const lnid = endpoint.slice(0, endpoint.indexOf(':12345:'));
  return [
    { name: `MERO_${variableName(prefixOf(type)).toUpperCase()}_EP`, value: endpoint },
    { name: 'MERO_HA_EP', value: haEndpoint ?? `${lnid}${haSuffix}` },
    ...(profile === undefined ? [] : [{ name: 'MERO_PROFILE_FID', value: profile }]),
    { name: 'MERO_PROCESS_FID', value: fid },
    ...(services.some((service) => service.type === 'CST_CONFD') ? [{ name: 'MERO_CONF_XC', value: confXc }] : []),
    ...environment,
  ];
}

/** Variables as a file that a shell and systemd read alike: a line each, the value in single quotes. */
export const configurationText = (variables: readonly EnvironmentVariable[]): string =>
  variables.map(({ name, value }) => `${name}='${value.replaceAll("'", `'\\''`)}'\n`).join('');
