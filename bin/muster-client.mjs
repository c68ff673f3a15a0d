#!/usr/bin/env node
import { run } from './run.mjs';

run('programs/client/main.ts');
