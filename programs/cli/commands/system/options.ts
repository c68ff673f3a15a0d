import type { Command } from 'commander';
import { fingerprint, fingerprintHelp } from '../../fingerprints.ts';

/** Adds the argument of verbs that work on one or more client systems. */
export const onSystems = (command: Command): Command => command.argument('<fingerprint...>', fingerprintHelp, fingerprint);
