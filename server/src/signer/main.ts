// What `slipway signer` runs: the process that holds the keys has this and what it imports, and nothing else.
import { runSigner } from './process/run.js';

// As of a file on a full disk, or a pipe that nobody reads: where nobody hears of that, the process ends. The signer goes on; a
// command, whose answer is lost, has failed.
const isCommand = /^\w/.test(process.argv[3] ?? '');
let failed = 0;
for (const stream of [process.stdout, process.stderr])
  stream.on('error', () => {
    if (!isCommand) return;
    failed = 1;
    process.exitCode = 1;
  });

const code = await runSigner(process.argv.slice(3), {
  env: process.env,
  cwd: process.cwd(),
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  ended: () =>
    new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal));
    }),
});
process.exitCode = code || failed;
