import type { Method } from './method.ts';
import { channelMethods } from './methods/channels.ts';
import { contentMethods } from './methods/content.ts';
import { errataMethods } from './methods/errata.ts';
import { formulaMethods } from './methods/formulas.ts';
import { groupMethods } from './methods/groups.ts';
import { metadataMethods } from './methods/metadata.ts';
import { peopleMethods } from './methods/people.ts';
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
  ...contentMethods,
  ...peopleMethods,
  ...scheduleMethods,
  ...errataMethods,
];
