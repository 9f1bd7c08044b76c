#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { runA2aCli } from './a2a/run.js';

const manifest = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };

// The first Ctrl-C detaches; the handler is gone then, so a second one ends the process.
const interrupt = new AbortController();
process.once('SIGINT', () => {
  interrupt.abort();
});
// A reader that has seen enough (head) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await runA2aCli(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  colour: process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '',
  env: process.env,
  interrupt: interrupt.signal,
  version: manifest.version,
});
