import type { Command } from 'commander';
import type { OrderExplanation } from '../areas/admin/index.js';
import { withAdmin } from './admin-client.js';
import type { CommandContext } from './context.js';
import { example, URL_OPTION } from './program.js';

/** `slipway trigger-orders …` */
export function triggerOrdersCommand(program: Command, context: CommandContext): void {
  program
    .command('trigger-orders')
    .description('Look into trigger orders')
    .command('explain')
    .description('Say why a trigger order has fired or not')
    .argument('<ID>', 'The id of the order')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway trigger-orders explain 01a20229-7c1e-7d2a-b3f4-5a6b7c8d9e0f'))
    .action(async (id: string, { url }: { url?: string }) => {
      const path = `/orders/${encodeURIComponent(id)}/explanation`;
      const explanation = await withAdmin(context, url, (admin) => admin.request<OrderExplanation>('GET', path));
      const text = [`Order ${explanation.id}`, ...explanation.reasons].join('\n');
      context.answer({ json: explanation, text });
    });
}
