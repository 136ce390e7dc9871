import { readSettings } from './read.js';
import { type Setting, settingsGroups } from './settings/schema.js';

/** A setting as an operator may see it. */
export interface ShownSetting {
  readonly name: string;
  readonly group: string;
  /** Null if there is none, and if it is hidden. */
  readonly value: unknown;
  /** Where the value comes from. */
  readonly from: 'default' | 'environment' | 'file';
  /** Whether the value is not shown, or only in part: a secret, or a URL that may hold one. */
  readonly hidden: boolean;
  /** The default in words, if it is not a fixed value. */
  readonly otherwise?: string;
}

export interface ShownSettings {
  readonly mode: 'sandbox' | 'production';
  readonly settings: readonly ShownSetting[];
  /** Every fault, one a line. */
  readonly faults: readonly string[];
}

/** Every setting and where its value comes from, even if some settings are invalid. Holds no secret. */
export function showSettings(
  env: Readonly<Record<string, string | undefined>>,
  options: { cwd: string },
): ShownSettings {
  const { values, faults, isGiven } = readSettings(env, options);
  const settings = settingsGroups.flatMap(({ title, settings }) =>
    settings.map((setting): ShownSetting => {
      const given = isGiven(setting);
      const value = valueAt(values, setting.name);
      const visible = given ? withoutSecrets(setting, value) : value;
      const { defaultText } = setting.schema;
      return {
        name: setting.name,
        group: title,
        value: visible ?? null,
        from: given ? setting.place : 'default',
        hidden: given && visible !== value,
        ...(!given && isEmpty(value) && defaultText !== undefined && { otherwise: defaultText.replaceAll('`', '') }),
      };
    }),
  );
  return { mode: values.sandbox ? 'sandbox' : 'production', settings, faults };
}

function valueAt(values: object, path: string): unknown {
  return path.split('.').reduce((inner: unknown, key) => (inner as Record<string, unknown> | null)?.[key], values);
}

function withoutSecrets({ schema }: Setting, value: unknown): unknown {
  if (schema.secret) return undefined;
  const isUrl = (schema.items ?? schema).unquoted;
  if (!isUrl) return value;
  return Array.isArray(value) ? value.map(originOf) : originOf(value);
}

/** The part of a URL that cannot hold a key. */
function originOf(value: unknown): unknown {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const { protocol, host } = new URL(value);
  const origin = `${protocol}//${host}`;
  return value === origin || value === `${origin}/` ? value : `${origin}/…`;
}

const isEmpty = (value: unknown) =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
