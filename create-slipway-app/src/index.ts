#!/usr/bin/env node
// npm create slipway-app [folder]: copies the template. It asks nothing, so that it also works where nobody answers.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const USAGE = `Usage: npm create slipway-app [folder]

Creates an app on Slipway in a new folder, by default "slipway-app".`;

const args = process.argv.slice(2);
const unknown = args.find((arg) => arg.startsWith('-') && arg !== '--help');
if (args.includes('--help')) console.log(USAGE);
else if (unknown !== undefined) end(`unknown option ${unknown}\n\n${USAGE}`, 2);
else if (args.length > 1) end(`expected one folder, got ${args.length}\n\n${USAGE}`, 2);
else create(args[0] ?? 'slipway-app');

function create(folder: string): void {
  const target = resolve(folder);
  if (existsSync(target) && readdirSync(target).length > 0) end(`${folder} is not empty; name another folder`, 1);
  mkdirSync(target, { recursive: true });
  cpSync(fileURLToPath(new URL('../template', import.meta.url)), target, { recursive: true });
  // npm leaves a file of the name .gitignore out of packages.
  renameSync(join(target, 'gitignore'), join(target, '.gitignore'));
  const manifest = join(target, 'package.json');
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const text = readFileSync(manifest, 'utf8').replaceAll('{version}', version).replace('{name}', nameOf(target));
  writeFileSync(manifest, text);
  console.log(`Created ${folder}. Next:

  cd ${folder}
  npm install ~/slipway-packages/slipway-*.tgz   # where you have packed them: they are on no registry yet
  npm test           # moves the price and the time of a sandbox of its own
  npm run sandbox    # the service, with a chain inside
  npm run dev        # in another terminal: the app`);
}

/** What npm takes for the name of a package. */
function nameOf(target: string): string {
  const name = basename(target)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return name || 'slipway-app';
}

function end(message: string, code: number): never {
  console.error(`create-slipway-app: ${message}`);
  process.exit(code);
}
