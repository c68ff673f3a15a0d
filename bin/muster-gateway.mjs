#!/usr/bin/env node
import { run } from './run.mjs';

run('programs/gateway/main.ts');
