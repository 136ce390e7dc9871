/** How an operation is called, in the form that viewers of API documents show. */
interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  example?: unknown;
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { example?: unknown }> };
  responses?: Record<string, { content?: Record<string, unknown> }>;
  security?: Record<string, unknown>[];
  'x-codeSamples'?: CodeSample[];
}

interface Call {
  url: string;
  apiKey: string;
  method: string;
  path: string;
  /** Of parameters, by where they go. */
  given: Record<'path' | 'query', Record<string, unknown>>;
  body: unknown;
  needs: { key: boolean; token: string | undefined };
}

/** Variables of the environment that samples take tokens from. */
const ADMIN_TOKEN = 'SLIPWAY_ADMIN_TOKEN';
const WALLET_TOKEN = 'SLIPWAY_TOKEN';

/**
 * Shows how each operation is called by curl and by the client, in place, where all that it requires has an example.
 * `apiKey`: one that works, or undefined for the reader's own.
 */
export function addCodeSamples(document: object, { url, apiKey }: { url: string; apiKey: string | undefined }): void {
  const { paths = {} } = document as { paths?: Record<string, Record<string, Operation>> };
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const call = callOf(operation, { url, apiKey: apiKey ?? 'YOUR_KEY', method, path });
      if (call === undefined) continue;
      const samples = [{ lang: 'Shell', label: 'curl', source: curlOf(call) }];
      // The client is for apps, and knows no operations of the operator.
      if (call.needs.token !== ADMIN_TOKEN)
        samples.push({ lang: 'TypeScript', label: '@slipway/client', source: clientOf(call) });
      operation['x-codeSamples'] = samples;
    }
  }
}

function callOf(
  { parameters = [], requestBody, responses = {}, security = [] }: Operation,
  at: Pick<Call, 'url' | 'apiKey' | 'method' | 'path'>,
): Call | undefined {
  const json = requestBody?.content['application/json'];
  const lacks = parameters.some(({ required, example }) => required && example === undefined);
  const isJson = responses[200]?.content?.['application/json'] !== undefined;
  if (lacks || !isJson || (requestBody !== undefined && json?.example === undefined)) return undefined;
  const [first = {}] = security;
  const given: Call['given'] = { path: {}, query: {} };
  for (const { in: place, name, example } of parameters) {
    if (example !== undefined && (place === 'path' || place === 'query')) given[place][name] = example;
  }
  const token = 'adminToken' in first ? ADMIN_TOKEN : 'walletToken' in first ? WALLET_TOKEN : undefined;
  return { ...at, given, body: json?.example, needs: { key: 'apiKey' in first, token } };
}

function curlOf({ url, apiKey, method, path, given, body, needs }: Call): string {
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(given.path[name])));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given.query)) query.set(name, String(value));
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${quoted(`${url}${place}${query.size > 0 ? `?${query}` : ''}`)}`,
    ...(needs.key ? [`-H ${quoted(`x-api-key: ${apiKey}`)}`] : []),
    ...(needs.token ? [`-H "authorization: Bearer $${needs.token}"`] : []),
    ...(body === undefined ? [] : ["-H 'content-type: application/json'", `-d ${quoted(JSON.stringify(body))}`]),
  ];
  return lines.join(' \\\n  ');
}

/** For a shell: nothing in it is special. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function clientOf({ url, apiKey, method, path, given, body, needs }: Call): string {
  const asked = [
    ...(['path', 'query'] as const)
      .filter((place) => Object.keys(given[place]).length > 0)
      .map((place) => `  ${place}: ${literal(given[place])},`),
    ...(body === undefined ? [] : [`  body: ${literal(body)},`]),
    ...(needs.token ? [`  token: env.${needs.token},`] : []),
  ];
  const options = asked.length === 0 ? '' : `, {\n${asked.join('\n')}\n}`;
  return [
    ...(needs.token ? ["import { env } from 'node:process';"] : []),
    "import { createClient } from '@slipway/client';",
    '',
    `const client = createClient({ url: ${literal(url)}${needs.key ? `, apiKey: ${literal(apiKey)}` : ''} });`,
    `const answer = await client.api.${method}(${literal(path)}${options});`,
    'console.log(answer);',
  ].join('\n');
}

/** A value as TypeScript is written. */
function literal(value: unknown): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(
    ([name, field]) => `${/^\w+$/.test(name) ? name : literal(name)}: ${literal(field)}`,
  );
  return `{ ${fields.join(', ')} }`;
}
