import * as z from 'zod';
import { isSameJson } from '../../../../../lib/core/json.ts';
import { Names } from '../../metadata/documents.ts';
import type { Step } from '../../metadata/plans.ts';
import { aContentKind, type Change, type Here, type IdOf, Labels, Text, when, without } from '../kind.ts';

const Package = z.object({ name: z.string(), arch: z.string().optional() });
const byName = (a: z.infer<typeof Package>, b: z.infer<typeof Package>): number =>
  `${a.name} ${a.arch ?? ''}` < `${b.name} ${b.arch ?? ''}` ? -1 : 1;

/** An activation key. Groups are named, since their numbers differ from server to server. */
const ActivationKey = z.object({
  description: Text,
  baseChannel: z.string().nullable().default(null),
  childChannels: Names.default([]),
  /** Null: as often as one likes. */
  usageLimit: z.number().positive().nullable().default(null),
  entitlements: Names.default([]),
  groups: Names.default([]),
  packages: z
    .array(Package)
    .default([])
    .transform((packages) => packages.toSorted(byName)),
  /** The one that counts first at the front. */
  configurationChannels: z.array(z.string()).default([]),
  deploysConfiguration: z.boolean().default(false),
  universalDefault: z.boolean().default(false),
  disabled: z.boolean().default(false),
  contactMethod: Text,
});
type ActivationKey = z.infer<typeof ActivationKey>;

const Listed = z.array(
  z.object({
    key: z.string(),
    description: Text,
    usage_limit: z.number(),
    base_channel_label: Text,
    child_channel_labels: z.array(z.string()),
    entitlements: z.array(z.string()),
    server_group_ids: z.array(z.coerce.number()),
    packages: z.array(z.object({ name: z.string(), arch: z.string().nullish() })),
    universal_default: z.boolean(),
    disabled: z.boolean(),
    contact_method: Text,
  }),
);
const Groups = z.array(z.object({ id: z.number(), name: z.string() }));

/** A server puts the number of its organisation in front of each key. */
const withoutPrefix = (key: string): string => key.replace(/^\d+-/, '');

/** They come with the registration of a system: the API neither adds nor removes them. */
const baseEntitlements = ['salt_entitled', 'foreign_entitled', 'bootstrap_entitled', 'enterprise_entitled'];

const documentOf = (listed: z.infer<typeof Listed>[number], groups: ReadonlyMap<number, string>): Partial<ActivationKey> => ({
  description: listed.description,
  baseChannel: ['', 'none'].includes(listed.base_channel_label) ? null : listed.base_channel_label,
  childChannels: listed.child_channel_labels,
  usageLimit: listed.usage_limit === 0 ? null : listed.usage_limit,
  entitlements: listed.entitlements.filter((label) => !baseEntitlements.includes(label)),
  groups: listed.server_group_ids.flatMap((id) => groups.get(id) ?? []),
  packages: listed.packages.map(({ name, arch }) => ({ name, ...(arch && { arch }) })),
  ...{ universalDefault: listed.universal_default, disabled: listed.disabled, contactMethod: listed.contact_method },
});

/** What one call sets, by the names of the API. */
const detailsOf = ({ description, baseChannel, usageLimit, universalDefault, disabled, contactMethod }: ActivationKey) => ({
  ...{ description, base_channel_label: baseChannel ?? '', universal_default: universalDefault, disabled },
  ...(usageLimit === null ? { unlimited_usage_limit: true } : { usage_limit: usageLimit }),
  ...(contactMethod !== '' && { contact_method: contactMethod }),
});

type Lists = { readonly key: string; readonly noun: string; readonly add: string; readonly remove: string; readonly as: string };

/** The calls that have a key hold what is wanted of a list, and nothing else. */
function listed<T>({ key, noun, add, remove, as }: Lists, has: readonly T[], wanted: readonly T[]): { gone: Step[]; come: Step[] } {
  const [gone, come] = [without(has, wanted), without(wanted, has)];
  return {
    gone: when(gone.length > 0, `take ${noun} from the activation key ${key}`, `activationkey.${remove}`, { key, [as]: gone }),
    come: when(come.length > 0, `give ${noun} to the activation key ${key}`, `activationkey.${add}`, { key, [as]: come }),
  };
}

/** The children of another base channel leave before it does. */
function changeChannels(key: string, has: ActivationKey, wanted: ActivationKey): readonly Step[] {
  const children = { key, noun: 'child channels', add: 'addChildChannels', remove: 'removeChildChannels', as: 'childChannelLabels' };
  const isOther = has.baseChannel !== wanted.baseChannel;
  const { gone, come } = isOther
    ? { gone: listed(children, has.childChannels, []).gone, come: listed(children, [], wanted.childChannels).come }
    : listed(children, has.childChannels, wanted.childChannels);
  return [
    ...gone,
    ...when(!isSameJson(detailsOf(has), detailsOf(wanted)), `set the details of the activation key ${key}`, 'activationkey.setDetails', {
      key,
      details: detailsOf(wanted),
    }),
    ...come,
  ];
}

function changeGroups(key: string, has: ActivationKey, wanted: ActivationKey, idOf: IdOf): Change {
  const groups = { key, noun: 'groups', add: 'addServerGroups', remove: 'removeServerGroups', as: 'serverGroupIds' };
  const ids = (names: readonly string[]) => names.flatMap((name) => idOf('group', name) ?? []);
  const { gone, come } = listed(groups, ids(has.groups), ids(wanted.groups));
  const missing = wanted.groups.filter((name) => idOf('group', name) === undefined);
  return { steps: [...gone, ...come], cannot: missing.map((name) => `this server has no group ${name}`) };
}

function changeRest(key: string, has: ActivationKey, wanted: ActivationKey): readonly Step[] {
  const entitlements = { key, noun: 'entitlements', add: 'addEntitlements', remove: 'removeEntitlements', as: 'entitlements' };
  const packages = { key, noun: 'packages', add: 'addPackages', remove: 'removePackages', as: 'packages' };
  const lists = [listed(entitlements, has.entitlements, wanted.entitlements), listed(packages, has.packages, wanted.packages)];
  const deploy = wanted.deploysConfiguration ? 'enableConfigDeployment' : 'disableConfigDeployment';
  return [
    ...lists.flatMap(({ gone, come }) => [...gone, ...come]),
    ...when(
      !isSameJson(has.configurationChannels, wanted.configurationChannels),
      `set the configuration channels of the activation key ${key}`,
      'activationkey.setConfigChannels',
      { keys: [key], configChannelLabels: wanted.configurationChannels },
    ),
    ...when(
      has.deploysConfiguration !== wanted.deploysConfiguration,
      `set whether the activation key ${key} deploys`,
      `activationkey.${deploy}`,
      { key },
    ),
  ];
}

/** Activation keys, by their names without the number of the organisation. */
export const activationKey = aContentKind({
  kind: 'activation-key',
  schema: ActivationKey,
  read: async (ask) => {
    const groups = new Map((await ask('systemgroup.listAllGroups', {}, Groups)).map(({ id, name }) => [id, name]));
    const found: [string, Here<unknown>][] = [];
    for (const one of await ask('activationkey.listActivationKeys', {}, Listed)) {
      const { key } = one;
      const configurationChannels = (await ask('activationkey.listConfigChannels', { key }, Labels)).map(({ label }) => label);
      const deploysConfiguration = (await ask('activationkey.checkConfigDeployment', { key }, z.number())) === 1;
      const document = { ...documentOf(one, groups), configurationChannels, deploysConfiguration };
      found.push([withoutPrefix(key), { document, id: key }]);
    }
    return found;
  },
  // What may be refused follows by `change`, so that a key without its channel has the rest.
  create: (key, { description }) =>
    when(true, `make the activation key ${key}`, 'activationkey.create', {
      ...{ key, description, baseChannelLabel: '', entitlements: [], universalDefault: false },
    }),
  change: (_key, { document, id }, wanted, idOf) => {
    const key = String(id);
    const groups = changeGroups(key, document, wanted, idOf);
    return {
      steps: [...changeChannels(key, document, wanted), ...groups.steps, ...changeRest(key, document, wanted)],
      cannot: groups.cannot,
    };
  },
  remove: (_key, { id }) => when(true, `remove the activation key ${id}`, 'activationkey.delete', { key: id }),
});
