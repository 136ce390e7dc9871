import type { Address } from '@slipway/wire';
import { AppError, requireAddress, requireAmount } from '../../errors/index.js';
import { type CraftedRequest, newRequest } from '../../landing/index.js';
import { uuidv7 } from '../../lib/ids.js';
import { requireOwnVault } from './access.js';
import { DEPOSIT_AREA, type DepositPayload, type TriggerV2Deps } from './deps.js';
import { explainMissingPrice } from './order-terms.js';
import type { DepositAnswer, DepositBody } from './schema.js';
import { requireVaultToken } from './vault-token.js';
import { craftDeposit, type Deposit, orderAccount, type VaultToken } from './vault-transactions.js';

/** The least that an order may be worth, in USD. */
const LEAST_USD = 10;

/** Crafts the deposit that pays for one order. Nothing moves before the order is created with it. */
export async function craftOrderDeposit(
  deps: TriggerV2Deps,
  wallet: Address,
  body: DepositBody,
): Promise<DepositAnswer> {
  const [inputMint, outputMint] = [
    requireAddress('inputMint', body.inputMint),
    requireAddress('outputMint', body.outputMint),
  ];
  requireAddress('userAddress', body.userAddress);
  const amount = requireAmount('amount', body.amount);
  const asked = { field: 'userAddress', value: body.userAddress, withoutVault: 'FORBIDDEN' } as const;
  const vault = await requireOwnVault(deps.store, wallet, asked);
  requirePair(deps, inputMint, outputMint);
  const [input, output] = await Promise.all([
    requireVaultToken(deps.chain, 'inputMint', inputMint),
    requireVaultToken(deps.chain, 'outputMint', outputMint),
  ]);
  requireWorth(deps, input, amount);
  const deposit: Deposit = {
    ...{ requestId: uuidv7(deps.clock), wallet, vault, tracker: deps.signer.address('tracker'), input, output, amount },
    keepsOutput: body.orderSubType === 'otoco',
  };
  return answer(deposit, await remember(deps, deposit, body.orderSubType));
}

/** @throws AppError INVALID_REQUEST for a pair that no order can trade. */
export function requirePair({ stables }: TriggerV2Deps, inputMint: Address, outputMint: Address): void {
  if (inputMint === outputMint) {
    throw new AppError('INVALID_REQUEST', { message: 'Input mint and output mint cannot be the same' });
  }
  if (stables.has(inputMint) && stables.has(outputMint)) {
    throw new AppError('INVALID_REQUEST', { message: 'Mint pair is not supported' });
  }
}

function requireWorth({ prices }: TriggerV2Deps, { mint, decimals }: VaultToken, amount: bigint): void {
  const usd = prices.usd(mint);
  if (usd === undefined) {
    const why = explainMissingPrice(prices, mint);
    throw new AppError('CRAFT_FAILED', { message: `Failed to fetch the price of inputMint: ${why}` });
  }
  const worth = (Number(amount) / 10 ** decimals) * usd;
  if (worth < LEAST_USD) {
    // Rounded down: what is refused must not read as enough.
    const shown = (Math.floor(worth * 100) / 100).toFixed(2);
    throw new AppError('INVALID_REQUEST', {
      message: `Order must be at least ${LEAST_USD} USD (current value: ${shown} USD)`,
    });
  }
}

async function remember(deps: TriggerV2Deps, deposit: Deposit, type: DepositPayload['type']): Promise<string> {
  const { wallet, vault, requestId, input, output } = deposit;
  const [{ blockhash, lastValidBlockHeight }, computeUnitPrice] = await Promise.all([
    deps.chain.latestBlockhash(),
    deps.chain.computeUnitPrice(),
  ]);
  const crafted = craftDeposit(deposit, blockhash, computeUnitPrice);
  const payload: DepositPayload = {
    ...{ type, vault, inputMint: input.mint, outputMint: output.mint, amount: deposit.amount.toString() },
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
  return Buffer.from(crafted.wire).toString('base64');
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
    ...{ transaction, requestId, receiverAddress: vault, mint: input.mint, amount: amount.toString() },
    ...{ tokenDecimals: input.decimals, inputTokenAccount: inputAccount },
    ...(outputAccount && { outputTokenAccount: outputAccount }),
  };
}
