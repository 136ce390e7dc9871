// Writes the types of the API (client/src/api-types.ts) from the OpenAPI document of a sandbox that it starts and ends.
// A test fails where they differ. Usage: npm run client-types
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './prepare.mjs';

const compiled = (path) => import(pathToFileURL(prepare(path)).href);
const { startService } = await compiled('test/dist/service.js');
const { apiTypes } = await compiled('test/dist/api-types.js');

const service = await startService();
try {
  writeFileSync(join(root, 'client', 'src', 'api-types.ts'), await apiTypes(service));
} finally {
  await service.close();
}
