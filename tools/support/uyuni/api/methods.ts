import type { Method } from './method.ts';
import { activationKeyContentMethods } from './methods/activation-key-contents.ts';
import { activationKeyMethods } from './methods/activation-keys.ts';
import { channelMethods } from './methods/channels.ts';
import { configurationMethods } from './methods/configuration.ts';
import { configurationFileMethods } from './methods/configuration-files.ts';
import { cryptoKeyMethods } from './methods/crypto-keys.ts';
import { errataMethods } from './methods/errata.ts';
import { formulaMethods } from './methods/formulas.ts';
import { groupMethods } from './methods/groups.ts';
import { maintenanceMethods } from './methods/maintenance.ts';
import { metadataMethods } from './methods/metadata.ts';
import { peopleMethods } from './methods/people.ts';
import { filterMethods } from './methods/project-filters.ts';
import { projectMethods } from './methods/projects.ts';
import { repositoryMethods } from './methods/repositories.ts';
import { scheduleMethods } from './methods/schedule.ts';
import { systemChangeMethods } from './methods/system-changes.ts';
import { systemMethods } from './methods/systems.ts';

/** Every method that is played and needs a session. */
export const methods: readonly Method[] = [
  ...systemMethods,
  ...systemChangeMethods,
  ...metadataMethods,
  ...groupMethods,
  ...formulaMethods,
  ...channelMethods,
  ...repositoryMethods,
  ...configurationMethods,
  ...configurationFileMethods,
  ...activationKeyMethods,
  ...activationKeyContentMethods,
  ...projectMethods,
  ...filterMethods,
  ...maintenanceMethods,
  ...cryptoKeyMethods,
  ...peopleMethods,
  ...scheduleMethods,
  ...errataMethods,
];
