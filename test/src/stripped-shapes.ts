import { type JsonSchema, type OpenapiDocument, operationsOf } from './openapi-document.js';

type Shape = Omit<JsonSchema, 'items' | 'anyOf'> & {
  items?: Shape | Shape[];
  prefixItems?: Shape[];
  anyOf?: Shape[];
  oneOf?: Shape[];
  allOf?: Shape[];
};

/** What the service does not look into for fields. */
const UNREAD = ['prefixItems', 'contains', 'if', 'then', 'else', 'not', 'dependentSchemas', 'unevaluatedProperties'];

/**
 * Where the bodies of a document have shapes whose unknown fields the service does not take out, or takes too many out of, as
 * `POST /path field: why`.
 */
export function unstripped(document: OpenapiDocument): string[] {
  return operationsOf(document).flatMap(({ method, path, requestBody }) =>
    Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
      unstrippedIn(schema as Shape, document).map((found) => `${method} ${path}${found}`),
    ),
  );
}

function unstrippedIn(given: Shape, document: OpenapiDocument): string[] {
  const found: string[] = [];
  const resolved = (shape: Shape): Shape => {
    const name = shape.$ref?.split('/').at(-1);
    return name === undefined ? shape : resolved(document.components.schemas[name] as Shape);
  };
  const membersOf = ({ anyOf = [], oneOf = [], allOf = [] }: Shape) => [...anyOf, ...oneOf, ...allOf].map(resolved);
  const isFree = (shape: Shape): boolean => {
    const { type, properties, items } = shape;
    const mayBeObject = type === undefined ? membersOf(shape).length === 0 : [type].flat().includes('object');
    const isValue = 'const' in shape || shape.enum !== undefined;
    return (mayBeObject && !isValue && properties === undefined && !items) || membersOf(shape).some(isFree);
  };
  const namesFields = (shape: Shape): boolean =>
    shape.properties !== undefined || membersOf(shape).some((member) => namesFields(member));
  /** Whether a value of it can have fields, at any depth, that are named. */
  const holdsFields = (of: Shape): boolean => {
    const shape = resolved(of);
    const { items = [], additionalProperties, patternProperties = {} } = shape;
    const inner = [items, Object.values(patternProperties) as Shape[], membersOf(shape)].flat();
    if (typeof additionalProperties === 'object') inner.push(additionalProperties as Shape);
    return shape.properties !== undefined || inner.some(holdsFields);
  };

  const visit = (of: Shape, at: string): void => {
    const shape = resolved(of);
    const { items, properties = {}, additionalProperties, patternProperties } = shape;
    const members = membersOf(shape);
    const note = (why: string) => found.push(`${at}: ${why}`);
    for (const keyword of UNREAD) if (keyword in shape) note(keyword);
    if (Array.isArray(items)) note('a tuple');
    else if (items) visit(items, `${at}[]`);
    if (items && (members.length > 0 || namesFields(shape))) note('a list that is something else, too');
    const others = [additionalProperties, ...Object.values(patternProperties ?? {})] as (Shape | boolean | undefined)[];
    for (const other of others)
      if (typeof other === 'object' && holdsFields(other)) note('fields of fields of any name');
    if (namesFields(shape) && others.some((other) => other !== undefined && other !== false))
      note('fields of any name beside named ones');
    for (const member of members) {
      if (member.items && holdsFields(member)) note('items in a union');
      if (isFree(member) && members.some(namesFields)) note('a free object in a union with named fields');
      visit({ ...member, ...(member.items && { items: {} }) }, at);
    }
    const named = members.flatMap((member) => Object.entries(member.properties ?? {}) as [string, Shape][]);
    for (const [name, field] of named) {
      const same = named.filter(([other]) => other === name).map(([, other]) => JSON.stringify(other));
      if (holdsFields(field) && new Set(same).size > 1) note(`${name} differs in a union`);
    }
    for (const [name, field] of Object.entries(properties)) visit(field as Shape, `${at} ${name}`);
  };
  visit(given, '');
  return found;
}
