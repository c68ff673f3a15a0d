#!/usr/bin/env node
import { basename } from 'node:path';
import { run } from './run.mjs';

// halonctl and hctl are links to this file: help and errors name the one that was called.
process.env.MUSTER_PROGRAM = basename(process.argv[1], '.mjs');
run('programs/cli/main.ts');
