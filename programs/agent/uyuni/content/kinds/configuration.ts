import * as z from 'zod';
import { isSameJson } from '../../../../../lib/core/json.ts';
import type { Ask } from '../../metadata/kinds.ts';
import type { Step } from '../../metadata/plans.ts';
import { aContentKind, type Here, Text, when } from '../kind.ts';

/** A server takes 0644, and has 644. */
const withoutZeros = (permissions: string): string => permissions.replace(/^0+(?=.)/, '');
const Owned = { owner: Text, group: Text, permissions: z.string().default('').transform(withoutZeros), selinux: Text };
/** What is in a file: text in which macros are replaced, or bytes in base64 where a server has it as binary. */
const Contents = z.union([
  z.strictObject({ text: z.string(), macros: z.object({ start: Text, end: Text }) }),
  z.strictObject({ base64: z.string() }),
]);
type Contents = z.infer<typeof Contents>;

const File = z.discriminatedUnion('type', [
  z.object({ type: z.literal('file'), contents: Contents, ...Owned }),
  z.object({ type: z.literal('directory'), ...Owned }),
  z.object({ type: z.literal('symlink'), target: Text, selinux: Text }),
]);
type File = z.infer<typeof File>;

/** A configuration channel with its files by their paths, as they are in their newest revisions. */
const ConfigurationChannel = z.object({
  name: z.string(),
  description: Text,
  type: z.enum(['normal', 'state']),
  files: z.record(z.string(), File),
});
type ConfigurationChannel = z.infer<typeof ConfigurationChannel>;

const Listed = z.array(
  z.object({ label: z.string(), name: z.string(), description: Text, configChannelType: z.object({ label: z.enum(['normal', 'state']) }) }),
);
const Info = z.object({
  type: z.string(),
  path: z.string(),
  target_path: Text,
  contents: Text,
  contents_enc64: z.boolean().default(false),
  binary: z.boolean().default(false),
  ...{ owner: Text, group: Text, selinux_ctx: Text },
  permissions: z.number().nullish(),
  'macro-start-delimiter': Text,
  'macro-end-delimiter': Text,
});

/** A server encodes what it has as binary, and text that XML cannot carry. */
function contentsOf(info: z.infer<typeof Info>): Contents {
  const { contents, contents_enc64: isEncoded, binary } = info;
  if (binary) return { base64: isEncoded ? contents : Buffer.from(contents).toString('base64') };
  const text = isEncoded ? Buffer.from(contents, 'base64').toString() : contents;
  return { text, macros: { start: info['macro-start-delimiter'], end: info['macro-end-delimiter'] } };
}

function fileOf(info: z.infer<typeof Info>): unknown {
  const { owner, group, permissions, selinux_ctx: selinux } = info;
  // The first state of a channel has a type of its own.
  const type = info.type === 'sls' ? 'file' : info.type;
  if (type === 'symlink') return { type, target: info.target_path, selinux };
  const owned = { owner, group, permissions: permissions == null ? '' : String(permissions), selinux };
  if (type === 'directory') return { type, ...owned };
  return { type, contents: contentsOf(info), ...owned };
}

async function filesOf(ask: Ask, label: string): Promise<unknown> {
  const files: Record<string, unknown> = {};
  for (const { path } of await ask('configchannel.listFiles', { label }, z.array(z.object({ path: z.string() })))) {
    const [info] = await ask('configchannel.lookupFileInfo', { label, paths: path }, z.array(Info));
    if (info) files[path] = fileOf(info);
  }
  return files;
}

/** Where a channel of states has its first state; it is written by a method of its own. */
const initSls = '/init.sls';
const isInit = (channel: ConfigurationChannel, path: string): boolean => channel.type === 'state' && path === initSls;

const asContents = (contents: Contents) =>
  'text' in contents
    ? {
        ...{ contents: contents.text, contents_enc64: false, binary: false },
        ...{ 'macro-start-delimiter': contents.macros.start, 'macro-end-delimiter': contents.macros.end },
      }
    : { contents: contents.base64, contents_enc64: true, binary: true };

/** The first state of a channel; undefined where it is no text, which the API does not take. */
function initOf({ files }: ConfigurationChannel): { readonly contents: string; readonly contents_enc64: false } | undefined {
  const init = files[initSls];
  return init?.type === 'file' && 'text' in init.contents ? { contents: init.contents.text, contents_enc64: false } : undefined;
}

function putFile(label: string, channel: ConfigurationChannel, path: string, file: File): readonly Step[] {
  const what = `put ${path} into the configuration channel ${label}`;
  const init = isInit(channel, path) ? initOf(channel) : undefined;
  if (isInit(channel, path)) return when(init !== undefined, what, 'configchannel.updateInitSls', { label, pathInfo: init });
  if (file.type === 'symlink')
    return when(true, what, 'configchannel.createOrUpdateSymlink', {
      ...{ label, path, pathInfo: { target_path: file.target, selinux_ctx: file.selinux } },
    });
  const { owner, group, permissions, selinux } = file;
  const pathInfo = {
    ...{ owner, group, permissions, selinux_ctx: selinux },
    ...(file.type === 'file' && asContents(file.contents)),
  };
  return when(true, what, 'configchannel.createOrUpdatePath', { label, path, isDir: file.type === 'directory', pathInfo });
}

function changeFiles(label: string, has: ConfigurationChannel, wanted: ConfigurationChannel): readonly Step[] {
  // A file that becomes a folder or a link is another one.
  const gone = Object.entries(has.files).filter(([path, { type }]) => wanted.files[path]?.type !== type && !isInit(has, path));
  const put = Object.entries(wanted.files).filter(([path, file]) => !isSameJson(has.files[path], file));
  return [
    ...when(gone.length > 0, `remove files from the configuration channel ${label}`, 'configchannel.deleteFiles', {
      ...{ label, paths: gone.map(([path]) => path) },
    }),
    ...put.flatMap(([path, file]) => putFile(label, wanted, path, file)),
  ];
}

const otherType = 'the API does not change the type of a configuration channel: remove it there, and import again';

/** Configuration channels with their files. */
export const configurationChannel = aContentKind({
  kind: 'configuration',
  schema: ConfigurationChannel,
  read: async (ask) => {
    const found: [string, Here<unknown>][] = [];
    for (const { label, name, description, configChannelType } of await ask('configchannel.listGlobals', {}, Listed)) {
      const document = { name, description, type: configChannelType.label, files: await filesOf(ask, label) };
      found.push([label, { document, id: label }]);
    }
    return found;
  },
  create: (label, wanted) => {
    const { name, description, type } = wanted;
    const pathInfo = type === 'state' && { pathInfo: initOf(wanted) ?? { contents: '', contents_enc64: false } };
    return when(true, `make the configuration channel ${label}`, 'configchannel.create', { label, name, description, type, ...pathInfo });
  },
  change: (label, { document }, wanted) => ({
    steps: [
      ...when(
        document.name !== wanted.name || document.description !== wanted.description,
        `describe the configuration channel ${label}`,
        'configchannel.update',
        { label, name: wanted.name, description: wanted.description },
      ),
      ...changeFiles(label, document, wanted),
    ],
    cannot: [
      ...(document.type === wanted.type ? [] : [otherType]),
      ...(wanted.type === 'state' && !initOf(wanted) ? [`the API takes no ${initSls} but text`] : []),
    ],
  }),
  remove: (label) => when(true, `remove the configuration channel ${label}`, 'configchannel.deleteChannels', { labels: [label] }),
});
