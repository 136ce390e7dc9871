import type { Address } from '@slipway/wire';
import { base64Of } from '../../crafting/transaction.js';
import { requireAddress, requireAmount } from '../../errors/index.js';
import { askedBy, type CraftedRequest, newRequest } from '../../landing/index.js';
import { uuidv7 } from '../../lib/ids.js';
import type { Guest } from '../../lib/places.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { orderAccount } from '../../signer/index.js';
import { requireOwnVault } from './access.js';
import { DEPOSIT_AREA, type DepositPayload, type TriggerV2Deps, tags, walletRoute } from './deps.js';

import { requireDepth, requireKeptOpen, requirePair, requireSameUnits, requireWorth } from './order-checks.js';
import { DepositAnswer, DepositBody } from './schema.js';
import { requireVaultToken } from './vault-token.js';
import { craftDeposit, type Deposit } from './vault-transactions.js';

export function registerCraftDeposit(app: TypedServer, deps: TriggerV2Deps): void {
  app.post(
    '/trigger/v2/deposit/craft',
    {
      config: { ...walletRoute, crafts: true },
      schema: {
        tags,
        summary: 'Craft the deposit that pays for an order',
        description: 'Sign `transaction`, but do not send it: post it with the order.',
        body: DepositBody,
        response: { 200: DepositAnswer },
      },
    },
    (request) => craftOrderDeposit(askedBy(deps, request), request.wallet, request.body, request.payer),
  );
}

/** Crafts the deposit that funds one order. Nothing moves before the order is created with it. `caller`: who pays for the call. */
export async function craftOrderDeposit(
  deps: TriggerV2Deps,
  wallet: Address,
  body: DepositBody,
  caller?: Guest,
): Promise<DepositAnswer> {
  const [inputMint, outputMint] = [
    requireAddress('inputMint', body.inputMint),
    requireAddress('outputMint', body.outputMint),
  ];
  requireAddress('userAddress', body.userAddress);
  const amount = requireAmount('amount', body.amount);
  const asked = { field: 'userAddress', value: body.userAddress, withoutVault: 'FORBIDDEN' } as const;
  const vault = await requireOwnVault(deps, wallet, asked);
  requirePair(deps, inputMint, outputMint);
  const [input, output] = await Promise.all([
    requireVaultToken(deps.chain, 'inputMint', inputMint),
    requireVaultToken(deps.chain, 'outputMint', outputMint),
  ]);
  for (const mint of [inputMint, outputMint]) deps.prices.ask(mint);
  await requireSameUnits(deps, ['inputMint', inputMint]);
  await requireSameUnits(deps, ['outputMint', outputMint]);
  requireWorth(deps, input, amount);
  requireDepth(deps, ['outputMint', outputMint]);
  const deposit: Deposit = {
    requestId: uuidv7(deps.clock),
    wallet,
    vault,
    tracker: deps.signer.address('tracker'),
    input,
    output,
    amount,
    keepsOutput: body.orderSubType === 'otoco',
  };
  return answer(
    deposit,
    await remember(deps, deposit, {
      type: body.orderSubType,
      ...(caller?.together !== undefined && { caller: caller.id }),
    }),
  );
}

async function remember(
  deps: TriggerV2Deps,
  deposit: Deposit,
  asked: Pick<DepositPayload, 'type' | 'caller'>,
): Promise<string> {
  const { wallet, vault, requestId, input, output } = deposit;
  const [{ blockhash, lastValidBlockHeight }, computeUnitPrice] = await Promise.all([
    deps.chain.latestBlockhash(),
    deps.chain.computeUnitPrice(),
    requireKeptOpen(deps, deposit),
  ]);
  const crafted = craftDeposit(deposit, blockhash, computeUnitPrice);
  const payload: DepositPayload = {
    ...asked,
    vault,
    inputMint: input.mint,
    outputMint: output.mint,
    amount: deposit.amount.toString(),
    ...accountsOf(deposit),
  };
  const request: CraftedRequest = {
    id: requestId,
    area: DEPOSIT_AREA,
    wallet,
    crafted,
    lastValidBlockHeight,
    cosigners: [`vault:${wallet}`, 'tracker'],
    payload,
  };
  await deps.remember(newRequest(request, deps.clock));
  return base64Of(crafted);
}

function accountsOf({ vault, requestId, input, output, keepsOutput }: Deposit) {
  return {
    inputAccount: orderAccount(vault, requestId, 'in', input.tokenProgram),
    outputAccount: keepsOutput ? orderAccount(vault, requestId, 'out', output.tokenProgram) : null,
  };
}

function answer(deposit: Deposit, transaction: string): DepositAnswer {
  const { requestId, vault, input, amount } = deposit;
  const { inputAccount, outputAccount } = accountsOf(deposit);
  return {
    transaction,
    requestId,
    receiverAddress: vault,
    mint: input.mint,
    amount: amount.toString(),
    tokenDecimals: input.decimals,
    inputTokenAccount: inputAccount,
    ...(outputAccount && { outputTokenAccount: outputAccount }),
  };
}
