import * as z from 'zod';
import type { Step } from '../../metadata/plans.ts';
import type { Ask } from '../ask.ts';
import { aContentKind, type Here, isAlike, Text, when } from '../kind.ts';

const Owned = { owner: Text, group: Text, permissions: z.string().default(''), selinux: Text };
/** What is in a file: text, or bytes in base64 where they are no text. */
const Contents = z.union([z.strictObject({ text: z.string() }), z.strictObject({ base64: z.string() })]);
type Contents = z.infer<typeof Contents>;

const File = z.discriminatedUnion('type', [
  z.object({ type: z.literal('file'), contents: Contents, macros: z.object({ start: Text, end: Text }), ...Owned }),
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
  ...{ owner: Text, group: Text, selinux_ctx: Text },
  permissions: z.number().nullish(),
  'macro-start-delimiter': Text,
  'macro-end-delimiter': Text,
});

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A server encodes what it takes for binary, and what XML cannot carry: here text is text wherever it is one. */
function contentsOf({ contents, contents_enc64 }: z.infer<typeof Info>): Contents {
  if (!contents_enc64) return { text: contents };
  const bytes = Buffer.from(contents, 'base64');
  try {
    const text = utf8.decode(bytes);
    if (!text.includes('\0') && !text.startsWith('\u{feff}')) return { text };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  return { base64: bytes.toString('base64') };
}

function fileOf(info: z.infer<typeof Info>): unknown {
  const { owner, group, permissions, selinux_ctx: selinux } = info;
  // The first state of a channel has a type of its own.
  const type = info.type === 'sls' ? 'file' : info.type;
  if (type === 'symlink') return { type, target: info.target_path, selinux };
  const owned = { owner, group, permissions: permissions == null ? '' : String(permissions), selinux };
  if (type === 'directory') return { type, ...owned };
  const macros = { start: info['macro-start-delimiter'], end: info['macro-end-delimiter'] };
  return { type, contents: contentsOf(info), macros, ...owned };
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
    ? { contents: contents.text, contents_enc64: false, binary: false }
    : { contents: contents.base64, contents_enc64: true, binary: true };

const initOf = ({ files }: ConfigurationChannel) => {
  const init = files[initSls];
  return { contents: init?.type === 'file' && 'text' in init.contents ? init.contents.text : '', contents_enc64: false };
};

function putFile(label: string, channel: ConfigurationChannel, path: string, file: File): readonly Step[] {
  const what = `put ${path} into the configuration channel ${label}`;
  if (isInit(channel, path)) return when(true, what, 'configchannel.updateInitSls', { label, pathInfo: initOf(channel) });
  if (file.type === 'symlink')
    return when(true, what, 'configchannel.createOrUpdateSymlink', {
      ...{ label, path, pathInfo: { target_path: file.target, selinux_ctx: file.selinux } },
    });
  const { owner, group, permissions, selinux } = file;
  const pathInfo = {
    ...{ owner, group, permissions, selinux_ctx: selinux },
    ...(file.type === 'file' && {
      ...asContents(file.contents),
      'macro-start-delimiter': file.macros.start,
      'macro-end-delimiter': file.macros.end,
    }),
  };
  return when(true, what, 'configchannel.createOrUpdatePath', { label, path, isDir: file.type === 'directory', pathInfo });
}

function changeFiles(label: string, has: ConfigurationChannel, wanted: ConfigurationChannel): readonly Step[] {
  // A file that becomes a folder or a link is another one.
  const gone = Object.entries(has.files).filter(([path, { type }]) => wanted.files[path]?.type !== type && !isInit(has, path));
  const put = Object.entries(wanted.files).filter(([path, file]) => !isAlike(has.files[path], file));
  return [
    ...when(gone.length > 0, `remove files from the configuration channel ${label}`, 'configchannel.deleteFiles', {
      ...{ label, paths: gone.map(([path]) => path) },
    }),
    ...put.flatMap(([path, file]) => putFile(label, wanted, path, file)),
  ];
}

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
    const pathInfo = type === 'state' && { pathInfo: initOf(wanted) };
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
    cannot:
      document.type === wanted.type
        ? []
        : ['the API does not change the type of a configuration channel: remove it there, and import again'],
  }),
  remove: (label) => when(true, `remove the configuration channel ${label}`, 'configchannel.deleteChannels', { labels: [label] }),
});
