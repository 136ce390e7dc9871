/** What fields and parameters hold, by name; the name of a schema or a path before the name goes first. */
export type Descriptions = Readonly<Record<string, string>>;

interface Described {
  description?: string;
}

interface Schema extends Described {
  $ref?: string;
  properties?: Record<string, Schema>;
}

interface Document {
  paths?: Record<string, Record<string, { parameters?: (Described & { name: string; schema?: Described })[] }>>;
  components?: { schemas?: Record<string, Schema> };
}

/** Describes what does not describe itself, in place. */
export function describeFields(document: object, descriptions: Descriptions): void {
  const { paths = {}, components } = document as Document;
  const textFor = (name: string, where: string) => descriptions[`${where} ${name}`] ?? descriptions[name];
  const walk = (value: unknown, where: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { properties } = value as Schema;
    if (isSchemas(properties)) {
      for (const [name, field] of Object.entries(properties)) {
        const text = textFor(name, where);
        if (field.description === undefined && field.$ref === undefined && text !== undefined) field.description = text;
      }
    }
    for (const member of Object.values(value)) walk(member, where);
  };
  for (const [name, schema] of Object.entries(components?.schemas ?? {})) walk(schema, name);
  for (const [path, operations] of Object.entries(paths)) {
    for (const operation of Object.values(operations)) {
      for (const parameter of operation.parameters ?? []) {
        const text = textFor(parameter.name, path);
        if (text !== undefined && parameter.schema?.description === undefined) parameter.description ??= text;
      }
      walk(operation, path);
    }
  }
}

/** A field that is called `properties` is no list of fields. */
const isSchemas = (value: unknown): value is Record<string, Schema> =>
  typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'object');
