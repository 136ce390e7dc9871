#!/usr/bin/env node
import { existsSync } from 'node:fs';

// Without a listener, Node would open its debugger to every user of the machine, whom it lets read all keys. Some tools send this
// signal to have a log begun anew.
process.on('SIGUSR1', () => {});

const at = (name) => new URL(`../dist/bundle/${name}.js`, import.meta.url);
const compiled = at('slipway');
if (process.argv[2] === 'signer' && process.argv[3] !== 'rotate' && existsSync(at('signer'))) {
  // What holds the keys loads nothing that the other commands need. To move what a wallet holds takes the chain.
  await import(at('signer').href);
} else if (existsSync(compiled)) {
  const { processContext, runCli } = await import(compiled.href);
  // A service that could not start has said so by the exit code itself.
  const code = await runCli(process.argv.slice(2), processContext());
  if (code !== 0) process.exitCode = code;
} else {
  process.stderr.write('slipway: not built yet: run "npm run build" first\n');
  process.exitCode = 1;
}
