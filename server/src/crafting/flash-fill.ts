import { calledPrograms, checkSwap } from '@slipway/checks';
import {
  type FillPrice,
  flashFillOrder,
  type LimitOrder,
  type LimitOrderAddresses,
  preFlashFillOrder,
} from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  createAssociatedTokenIdempotent,
  type Instruction,
  rentExemptLamports,
  systemCreateAccountWithSeed,
  TOKEN_ACCOUNT_SPACE,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  tokenInitializeAccount3,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { type Swap, type SwapPrograms, temporaryWrappedSol } from './swap.js';
import { type Budget, type Crafted, craftTransaction } from './transaction.js';

/** An associated token account that the transaction creates; the taker pays its rent. */
export interface MadeAccount {
  owner: Address;
  mint: Address;
  tokenProgram: Address;
}

/** Everything that the fill of a limit order consists of. Amounts in the smallest unit. */
export interface FlashFill {
  /** Pays the network fee, borrows, trades and pays the maker; keeps what the trade yields beyond that. */
  taker: Address;
  address: Address;
  order: LimitOrder;
  addresses: LimitOrderAddresses;
  makingAmount: bigint;
  price: FillPrice;
  /** The minimum that the trade must yield: the price, and what the taker is repaid of its cost. */
  least: bigint;
  places: FillPlaces;
  make: readonly MadeAccount[];
  /** The maker's token account that is paid into; undefined: SOL to the wallet. */
  makerOutput: Address | undefined;
  /** From the taker's source to its destination, at least `least`; as the router built it. */
  trade: Swap['trade'];
  programs: SwapPrograms;
}

/** The taker's token accounts of both sides: its own, or for SOL one that exists only within the transaction. */
export interface FillPlaces {
  source: Address;
  destination: Address;
  /** Of the account for SOL, if a side is SOL. */
  seed: string;
}

/** `seed` must be unpredictable. */
export function fillPlaces(taker: Address, order: LimitOrder, seed: string): FillPlaces {
  const place = (mint: Address, tokenProgram: Address) =>
    mint === WRAPPED_SOL_MINT
      ? temporaryWrappedSol(taker, seed).account
      : associatedTokenAddress(taker, mint, tokenProgram);
  return {
    source: place(order.inputMint, order.inputTokenProgram),
    destination: place(order.outputMint, order.outputTokenProgram),
    seed,
  };
}

/**
 * Crafts the transaction that borrows a part of an order, trades it and pays for it, and checks what its bytes say: the
 * taker loses nothing but the fee and the rent of what it creates. Same input, same bytes.
 * @throws TransactionTooLarge, CraftCheckFailed
 */
export function craftFlashFill(fill: FlashFill, blockhash: string, budget: Budget): Crafted {
  const before = beforeTrade(fill);
  const crafted = craftTransaction({
    feePayer: fill.taker,
    instructions: [...before, ...fill.trade.instructions, ...afterTrade(fill)],
    blockhash,
    budget,
    lookupTables: fill.trade.lookupTables,
    inFull: [
      fill.places.source,
      fill.places.destination,
      fill.order.maker,
      ...(fill.makerOutput ? [fill.makerOutput] : []),
      ...calledPrograms(fill.trade.instructions, fill.programs.router),
    ],
  });
  // The instructions around the trade are ours and were compared on reading back; the router's own must be bounded.
  const [limit, price, ...rest] = crafted.instructions;
  const trade = rest.slice(before.length, before.length + fill.trade.instructions.length);
  checkSwap({ ...crafted, instructions: [limit!, price!, ...trade] }, tradeOf(fill), budget);
  return crafted;
}

function tradeOf({ taker, order, makingAmount, least, places, trade, programs }: FlashFill): Swap {
  const side = (mint: Address, tokenProgram: Address, account: Address) => ({
    mint,
    tokenProgram,
    place: { kind: 'token', account } as const,
  });
  const { inputMint, inputTokenProgram, outputMint, outputTokenProgram } = order;
  return {
    taker,
    receiver: taker,
    feePayer: taker,
    rentPayer: taker,
    trade,
    programs,
    input: { ...side(inputMint, inputTokenProgram, places.source), amount: makingAmount },
    output: {
      ...side(outputMint, outputTokenProgram, places.destination),
      least,
      create: false,
    },
  };
}

function beforeTrade({ taker, address, order, addresses, makingAmount, places, make }: FlashFill): Instruction[] {
  const loan = preFlashFillOrder(
    {
      taker,
      order: address,
      inputMintReserve: order.inputMintReserve,
      makingAmount,
      takerInputMintAccount: places.source,
      inputMint: order.inputMint,
      inputTokenProgram: order.inputTokenProgram,
    },
    addresses,
  );
  const isSol = order.inputMint === WRAPPED_SOL_MINT || order.outputMint === WRAPPED_SOL_MINT;
  return [
    ...(isSol ? openForSol(taker, places.seed) : []),
    ...make.map((made) => createAssociatedTokenIdempotent({ payer: taker, ...made })),
    loan,
  ];
}

function openForSol(taker: Address, seed: string): Instruction[] {
  const { account } = temporaryWrappedSol(taker, seed);
  const lamports = rentExemptLamports(TOKEN_ACCOUNT_SPACE);
  const shape = { lamports, space: TOKEN_ACCOUNT_SPACE, owner: TOKEN_PROGRAM };
  return [
    systemCreateAccountWithSeed({ payer: taker, newAccount: account, base: taker, seed, ...shape }),
    tokenInitializeAccount3({ account, mint: WRAPPED_SOL_MINT, owner: taker }),
  ];
}

function afterTrade({ taker, address, order, addresses, price, places, makerOutput }: FlashFill): Instruction[] {
  const { maker, outputMint, outputTokenProgram } = order;
  const paysSol = outputMint === WRAPPED_SOL_MINT;
  const close = (account: Address) => tokenCloseAccount({ account, destination: taker, authority: taker });
  const payment = flashFillOrder(
    {
      taker,
      maker,
      order: address,
      inputMintReserve: order.inputMintReserve,
      feeAccount: order.feeAccount,
      ...(makerOutput && { makerOutputMintAccount: makerOutput }),
      ...(!paysSol && { takerOutputMintAccount: places.destination }),
      inputTokenProgram: order.inputTokenProgram,
      outputMint,
      outputTokenProgram,
      maxTakingAmount: price.takingAmount + price.feeAmount,
    },
    addresses,
  );
  // The wallet pays SOL, so it gets the trade's SOL first and needs none of its own for that.
  if (paysSol) return [close(places.destination), payment];
  return order.inputMint === WRAPPED_SOL_MINT ? [payment, close(places.source)] : [payment];
}
