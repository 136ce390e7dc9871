import type { Command } from 'commander';
import { type ShownSetting, settingsFileSchema, showSettings, valueText } from '../config/index.js';
import type { CommandContext } from './context.js';
import { example } from './program.js';
import { table } from './table.js';

/** `slipway config` */
export function configCommand(program: Command, context: CommandContext): void {
  const config = program
    .command('config')
    .description('Show every setting, its value, and where the value comes from')
    .addHelpText('after', example('slipway config', 'slipway config --json'))
    .action(() => {
      const shown = showSettings(context.env, context);
      const rows = shown.settings.map((setting) => [setting.name, textOf(setting), setting.from]);
      const faults = shown.faults.map((fault) => `cannot be used: ${fault}`);
      const text = [`Mode: ${shown.mode}`, table(['SETTING', 'VALUE', 'FROM'], rows), ...faults].join('\n\n');
      context.answer({ json: shown, text, failed: faults.length > 0 });
    });
  config
    .command('schema')
    .description('Print the JSON schema of slipway.config.json')
    .addHelpText('after', example('slipway config schema > slipway.config.schema.json'))
    .action(() => {
      const schema = settingsFileSchema();
      context.answer({ json: schema, text: JSON.stringify(schema, null, 2) });
    });
}

/** The value as shown in a terminal column. */
function textOf({ value, hidden, otherwise }: ShownSetting): string {
  if (value === null) return hidden ? '(hidden)' : `(${otherwise ?? 'none'})`;
  if (otherwise !== undefined) return `(${otherwise})`;
  const text = valueText(value);
  if (text === '') return '(none)';
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
