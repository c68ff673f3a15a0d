import type { Invariant } from '../invariant.ts';
import { captured } from './captured.ts';
import { joinTokens } from './join-tokens.ts';
import { letIn } from './let-in.ts';
import { ownKey } from './own-key.ts';
import { ownWatch } from './own-watch.ts';
import { revokedKeys } from './revoked-keys.ts';
import { rotation } from './rotation.ts';

/** What is promised of hosts: who is let in as a node, by which key it speaks, and where it is watched. */
export const ofHosts: readonly Invariant[] = [captured, joinTokens, letIn, ownKey, ownWatch, revokedKeys, rotation];
