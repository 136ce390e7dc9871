import { readSettings } from './read.js';
import { type Mode, type Setting, settingsGroups } from './settings/schema.js';

/** A setting as an operator may see it. */
export interface ShownSetting {
  readonly name: string;
  readonly group: string;
  /** Null where there is none, and where it is hidden. */
  readonly value: unknown;
  /** Where the value comes from. */
  readonly from: 'default' | 'environment' | 'file';
  /** Whether there is a value that is not shown, or not whole: a secret, or a URL that may hold one. */
  readonly hidden: boolean;
  /** What holds where the default is no fixed value, in words. */
  readonly otherwise?: string;
}

export interface ShownSettings {
  readonly mode: Mode;
  readonly settings: readonly ShownSetting[];
  /** What is wrong with them, a line each. */
  readonly faults: readonly string[];
}

/** Every setting with where its value comes from, also where some cannot be used. No secret is in it. */
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

/** Of a URL, what cannot be a key. */
function originOf(value: unknown): unknown {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const { protocol, host } = new URL(value);
  const origin = `${protocol}//${host}`;
  return value === origin || value === `${origin}/` ? value : `${origin}/…`;
}

const isEmpty = (value: unknown) =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
