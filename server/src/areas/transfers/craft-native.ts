import { feeOf } from '../../crafting/transaction.js';
import { walletMinimum } from '../../crafting/wallet.js';
import { invalidField, requireAddress, requireAmount } from '../../errors/index.js';
import { askedBy } from '../../landing/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { craft, requireOther, requireSol, requireWallet } from './craft.js';
import { type TransfersDeps, tags, transfersRoute } from './deps.js';
import { CraftNativeQuery, TransferAnswer } from './schema.js';

export function registerCraftNative(app: TypedServer, deps: TransfersDeps): void {
  app.get(
    '/ultra/v1/transfer/craft-native',
    {
      config: { ...transfersRoute, crafts: true },
      schema: {
        tags,
        summary: 'Craft a transfer of SOL',
        description: 'Sign `transaction` and post it to `transfer/execute`.',
        querystring: CraftNativeQuery,
        response: { 200: TransferAnswer },
      },
    },
    (request) => craftNative(askedBy(deps, request), request.query),
  );
}

/** Crafts a transfer of SOL between wallets. */
export async function craftNative(deps: TransfersDeps, query: CraftNativeQuery): Promise<TransferAnswer> {
  const { chain } = deps;
  const sender = requireAddress('senderAddress', query.senderAddress);
  const receiver = requireAddress('receiverAddress', query.receiverAddress);
  const amount = requireAmount('amount', query.amount);
  requireOther('receiverAddress', sender, receiver);
  const [from, to] = await Promise.all([chain.account(sender), chain.account(receiver)]);
  requireWallet('senderAddress', from);
  requireWallet('receiverAddress', to);
  const least = walletMinimum() - (to?.lamports ?? 0n);
  if (amount < least) {
    throw invalidField('amount', `expected at least ${least} lamports, because the receiver is a new wallet`);
  }
  const transfer = { kind: 'native', sender, receiver, amount } as const;
  requireSol(transfer, from, feeOf(1, { computeUnitLimit: 0, computeUnitPrice: 0n }));
  return craft(deps, transfer, from);
}
