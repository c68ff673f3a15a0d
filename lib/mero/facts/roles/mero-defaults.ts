import type { Defect } from '../../../core/defect.ts';
import { pathText } from '../../../core/defect.ts';
import type { RoleMap } from '../convert/role-map.ts';
import type { ProcessType, Service } from '../process.ts';
import { filledContent, type MeroRole } from './mero-role.ts';

type Tag = Service['m0s_type']['tag'] extends `CST_${infer T}` ? T : never;
/** A default role with its one process. */
type Default = {
  readonly name: string;
  /** Portal and number of its endpoint. */
  readonly at: string;
  readonly type: ProcessType;
  readonly services: readonly Tag[];
  readonly multiplicity?: number;
  readonly environment?: readonly (readonly [string, { readonly tag: 'M0PEnvRange'; readonly contents: [number, number] }])[];
};

/**
 * The roles that come with Muster, as the original's role maps have them: the endpoints of their processes, their
 * types, the services in them, and how many there are.
 */
const defaults: readonly Default[] = [
  { name: 'ha', at: '34:101', type: { tag: 'PLHalon', contents: [] }, services: ['HA', 'RMS'] },
  { name: 'confd', at: '44:101', type: { tag: 'PLM0d', contents: 0 }, services: ['CONFD', 'RMS'] },
  { name: 'mds', at: '41:201', type: { tag: 'PLM0d', contents: 1 }, services: ['RMS', 'MDS', 'ADDB2'] },
  {
    name: 'storage',
    at: '41:401',
    type: { tag: 'PLM0d', contents: 1 },
    services: ['RMS', 'IOS', 'SNS_REP', 'SNS_REB', 'ADDB2', 'CAS'],
  },
  { name: 'm0t1fs', at: '41:301', type: { tag: 'PLM0t1fs', contents: [] }, services: ['RMS'] },
  {
    name: 'clovis-app',
    at: '41:302',
    type: { tag: 'PLClovis', contents: ['clovis-app', 'Independent'] },
    services: ['RMS'],
    multiplicity: 4,
  },
  {
    name: 's3server',
    at: '41:303',
    type: { tag: 'PLClovis', contents: ['s3server', 'Managed'] },
    services: ['RMS'],
    multiplicity: 4,
    environment: [['MERO_S3SERVER_PORT', { tag: 'M0PEnvRange', contents: [8081, 8099] }]],
  },
];

/** The Mero roles that come with Muster. Limits of memory and cores are those of the node, where it has any. */
export const defaultMeroRoles = (): MeroRole[] => defaults.map(roleOf);

const roleOf = ({ name, at, type, services, multiplicity, environment }: Default): MeroRole => ({
  name,
  ...(multiplicity !== undefined && { variables: { multiplicity } }),
  content: [
    {
      m0p_endpoint: `{{ lnid }}:12345:${at}`,
      ...Object.fromEntries(['as', 'rss', 'stack', 'memlock'].map((one) => [`m0p_mem_${one}`, `{{ host_mem_${one}? }}`])),
      m0p_cores: '{{ host_cores? }}',
      m0p_type: type,
      m0p_services: services.map((tag) => ({ m0s_type: { tag: `CST_${tag}`, contents: [] } })),
      ...(environment && { m0p_environment: environment.map(([key, value]) => [key, value]) }),
      ...(multiplicity !== undefined && { m0p_multiplicity: '{{ multiplicity }}' }),
    },
  ],
});

/** A catalogue in place of a role map, for files whose roles are those of the catalogue. */
export const roleMapOf = (catalogue: readonly MeroRole[]): RoleMap => ({
  rolesWith: async (variables) => {
    const defects: Defect[] = [];
    const roles = new Map(catalogue.map((role) => [role.name, filledContent(role, { ...role.variables, ...variables }, defects)]));
    const [first] = defects;
    return first ? { says: `${first.says}, for ${pathText(first.path)}` } : roles;
  },
});
