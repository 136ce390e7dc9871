import { type Schema, type Setting, settingsGroups } from './settings/schema.js';
import { valueText } from './settings/value-text.js';

const WIDTH = 110;

/** The part of docs/configuration.md that lists every setting, in Markdown. */
export function configurationReference(): string {
  const sections = settingsGroups.flatMap(({ title, notes, settings }) => [
    `## ${title}`,
    ...(notes?.split('\n\n').map(wrap) ?? []),
    ...settings.map(describe),
  ]);
  return sections.join('\n\n');
}

function describe({ name, schema }: Setting): string {
  const { description = '', unit } = schema;
  const facts = [
    ['Default', defaultOf(schema)],
    ['Range', rangeOf(schema)],
    ['Unit', unit],
    ['One of', schema.enum?.map(code).join(', ')],
    ['Example', schema.examples && code(valueText(schema.examples[0]))],
  ].flatMap(([label, text]) => (text ? [`- ${label}: ${text}`] : []));
  const remarks = [
    schema.requiredIn && 'Required in production.',
    schema.mode === 'sandbox' && 'For the embedded chain only.',
    schema.type === 'array' && !schema.items?.properties && isVariable(name) && 'A comma list.',
    schema.secret && 'A secret.',
  ].filter(Boolean);
  const text = wrap([description, ...remarks].join(' '));
  return [`### \`${name}\``, text, [...membersOf(schema), ...facts].join('\n')].join('\n\n');
}

const isVariable = (name: string) => /^[A-Z_]+/.test(name);

/** The fields of a value that is an object, or a list of objects, each with its description. */
function membersOf(schema: Schema): string[] {
  const [pattern] = Object.values(schema.patternProperties ?? {});
  const { properties = {} } = pattern ?? schema.items ?? schema;
  return Object.entries(properties).map(([name, { description }]) => `- \`${name}\`: ${description}`);
}

function defaultOf({ defaultText, byMode, requiredIn, ...schema }: Schema): string | undefined {
  if (defaultText !== undefined) return defaultText;
  if (schema.default !== undefined) return shown(schema.default);
  if (byMode === undefined) return undefined;
  const { sandbox, publicSandbox, production } = byMode;
  const inProduction = production === undefined ? 'none' : shown(production);
  if (sandbox === undefined) return inProduction;
  const inPublic = publicSandbox === undefined ? '' : `, ${shown(publicSandbox)} in a public one`;
  return `${shown(sandbox)} in a sandbox${inPublic}, ${inProduction} in production`;
}

function rangeOf({ minimum, maximum, type }: Schema): string | undefined {
  if (type === 'array' || (minimum === undefined && maximum === undefined)) return undefined;
  return maximum === undefined ? `${minimum} or more` : `${minimum} to ${maximum}`;
}

const shown = (value: unknown) =>
  (Array.isArray(value) && value.length === 0) || (isObject(value) && Object.keys(value).length === 0)
    ? 'none'
    : code(valueText(value));

const code = (text: string) => `\`${text}\``;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function wrap(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}
