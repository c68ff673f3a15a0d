#!/usr/bin/env node
import { run } from './run.mjs';

run('client/main.ts');
