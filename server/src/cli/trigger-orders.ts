import { defineCommand } from 'citty';
import type { OrderExplanation } from '../areas/admin/index.js';
import { withAdmin } from './admin-client.js';
import { commonArgs } from './common-args.js';
import type { CliContext, Result } from './context.js';

/** `slipway orders …` */
export function ordersCommand(context: CliContext) {
  return defineCommand({
    meta: { name: 'orders', description: 'Look into trigger orders' },
    subCommands: { explain: explainCommand(context) },
  });
}

function explainCommand(context: CliContext) {
  return defineCommand({
    meta: { name: 'explain', description: 'Say why a trigger order has fired or not' },
    args: {
      id: { type: 'positional', required: true, valueHint: 'ID', description: 'The id of the order' },
      ...commonArgs,
    },
    run: ({ args }): Promise<Result> =>
      withAdmin(context, args.url, async (admin) => {
        const path = `/orders/${encodeURIComponent(args.id)}/explanation`;
        const explanation = await admin.request<OrderExplanation>('GET', path);
        return { json: explanation, text: [`Order ${explanation.id}`, ...explanation.reasons].join('\n') };
      }),
  });
}
