// Writes what follows from the table of settings (server/src/config/settings/): the list in docs/configuration.md and the
// JSON schema of the settings file. A test fails where they differ.
// Usage: npm run settings
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './prepare.mjs';

prepare();
const compiled = (file) => import(pathToFileURL(join(root, 'server', 'dist', 'config', file)).href);
const { configurationReference } = await compiled('page.js');
const { settingsFileSchema } = await compiled(join('settings', 'schema.js'));

const page = join(root, 'docs', 'configuration.md');
const text = readFileSync(page, 'utf8').replace(
  /(<!-- settings[^>]*-->\n).*(\n<!-- \/settings)/s,
  (_, begin, end) => `${begin}\n${configurationReference()}\n${end}`,
);
writeFileSync(page, text);
writeFileSync(join(root, 'server', 'slipway.config.schema.json'), `${JSON.stringify(settingsFileSchema(), null, 2)}\n`);
