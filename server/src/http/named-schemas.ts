import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';

/**
 * Turns every body and answer of a route that has an `$id` into a shared schema of that name, so that it appears once
 * in the OpenAPI document and in the types of generated clients. Throws for two different schemas of one name.
 */
export function shareNamedSchemas(app: FastifyInstance, route: RouteOptions): void {
  if (route.schema === undefined) return;
  const { body, response } = route.schema;
  const shared: FastifySchema = { ...route.schema };
  if (body !== undefined) shared.body = share(app, body);
  if (typeof response === 'object' && response !== null) {
    shared.response = Object.fromEntries(
      Object.entries(response).map(([status, schema]) => [status, share(app, schema)]),
    );
  }
  route.schema = shared;
}

function share(app: FastifyInstance, schema: unknown): unknown {
  const { $id } = schema as { $id?: unknown };
  if (typeof $id !== 'string') return schema;
  const known = app.getSchema($id);
  if (known === undefined) app.addSchema(schema);
  else if (JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`Two schemas have the $id ${$id}`);
  return { $ref: `${$id}#` };
}
