import { resolve } from 'node:path';
import { Faults } from './faults.js';
import { checkFields, parseFile } from './read-file.js';
import { checkVariables, parseVariables } from './read-variables.js';
import { rules } from './rules.js';
import { allSettings, inMode, type Mode, type Schema, type Setting } from './settings/schema.js';
import { SettingsFile, type Values, Variables } from './settings/table.js';

export interface Reading {
  /** Includes the defaults. Use them only if there are no faults. */
  readonly values: Values;
  /** Every fault, one a line; no line holds a secret. */
  readonly faults: readonly string[];
  /** Whether a setting was given, by its name. */
  readonly isGiven: (setting: Setting) => boolean;
}

/** Reads `env` and the settings file: `slipway.config.json` in `cwd`, or what SLIPWAY_CONFIG names. */
export function readSettings(env: Readonly<Record<string, string | undefined>>, { cwd }: { cwd: string }): Reading {
  const faults = new Faults();
  const variables = parseVariables(env, faults);
  const path = resolve(cwd, env.SLIPWAY_CONFIG || 'slipway.config.json');
  const file = parseFile(path, Boolean(env.SLIPWAY_CONFIG), faults);
  const given = { environment: structuredClone(variables), file: structuredClone(file ?? {}) };
  const isGiven = ({ name, place }: Setting) =>
    place === 'environment' ? Object.hasOwn(given.environment, name) : at(given.file, name) !== undefined;

  const mode = modeOf(variables);
  if (mode === 'production') checkProduction(allSettings.filter(isGiven), file === undefined, faults);
  const fields = file ?? {};
  checkVariables(inMode(Variables as Schema, mode), variables, faults);
  // Of a file that cannot be read, only that fault is reported.
  checkFields(inMode(SettingsFile as Schema, mode), fields, path, file === undefined ? new Faults() : faults);
  const values = { ...variables, ...fields, sandbox: mode !== 'production' } as Values;
  for (const { about, fault } of rules) {
    if (about.some((name) => faults.concern(name))) continue;
    const text = fault(values);
    if (text) faults.add(text, text);
  }
  return { values, faults: faults.texts, isGiven };
}

function modeOf({ SLIPWAY_SANDBOX, SLIPWAY_SANDBOX_PUBLIC, NODE_ENV, SLIPWAY_RPC_URL }: Record<string, unknown>): Mode {
  if (SLIPWAY_SANDBOX === false) return 'production';
  if (SLIPWAY_SANDBOX_PUBLIC === true) return 'publicSandbox';
  if (SLIPWAY_SANDBOX === true) return 'sandbox';
  return NODE_ENV === 'production' || SLIPWAY_RPC_URL !== undefined ? 'production' : 'sandbox';
}

/** Checks for the settings that production requires because no default is safe. An unreadable file is not checked. */
function checkProduction(given: readonly Setting[], unreadable: boolean, faults: Faults): void {
  for (const setting of allSettings) {
    const { name, place, schema } = setting;
    if (schema.requiredIn !== 'production' || given.includes(setting) || (place === 'file' && unreadable)) continue;
    const text =
      place === 'environment'
        ? `${name} is required when SLIPWAY_SANDBOX is off`
        : `${name} must be set in slipway.config.json when SLIPWAY_SANDBOX is off`;
    faults.add(name, text);
  }
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce((inner, key) => (inner as Record<string, unknown> | null | undefined)?.[key], value);
}
