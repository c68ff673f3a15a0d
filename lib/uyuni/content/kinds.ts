/**
 * A kind of common content of a zone, and where a server changes it. Paths are regular expressions for what follows
 * `/rhn/`, in the language that JavaScript and Apache (PCRE) share.
 */
export type ContentKind = {
  readonly kind: string;
  /** In the plural, at the beginning of a sentence. */
  readonly title: string;
  /** The kinds of documents in which it is copied from server to server. */
  readonly copied: readonly string[];
  /** What of it is not copied, and why; '' where all of it is. */
  readonly notCopied: string;
  /** Namespaces of the API whose methods change it. */
  readonly namespaces: readonly string[];
  /** Pages that only change it: nobody is to fill in a form in vain. */
  readonly forms: readonly string[];
  /** What changes it when something is sent there; to look at it changes nothing. */
  readonly writes: readonly string[];
};

/**
 * Every kind, after the endpoints that Uyuni itself lists for its access control (July 2026). What concerns systems is
 * left out: subscribing them, deploying to them, their groups, schedules and formulas.
 */
export const contentKinds: readonly ContentKind[] = [
  {
    kind: 'channel',
    title: 'Software channels',
    copied: ['repository', 'channel'],
    notCopied: 'packages, patches and modules, which take a store of packages; who may subscribe; filters of repositories',
    namespaces: ['channel.software', 'channel.access', 'channel.org', 'distchannel', 'packages', 'packages.provider'],
    forms: [
      String.raw`channels/manage/(?!(?:Manage|Edit|Managers|ChannelPackages|ChannelPackageMenu|Repositories|DistChannelMap|errata/Errata|repos/RepoList)\.do)`,
    ],
    writes: [
      'channels/manage/',
      String.raw`channels/(?:Managers|ChannelDetail|Subscribers)\.do`,
      String.raw`multiorg/channels/OrgList\.do`,
      'manager/api/packages/delete',
    ],
  },
  {
    kind: 'errata',
    title: 'Patches',
    copied: [],
    notCopied: 'they belong to the packages of channels',
    namespaces: ['errata'],
    forms: [String.raw`errata/manage/(?!(?:(?:Published|Unpublished)?Errata|Edit|Channels|Packages|ListPackages)\.do)`],
    writes: [String.raw`errata/manage/(?!(?:Published|Unpublished)?Errata\.do)`],
  },
  {
    kind: 'configuration',
    title: 'Configuration channels',
    copied: ['configuration'],
    notCopied: 'revisions before the newest',
    namespaces: ['configchannel'],
    forms: [
      String.raw`configuration/(?:Channel(?:Create|UploadFiles|ImportFiles|CreateFiles)|DeleteChannel)\.do`,
      String.raw`configuration/(?:channel/Copy2Channels|file/(?:Delete\w*|CopyFileCentral\w*))\.do`,
    ],
    writes: [
      String.raw`configuration/(?:Channel(?:Files|ImportFiles)Submit|ChannelOverview)\.do`,
      String.raw`configuration/file/(?:FileDetails\w*|ManageRevision\w*)\.do`,
    ],
  },
  {
    kind: 'activation-key',
    title: 'Activation keys',
    copied: ['activation-key'],
    notCopied: 'application streams',
    namespaces: ['activationkey'],
    forms: [String.raw`activationkeys/(?:Create|Clone|Delete|groups/Add|configuration/(?:Subscribe|Rank))\.do`],
    writes: [String.raw`activationkeys/(?!(?:systems/)?List\.do)`],
  },
  {
    kind: 'user',
    title: 'Users and their roles',
    copied: [],
    notCopied: 'the API tells no passwords, so that nobody could sign in by a copy',
    namespaces: ['user', 'user.external', 'user.notifications', 'access', 'preferences.locale'],
    forms: [
      String.raw`users/(?:CreateUser|DeleteUser|DisableUser|EnableUser|EnableConfirm|ChangeEmail|EditAddress)\.do`,
      String.raw`account/(?:ChangeEmail|EditAddress|AccountDeactivation\w*)\.do`,
      'manager/admin/access-control/create-access-group',
    ],
    writes: [
      String.raw`users/(?!(?:Active|User)List\.do)`,
      'account/',
      String.raw`newlogin/CreateUser\w*\.do`,
      String.raw`admin/multiorg/(?:ToggleSatAdmin|SatRoleConfirm)\.do`,
      'manager/api/admin/access-control/',
    ],
  },
  {
    kind: 'organisation',
    title: 'Organisations',
    copied: [],
    notCopied: 'a copy is of one organisation, that of the account',
    namespaces: ['org', 'org.trusts'],
    forms: [String.raw`admin/multiorg/(?:OrgCreate|DeleteOrg)\.do`],
    writes: [String.raw`admin/multiorg/(?!(?:Organizations|OrgUsers|Users)\.do)`, String.raw`multiorg/OrgConfigDetails\.do`],
  },
  {
    kind: 'group',
    title: 'System groups',
    copied: ['group'],
    notCopied: 'administrators, states and configuration channels of a group',
    namespaces: ['systemgroup'],
    forms: [
      String.raw`groups/(?:CreateGroup|EditGroup|DeleteGroup)\.do`,
      String.raw`manager/groups/details/(?:custom|formulas?|highstate)\b`,
    ],
    writes: [String.raw`groups/AdminList\.do`],
  },
  {
    kind: 'content-project',
    title: 'Content projects, their filters and environments',
    copied: ['filter', 'project'],
    notCopied: 'channels that were built, which are known by their names: build and promote on the other server',
    namespaces: ['contentmanagement'],
    forms: ['manager/contentmanagement/project/?$'],
    writes: ['manager/api/contentmanagement/'],
  },
  {
    kind: 'image',
    title: 'Image profiles, stores and files',
    copied: [],
    notCopied: 'not yet',
    namespaces: ['image', 'image.profile', 'image.store', 'image.delta'],
    forms: [String.raw`manager/cm/image(?:profile|store)s/(?:create|edit)\b`],
    writes: [
      String.raw`manager/api/cm/image(?:profile|store)s/(?:create|update|delete)\b`,
      'manager/api/cm/images/delete',
      'manager/upload/image',
    ],
  },
  { kind: 'formula', title: 'Formulas of groups', copied: [], notCopied: 'not yet', namespaces: ['formula'], forms: [], writes: [] },
  {
    kind: 'maintenance',
    title: 'Maintenance schedules and calendars',
    copied: ['maintenance-calendar', 'maintenance-schedule'],
    notCopied: '',
    namespaces: ['maintenance'],
    forms: [],
    writes: [String.raw`manager/api/maintenance/(?:schedule|calendar)/(?:save|delete|refresh)\b`],
  },
  {
    kind: 'recurring',
    title: 'Recurring actions',
    copied: [],
    notCopied: 'not yet',
    namespaces: ['recurring', 'recurring.custom', 'recurring.highstate', 'recurring.playbook'],
    forms: [],
    writes: [String.raw`manager/api/recurringactions/(?:save|\d+/delete)\b`],
  },
  {
    kind: 'autoinstallation',
    title: 'Autoinstallation profiles, distributions and snippets',
    copied: [],
    notCopied: 'not yet',
    namespaces: [
      ...['kickstart', 'kickstart.profile', 'kickstart.profile.system', 'kickstart.profile.software', 'kickstart.profile.keys'],
      ...['kickstart.tree', 'kickstart.filepreservation', 'kickstart.snippet'],
    ],
    forms: [
      String.raw`kickstart/(?:AdvancedModeCreate|CreateProfileWizard|KickstartDelete|KickstartClone|TreeCreate|TreeDelete|cobbler/CobblerSnippet(?:Create|Delete))\.do`,
    ],
    writes: [
      String.raw`kickstart/(?!(?:Kickstarts|ViewTrees|KickstartOverview|DownloadFile|KickstartFileDownload|cobbler/\w+SnippetList)\.do)`,
      'systems/provisioning/preservation/',
    ],
  },
  {
    kind: 'crypto-key',
    title: 'GPG and SSL keys',
    copied: ['crypto-key'],
    notCopied: 'the certificate authority of the server itself, `RHN-ORG-TRUSTED-SSL-CERT`',
    namespaces: ['kickstart.keys', 'admin.gpg'],
    forms: [String.raw`keys/CryptoKey(?:Create|Delete)\.do`],
    writes: [String.raw`keys/(?!CryptoKeysList\.do)`],
  },
  {
    kind: 'custom-info',
    title: 'Keys of custom system information',
    copied: ['custom-key'],
    notCopied: '',
    namespaces: ['system.custominfo'],
    forms: [String.raw`systems/customdata/(?:Create|Delete)CustomKey\.do`],
    writes: [String.raw`systems/customdata/(?!CustomDataList\.do)`],
  },
  {
    kind: 'ansible',
    title: 'Paths of Ansible',
    copied: [],
    notCopied: 'a path is of one system',
    namespaces: ['ansible'],
    forms: [],
    writes: [String.raw`manager/api/systems/details/ansible/paths/(?:save|delete)\b`],
  },
  {
    kind: 'server',
    title: 'Products, mirrors and settings that all servers share',
    copied: [],
    notCopied: 'it belongs to the installation of a server',
    namespaces: [
      ...['sync.content', 'sync.hub', 'proxy', 'admin.configuration', 'admin.monitoring', 'admin.payg', 'admin.ssh'],
      ...['subscriptionmatching.pinnedsubscription', 'virtualhostmanager'],
    ],
    forms: [],
    writes: [
      'manager/admin/setup/',
      String.raw`manager/api/admin/hub\b`,
      String.raw`manager/api/vhms/(?:create|update|delete)\b`,
      String.raw`manager/api/subscription-matching/pins\b`,
    ],
  },
];

/** The kind that a method changes, by its namespace; undefined for a method of no kind. */
export function kindOfMethod(name: string): ContentKind | undefined {
  const namespace = name.slice(0, Math.max(0, name.lastIndexOf('.')));
  return contentKinds.find(({ namespaces }) => namespaces.includes(namespace));
}
