import { ofActions } from './of-actions.ts';
import { ofAnswers } from './of-answers.ts';
import { ofCalls } from './of-calls.ts';
import { ofHub } from './of-hub.ts';

/** One of the promises that run.ts itself asks for, once everything is well. */
export const recovers = {
  name: 'everybody-sees-every-system-in-the-end',
  says: 'once servers are well, whoever signs in is shown every system of the cluster once, and no server is named as failed',
} as const;

/** The other one. */
export const letsGo = {
  name: 'a-server-is-let-go-of',
  says: 'the gateway ends a call to a server that nobody waits for any more, and gives up each that takes longer than it may',
} as const;

/** What the gateway promises of each call. */
export const ofEachCall = [...ofAnswers, ...ofCalls, ...ofActions, ...ofHub];

/** All that the gateway promises, for lists and tests. */
export const gatewayPromises: readonly { readonly name: string; readonly says: string }[] = [...ofEachCall, recovers, letsGo];
