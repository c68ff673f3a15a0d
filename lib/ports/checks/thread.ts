import { parentPort } from 'node:worker_threads';
import type { Check } from '../../core/check.ts';
import { judge } from './json-schema.ts';

// The whole program of the checking thread: one check at a time, each answered by its verdict.
parentPort!.on('message', (asked: Check) => parentPort!.postMessage(judge(asked)));
parentPort!.postMessage('ready');
