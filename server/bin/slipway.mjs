#!/usr/bin/env node
import { existsSync } from 'node:fs';

const compiled = new URL('../dist/bundle/slipway.js', import.meta.url);
if (existsSync(compiled)) {
  const { processContext, runCli } = await import(compiled.href);
  process.exitCode = await runCli(process.argv.slice(2), processContext());
} else {
  process.stderr.write('slipway: not built yet: run "npm run build" first\n');
  process.exitCode = 1;
}
