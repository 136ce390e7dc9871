import { type LimitOrder, limitOrderFeeAccount } from '@slipway/programs';
import { type Address, associatedTokenRent, WRAPPED_SOL_MINT } from '@slipway/wire';
import { type ChainAccount, givesAwaySol, isMade } from '../../chain/index.js';
import type { FillPlaces, MadeAccount } from '../../crafting/flash-fill.js';
import { paymentPlace, refundPlace } from '../../crafting/limit-order.js';
import { canReceive } from '../../indexes/limit-orders/index.js';
import { blocked, type LimitOrderDeps, type Skipped } from './deps.js';

/** The token accounts that a fill creates. */
export interface Making {
  make: MadeAccount[];
  /** Rent that the fill must pay back, because the taker does not get it back or gains nothing of value for it. */
  rentLamports: bigint;
  /** The token account that the maker is paid to; missing if SOL goes to the wallet. */
  makerOutput?: Address;
}

/**
 * Checks the token accounts that a fill needs, and which of them it must create. The fill pays the rent of other
 * owners' accounts. The taker pays for its own account if the mint has a price; otherwise the fill does, because
 * anybody can create a worthless mint.
 */
export async function accountsOf(
  { chain, taker, usd, addresses }: LimitOrderDeps,
  order: LimitOrder,
  places: FillPlaces,
): Promise<Making | Skipped> {
  const { maker, inputMint, inputTokenProgram, outputMint, outputTokenProgram, feeAccount } = order;
  const input = { mint: inputMint, tokenProgram: inputTokenProgram };
  const output = { mint: outputMint, tokenProgram: outputTokenProgram };
  const makerOutput = paymentPlace(order);
  const [own, other, paid, fee] = await Promise.all(
    [places.source, places.destination, makerOutput, feeAccount].map(async (place) => {
      const found = place && (await chain.account(place));
      return isMade(found) ? found : undefined;
    }),
  );
  const making: Making = { make: [], rentLamports: 0n };
  for (const [account, token] of [
    [own, input],
    [other, output],
  ] as const) {
    if (account || token.mint === WRAPPED_SOL_MINT) continue;
    const made = { owner: taker, ...token };
    if (usd(token) === undefined) addPaid(making, made);
    else making.make.push(made);
  }
  if (outputMint === WRAPPED_SOL_MINT) {
    if (paid && canPay(paid, outputMint, maker)) making.makerOutput = makerOutput!;
  } else {
    making.makerOutput = makerOutput!;
    if (!paid) addPaid(making, { owner: maker, ...output });
    else if (!canPay(paid, outputMint, maker)) return blocked(`the maker's output account ${UNPAYABLE}`);
  }
  if (order.feeBps === 0) return making;
  if (!fee) {
    if (feeAccount !== limitOrderFeeAccount(outputMint, outputTokenProgram, addresses))
      return blocked("the order's fee account is gone");
    addPaid(making, { owner: addresses.fee, ...output });
  } else if (!canReceive(fee, outputMint)) return blocked("the order's fee account takes nothing");
  return making;
}

const UNPAYABLE = "is frozen, requires memos, is not the maker's, or is of SOL and somebody else may close it";

/** Whether the program can pay a maker to the account, and nobody else has that for closing it. */
function canPay(account: ChainAccount, mint: Address, maker: Address): boolean {
  return canReceive(account, mint, maker) && !givesAwaySol(account.data);
}

function addPaid(making: Making, made: MadeAccount): void {
  making.make.push(made);
  making.rentLamports += associatedTokenRent(made.tokenProgram);
}

/** The account that a cancelled order's input is returned to; undefined for SOL, which goes to the wallet itself. */
export async function refundAccountOf(
  { chain }: LimitOrderDeps,
  order: LimitOrder,
): Promise<Address | undefined | Skipped> {
  const address = refundPlace(order);
  const account = address && (await chain.account(address));
  if (account && canPay(account, order.inputMint, order.maker)) return address;
  if (order.inputMint === WRAPPED_SOL_MINT) return undefined;
  // If we created it, its owner could close it and collect the rent each time.
  return blocked(`the maker's input account is missing, or ${UNPAYABLE}`);
}
