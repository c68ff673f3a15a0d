import * as z from 'zod';
import { aContentKind, type Here, Text, when } from '../kind.ts';

/** Kinds that are little more than a name: keys of custom values, groups, and keys of GPG and SSL. */

const Described = z.object({ description: Text });
const CustomKeys = z.array(z.object({ label: z.string(), description: Text }));

const customKey = aContentKind({
  kind: 'custom-key',
  schema: Described,
  read: async (ask) =>
    (await ask('system.custominfo.listAllKeys', {}, CustomKeys)).map(({ label, description }) => [
      label,
      { document: { description }, id: label },
    ]),
  create: (keyLabel, { description }) =>
    when(true, `make the custom key ${keyLabel}`, 'system.custominfo.createKey', { keyLabel, keyDescription: description }),
  change: (keyLabel, { document }, { description }) => ({
    steps: when(document.description !== description, `describe the custom key ${keyLabel}`, 'system.custominfo.updateKey', {
      keyLabel,
      keyDescription: description,
    }),
    cannot: [],
  }),
  remove: (keyLabel) => when(true, `remove the custom key ${keyLabel}`, 'system.custominfo.deleteKey', { keyLabel }),
});

const Groups = z.array(z.object({ id: z.number(), name: z.string(), description: Text }));

const group = aContentKind({
  kind: 'group',
  schema: Described,
  read: async (ask) =>
    (await ask('systemgroup.listAllGroups', {}, Groups)).map(({ id, name, description }) => [name, { document: { description }, id }]),
  create: (name, { description }) => when(true, `make the group ${name}`, 'systemgroup.create', { name, description }),
  change: (systemGroupName, { document }, { description }) => ({
    steps: when(document.description !== description, `describe the group ${systemGroupName}`, 'systemgroup.update', {
      systemGroupName,
      description,
    }),
    cannot: [],
  }),
  remove: (systemGroupName) => when(true, `remove the group ${systemGroupName}`, 'systemgroup.delete', { systemGroupName }),
});

const CryptoKey = z.object({ type: z.string(), content: Text });
/** The name under which a server keeps its own certificate authority: each has its own. */
const ownAuthority = 'RHN-ORG-TRUSTED-SSL-CERT';
const CryptoKeys = z.array(z.object({ description: z.string() }));

const cryptoKey = aContentKind({
  kind: 'crypto-key',
  schema: CryptoKey,
  read: async (ask) => {
    const found: [string, Here<unknown>][] = [];
    for (const { description } of await ask('kickstart.keys.listAllKeys', {}, CryptoKeys))
      if (description !== ownAuthority)
        found.push([description, { document: await ask('kickstart.keys.getDetails', { description }, CryptoKey), id: description }]);
    return found;
  },
  create: (description, key) => when(true, `make the key ${description}`, 'kickstart.keys.create', { description, ...key }),
  change: (description, { document }, wanted) => ({
    steps: when(
      document.type !== wanted.type || document.content !== wanted.content,
      `replace the key ${description}`,
      'kickstart.keys.update',
      {
        description,
        ...wanted,
      },
    ),
    cannot: [],
  }),
  remove: (description) => when(true, `remove the key ${description}`, 'kickstart.keys.delete', { description }),
});

/** In order of making. */
export const namedKinds = [customKey, group, cryptoKey] as const;
