import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { generated, stale } from './pages/all.ts';

/** Writes the generated part of docs/; with --check it only says what is stale, and exits with 1 if anything is. */
const differing = stale();
if (process.argv.includes('--check')) {
  for (const file of differing) console.error(`docs/${file} is stale; run: npm run docs`);
  process.exitCode = differing.length > 0 ? 1 : 0;
} else {
  const wanted = generated();
  mkdirSync(new URL('schemas/', import.meta.url), { recursive: true });
  for (const file of differing) {
    const url = new URL(file, import.meta.url);
    const text = wanted.get(file);
    if (text === undefined) rmSync(url);
    else writeFileSync(url, text);
    console.log(`docs/${file}`);
  }
}
