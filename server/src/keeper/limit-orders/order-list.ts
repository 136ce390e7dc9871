import type { LimitOrder } from '@slipway/programs';
import type { Address } from '@slipway/wire';
import type { MintInfo } from '../../chain/index.js';
import type { DecodedOrders } from '../../indexes/limit-orders/index.js';
import { tokenOf } from '../../routing/router.js';
import type { LimitOrderDeps } from './deps.js';
import { type FillableOrders, type OpenOrder, readFillableOrders } from './fillable-orders.js';

const LIST_MS = 2_000;
/** Anybody opens ever more orders: with so many, the list is read half as often as with half of them. */
const MOST_READ_OFTEN = 10_000;

/** The orders that can be filled, with what is known of their tokens: read again from time to time. */
export class OrderList {
  readonly #deps: Pick<LimitOrderDeps, 'chain' | 'addresses' | 'steadyNow' | 'usd'>;
  readonly #decoded: DecodedOrders = new Map();
  #open: FillableOrders = { orders: [], skipped: new Map() };
  #mints = new Map<Address, MintInfo | undefined>();
  /** What amounts of these were worth when they were read: to ask at each turn takes long where there are thousands. */
  #worths = new Map<Address, ((amount: bigint) => number) | undefined>();
  #seenAt = new Map<string, number>();
  #listAt = Number.NEGATIVE_INFINITY;

  constructor(deps: Pick<LimitOrderDeps, 'chain' | 'addresses' | 'steadyNow' | 'usd'>) {
    this.#deps = deps;
  }

  get orders(): readonly OpenOrder[] {
    return this.#open.orders;
  }

  /** When the list first had each of these; steady time. */
  get seenAt(): ReadonlyMap<string, number> {
    return this.#seenAt;
  }

  /** Reads the orders where that is due, and answers them. @throws ChainUnavailable */
  async refresh(): Promise<FillableOrders | undefined> {
    const { chain, addresses, steadyNow } = this.#deps;
    if (steadyNow() < this.#listAt) return undefined;
    this.#open = await readFillableOrders(chain.rpc, addresses.program, this.#decoded);
    const now = steadyNow();
    this.#listAt = now + LIST_MS * Math.max(1, this.#decoded.size / MOST_READ_OFTEN);
    this.#seenAt = new Map(this.orders.map(({ address }) => [address, this.#seenAt.get(address) ?? now]));
    await this.#readMints();
    return this.#open;
  }

  /** Something has changed, so that the list is read in the next turn, unless it is long. */
  forget(): void {
    if (this.#decoded.size <= MOST_READ_OFTEN) this.#listAt = Number.NEGATIVE_INFINITY;
  }

  async mint(mint: Address): Promise<MintInfo | undefined> {
    return this.#mints.has(mint) ? this.#mints.get(mint) : this.#deps.chain.mint(mint);
  }

  /** What is sold by an order, or the least that its maker accepts where that has no price, in USD, when the list was read. */
  worthOf({ inputMint, makingAmount, outputMint, takingAmount, slippageBps }: LimitOrder): number | undefined {
    // What he asks beyond that needs no buyer.
    const least = (takingAmount * BigInt(10_000 - slippageBps)) / 10_000n;
    return this.#worths.get(inputMint)?.(makingAmount) ?? this.#worths.get(outputMint)?.(least);
  }

  /** The same at the prices of now. */
  async usdOf({ inputMint, makingAmount }: LimitOrder): Promise<number | undefined> {
    return this.#pricedBy(inputMint, await this.mint(inputMint))?.(makingAmount);
  }

  /** All at once: orders are looked at one after the other, and anybody opens some for ever more tokens. */
  async #readMints(): Promise<void> {
    const { chain } = this.#deps;
    const needed = new Set(this.orders.flatMap(({ order }) => [order.inputMint, order.outputMint]));
    const read = [...needed].map(async (mint) => [mint, await chain.mint(mint)] as const);
    // What could not be read is asked for when its order is looked at.
    this.#mints = new Map((await Promise.allSettled(read)).flatMap((each) => ('value' in each ? [each.value] : [])));
    this.#worths = new Map([...this.#mints].map(([mint, facts]) => [mint, this.#pricedBy(mint, facts)]));
  }

  #pricedBy(mint: Address, facts: MintInfo | undefined): ((amount: bigint) => number) | undefined {
    const price = facts && this.#deps.usd(tokenOf(mint, facts));
    return price === undefined ? undefined : (amount) => (Number(amount) / 10 ** facts!.decimals) * price;
  }
}
