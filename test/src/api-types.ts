import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { documentOf } from './openapi-document.js';
import type { Service } from './service.js';

const HEAD = `// Written by "npm run client-types" from the OpenAPI document. The admin API is not the client's.\n\n`;

/** The source of the API's types: of all that a user's app may call. */
export async function apiTypes(service: Service): Promise<string> {
  const document = await documentOf(service);
  const paths = Object.entries(document.paths).filter(([path]) => !path.startsWith('/admin/') && path !== '/metrics');
  const used = { ...document, paths: Object.fromEntries(paths) };
  return HEAD + astToString(await openapiTS(withoutExamples(used)));
}

/** Examples are values of this one sandbox. */
function withoutExamples(document: object): OpenAPI3 {
  return JSON.parse(JSON.stringify(document, (key, value) => (key === 'example' ? undefined : value))) as OpenAPI3;
}
