// One PostgreSQL server for the databases of all test files of a run; a file that finds none starts its own.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './prepare.mjs';

/**
 * Tells the files by TEST_POSTGRES_URL, and by TEST_POSTGRES_TEMPLATE of a migrated database to copy; answers what stops
 * it, or undefined where there is none to start.
 */
export async function startPostgresOfRun() {
  if (process.env.TEST_POSTGRES_URL !== undefined) return undefined;
  const helpers = pathToFileURL(join(root, 'server', 'dist', 'store', 'testing.js'));
  try {
    const { createTemplate, startPostgres } = await import(helpers.href);
    const server = await startPostgres();
    process.env.TEST_POSTGRES_TEMPLATE = await createTemplate(server);
    process.env.TEST_POSTGRES_URL = server.url;
    return server;
  } catch (error) {
    console.error(`no PostgreSQL for the whole run: ${error.message}`);
    return undefined;
  }
}

/** Without this a signal would end the process without its exit hooks, and leave its servers and children behind. */
export function exitOnSignals(before = () => {}) {
  for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 }))
    process.once(signal, () => {
      before();
      process.exit(code);
    });
}
