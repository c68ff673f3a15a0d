/** What a change is about. A formula belongs to the system or group that it is set for. */
export const changeKinds = [
  ...(['system', 'group', 'channel', 'errata', 'configuration', 'activation-key', 'user', 'organisation', 'project', 'filter'] as const),
  ...(['image', 'image-profile', 'maintenance-schedule', 'custom-key'] as const),
] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** Rows of a table whose change is a change of a thing of this kind. */
export type Watch = {
  readonly table: string;
  readonly kind: ChangeKind;
  /** The column with the number of the thing. */
  readonly key: string;
  /** The column with the thing's own name, where the row is the thing: who reads that it is gone knows which it was. */
  readonly name?: string;
  /** The columns whose change counts, beside key and name. */
  readonly columns: readonly string[];
  /** Which rows count, by a condition on their columns; all of them unless given. */
  readonly where?: string;
};

const ofSystem = (table: string, ...columns: readonly string[]): Watch => ({ table, kind: 'system', key: 'server_id', columns });

const systems: readonly Watch[] = [
  {
    table: 'rhnserver',
    kind: 'system',
    key: 'id',
    columns: [
      ...['org_id', 'name', 'description', 'hostname', 'machine_id', 'auto_update', 'contact_method_id', 'maintenance_schedule_id'],
      ...['release', 'running_kernel'],
    ],
  },
  { table: 'suseminioninfo', kind: 'system', key: 'server_id', name: 'minion_id', columns: [] },
  ofSystem('rhnserverlocation', 'machine', 'rack', 'room', 'building', 'address1', 'address2', 'city', 'state', 'country'),
  ofSystem('rhnservergroupmembers', 'server_group_id'),
  ofSystem('rhnserverchannel', 'channel_id'),
  ofSystem('rhnserverconfigchannel', 'config_channel_id', 'position'),
  ofSystem('rhnservernotes', 'subject', 'note'),
  ofSystem('rhnservercustomdatavalue', 'key_id', 'value'),
  ofSystem('rhnserverlock', 'reason'),
  // An action counts once it has ended: 2 is completed, 3 has failed.
  { ...ofSystem('rhnserveraction', 'status', 'completion_time'), where: 'status IN (2, 3)' },
  { ...ofSystem('susesaltpillar', 'category', 'pillar'), where: "server_id IS NOT NULL AND category LIKE 'formula-%'" },
];

const things: readonly Watch[] = [
  { table: 'rhnservergroup', kind: 'group', key: 'id', name: 'name', columns: ['description', 'org_id'], where: 'group_type IS NULL' },
  {
    table: 'susesaltpillar',
    kind: 'group',
    key: 'group_id',
    columns: ['category', 'pillar'],
    where: "group_id IS NOT NULL AND category LIKE 'formula-%'",
  },
  {
    table: 'rhnchannel',
    kind: 'channel',
    key: 'id',
    name: 'label',
    columns: [
      ...['parent_channel', 'org_id', 'channel_arch_id', 'name', 'summary', 'description', 'gpg_check', 'gpg_key_url', 'gpg_key_id'],
      ...['gpg_key_fp', 'channel_access', 'maint_name', 'maint_email', 'maint_phone', 'support_policy', 'update_tag'],
    ],
  },
  { table: 'rhnchannelpackage', kind: 'channel', key: 'channel_id', columns: ['package_id'] },
  { table: 'rhnchannelerrata', kind: 'channel', key: 'channel_id', columns: ['errata_id'] },
  {
    table: 'rhnerrata',
    kind: 'errata',
    key: 'id',
    name: 'advisory_name',
    columns: ['advisory_type', 'advisory_status', 'advisory_rel', 'synopsis', 'description', 'topic', 'solution', 'update_date'],
  },
  { table: 'rhnconfigchannel', kind: 'configuration', key: 'id', name: 'label', columns: ['confchan_type_id', 'name', 'description'] },
  {
    table: 'rhnconfigfile',
    kind: 'configuration',
    key: 'config_channel_id',
    columns: ['config_file_name_id', 'latest_config_revision_id'],
  },
  {
    table: 'rhnregtoken',
    kind: 'activation-key',
    key: 'id',
    columns: ['note', 'usage_limit', 'disabled', 'deploy_configs', 'contact_method_id'],
    where: 'server_id IS NULL',
  },
  // A key that registers one system anew belongs to that system, and is gone as soon as it was used.
  {
    table: 'rhnactivationkey',
    kind: 'activation-key',
    key: 'reg_token_id',
    name: 'token',
    columns: [],
    where: "token NOT LIKE 're-%'",
  },
  { table: 'rhnregtokenchannels', kind: 'activation-key', key: 'token_id', columns: ['channel_id'] },
  { table: 'rhnregtokengroups', kind: 'activation-key', key: 'token_id', columns: ['server_group_id'] },
  { table: 'web_contact', kind: 'user', key: 'id', name: 'login', columns: ['org_id', 'password', 'ignore_flag', 'read_only'] },
  { table: 'rhnwebcontactchangelog', kind: 'user', key: 'web_contact_id', columns: ['change_state_id'] },
  { table: 'web_user_personal_info', kind: 'user', key: 'web_user_id', columns: ['prefix', 'first_names', 'last_name', 'email'] },
  { table: 'rhnusergroupmembers', kind: 'user', key: 'user_id', columns: ['user_group_id', 'temporary'] },
  { table: 'web_customer', kind: 'organisation', key: 'id', name: 'name', columns: [] },
  { table: 'susecontentproject', kind: 'project', key: 'id', name: 'label', columns: ['name', 'description', 'org_id'] },
  {
    table: 'susecontentenvironment',
    kind: 'project',
    key: 'project_id',
    columns: ['label', 'name', 'description', 'version', 'next_env_id'],
  },
  { table: 'susecontentfilter', kind: 'filter', key: 'id', name: 'name', columns: ['type', 'rule', 'matcher', 'field', 'value'] },
  { table: 'suseimageprofile', kind: 'image-profile', key: 'profile_id', name: 'label', columns: ['image_type', 'org_id'] },
  { table: 'suseimageinfo', kind: 'image', key: 'id', name: 'name', columns: ['version', 'image_type', 'curr_revision_num'] },
  { table: 'susemaintenanceschedule', kind: 'maintenance-schedule', key: 'id', name: 'name', columns: ['sched_type', 'org_id'] },
  { table: 'rhncustomdatakey', kind: 'custom-key', key: 'id', name: 'label', columns: ['description', 'org_id'] },
];

/**
 * What is watched in the database of a server, in the names of its public schema
 * (https://github.com/uyuni-project/uyuni, schema/spacewalk/common/tables). When a system called in last is not among
 * it: that changes with every job of every system, and is read for all of them at once.
 */
export const watched: readonly Watch[] = [...systems, ...things];

/** The columns that each watched table must have, by its name. */
export const wantedColumns = (): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [...Map.groupBy(watched, ({ table }) => table)].map(([table, watches]) => [
      table,
      [...new Set(watches.flatMap(({ key, name, columns }) => [key, ...(name === undefined ? [] : [name]), ...columns]))].sort(),
    ]),
  );
