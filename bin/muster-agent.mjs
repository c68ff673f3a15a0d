#!/usr/bin/env node
import { run } from './run.mjs';

run('programs/agent/main.ts');
