import type { TProperties } from 'typebox';
import type { About, Group } from './kinds.js';
import { groups, SettingsFile } from './table.js';

/** A schema of the table as plain JSON. */
export interface Schema extends Partial<About<unknown>> {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly expects?: string;
  readonly unquoted?: true;
  readonly format?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

export type Mode = 'sandbox' | 'publicSandbox' | 'production';

/** One setting: a variable, or a field of the settings file by its path. */
export interface Setting {
  readonly name: string;
  readonly place: 'environment' | 'file';
  readonly schema: Schema;
}

export interface SettingsGroup {
  readonly title: string;
  readonly notes?: string;
  readonly settings: readonly Setting[];
}

/** The table as a list. A field with fields of its own and no description is replaced by those. */
export const settingsGroups: readonly SettingsGroup[] = groups.map((group: Group<TProperties, TProperties>) => ({
  title: group.title,
  ...(group.notes !== undefined && { notes: group.notes }),
  settings: [
    ...Object.entries(group.variables as Readonly<Record<string, Schema>>).map(
      ([name, schema]): Setting => ({ name, place: 'environment', schema }),
    ),
    ...fieldsOf(group.fields as Readonly<Record<string, Schema>>, ''),
  ],
}));

export const allSettings: readonly Setting[] = settingsGroups.flatMap(({ settings }) => settings);

function fieldsOf(properties: Readonly<Record<string, Schema>>, path: string): Setting[] {
  return Object.entries(properties).flatMap(([name, schema]): Setting[] => {
    const full = path + name;
    if (schema.description === undefined) return fieldsOf(schema.properties ?? {}, `${full}.`);
    return [{ name: full, place: 'file', schema }];
  });
}

/** The schema with the defaults of a mode as its `default`s. */
export function inMode(schema: Schema, mode: Mode): Schema {
  const inMap = (map: Readonly<Record<string, Schema>>) =>
    Object.fromEntries(Object.entries(map).map(([name, inner]) => [name, inMode(inner, mode)]));
  const { byMode } = schema;
  const value = byMode?.[mode] ?? (mode === 'publicSandbox' ? byMode?.sandbox : undefined);
  return {
    ...schema,
    ...(value !== undefined && { default: value }),
    ...(schema.properties && { properties: inMap(schema.properties) }),
  };
}

/** The JSON schema of slipway.config.json, for editors: fields with a default are optional. */
export function settingsFileSchema(): object {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'slipway.config.json',
    description: 'What describes your product. Everything may be left out; see docs/configuration.md.',
    ...forEditors(SettingsFile as Schema),
  };
}

function forEditors(schema: Schema): object {
  const { byMode, defaultText, expects, mode, requiredIn, secret, unit, unquoted, format, ...rest } = schema;
  const inMap = (map: Readonly<Record<string, Schema>>) =>
    Object.fromEntries(Object.entries(map).map(([name, inner]) => [name, forEditors(inner)]));
  const required = schema.required?.filter((name) => !hasDefault(schema.properties?.[name]));
  const described = [schema.description, unit && `Unit: ${unit}.`, expects && `Must be ${expects}.`];
  const description = described.filter(Boolean).join(' ');
  return {
    ...rest,
    ...(description !== '' && { description }),
    ...(schema.required && { required }),
    ...(schema.properties && { properties: inMap(schema.properties) }),
    ...(schema.patternProperties && { patternProperties: inMap(schema.patternProperties) }),
    ...(schema.items && { items: forEditors(schema.items) }),
  };
}

const hasDefault = (schema: Schema | undefined) => schema?.default !== undefined || schema?.byMode !== undefined;
