// The yardstick: a Fastify route that does nothing but parse its request and write the same answer through a response
// schema. Usage: node bare.js GET|POST <path> <the answer as JSON>
import Fastify from 'fastify';

const [method, path, answer] = process.argv.slice(2) as [string, string, string];
const sample = JSON.parse(answer) as Record<string, unknown>;

function schemaOf(value: unknown): object {
  if (value === null) return { type: 'null' };
  if (Array.isArray(value)) return { type: 'array', items: value.length > 0 ? schemaOf(value[0]) : {} };
  if (typeof value !== 'object') return { type: typeof value };
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(value).map(([name, member]) => [name, schemaOf(member)])),
  };
}

const app = Fastify({ logger: false });
app.route({
  method,
  url: path,
  schema: { response: { 200: schemaOf(sample) } },
  handler: async () => sample,
});
console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));
