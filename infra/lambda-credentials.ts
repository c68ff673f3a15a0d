import { lambdaCredentials } from '../lib/runtime/env.ts';

/**
 * Replaces the SDK's chain of credential providers in the bundles. Lambda puts its role's credentials into the
 * environment and replaces the environment before they expire, so the chain's files, sign-ins and metadata calls are
 * 130 KB that never run.
 */
export const defaultProvider = () => async () => lambdaCredentials();
