import type { AnyContentKind } from './kind.ts';
import { activationKey } from './kinds/activation-keys.ts';
import { channelKinds } from './kinds/channels.ts';
import { configurationChannel } from './kinds/configuration.ts';
import { maintenanceKinds } from './kinds/maintenance.ts';
import { namedKinds } from './kinds/named.ts';
import { projectKinds } from './kinds/projects.ts';

/**
 * Every kind that is copied, in the order in which it is made: each needs only those before it. It is removed in the
 * opposite order.
 */
export const copiedKinds: readonly AnyContentKind[] = [
  ...namedKinds,
  ...channelKinds,
  configurationChannel,
  activationKey,
  ...projectKinds,
  ...maintenanceKinds,
];
