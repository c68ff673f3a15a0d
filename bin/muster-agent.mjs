#!/usr/bin/env node
import { run } from './run.mjs';

run('agent/main.ts');
