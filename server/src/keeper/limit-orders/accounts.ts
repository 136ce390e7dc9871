import { type LimitOrder, limitOrderFeeAccount } from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  associatedTokenRent,
  decodeTokenAccount,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import type { ChainAccount } from '../../chain/index.js';
import type { FillPlaces, MadeAccount } from '../../crafting/flash-fill.js';
import { inTheWay, type LimitOrderDeps, type Skipped } from './deps.js';

/** Bytes of an associated token account; those of Token-2022 are marked as of an owner for ever. */

/** The token accounts that a fill makes. */
export interface Making {
  make: MadeAccount[];
  /** Of accounts that are others': the taker does not see it again. */
  rentLamports: bigint;
}

/**
 * Looks at the token accounts that a fill needs. Those that are missing are made: the taker's own ones where their mint
 * has a price, because anybody can make up a mint, and others' at the cost of the fill.
 */
export async function accountsOf(
  { chain, taker, usd, addresses }: LimitOrderDeps,
  order: LimitOrder,
  places: FillPlaces,
): Promise<Making | Skipped> {
  const { maker, inputMint, inputTokenProgram, outputMint, outputTokenProgram, feeAccount } = order;
  const input = { mint: inputMint, tokenProgram: inputTokenProgram };
  const output = { mint: outputMint, tokenProgram: outputTokenProgram };
  const makerOutput = associatedTokenAddress(maker, outputMint, outputTokenProgram);
  const [own, other, paid, fee] = await Promise.all(
    [places.source, places.destination, makerOutput, feeAccount].map(chain.account),
  );
  const making: Making = { make: [], rentLamports: 0n };
  for (const [account, token] of [
    [own, input],
    [other, output],
  ] as const) {
    if (account || token.mint === WRAPPED_SOL_MINT) continue;
    if (usd(token.mint) === undefined) return inTheWay('the keeper has no account of a token without a price');
    making.make.push({ owner: taker, ...token });
  }
  if (outputMint !== WRAPPED_SOL_MINT) {
    if (!paid) addOther(making, { owner: maker, ...output });
    else if (!canReceive(paid)) return inTheWay("the maker's output account takes nothing");
  }
  if (order.feeBps === 0) return making;
  if (!fee) {
    if (feeAccount !== limitOrderFeeAccount(outputMint, outputTokenProgram, addresses))
      return inTheWay("the order's fee account is gone");
    addOther(making, { owner: addresses.fee, ...output });
  } else if (!canReceive(fee)) return inTheWay("the order's fee account takes nothing");
  return making;
}

function addOther(making: Making, made: MadeAccount): void {
  making.make.push(made);
  making.rentLamports += associatedTokenRent(made.tokenProgram);
}

function canReceive({ data }: ChainAccount): boolean {
  return decodeTokenAccount(data)?.state === 'initialized';
}

/** The account that a cancelled order's input goes back to; undefined for SOL, which goes to the wallet itself. */
export async function refundAccountOf(
  { chain }: LimitOrderDeps,
  { maker, inputMint, inputTokenProgram }: LimitOrder,
): Promise<Address | undefined | Skipped> {
  if (inputMint === WRAPPED_SOL_MINT) return undefined;
  const address = associatedTokenAddress(maker, inputMint, inputTokenProgram);
  const account = await chain.account(address);
  // Making it would be a gift of its rent to who closes it each time.
  return account && canReceive(account) ? address : inTheWay("the maker's input account takes nothing");
}
