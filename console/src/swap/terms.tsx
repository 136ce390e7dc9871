import type { SwapOrder } from '@slipway/client';
import { amountText, percent, short } from '../lib/format.js';
import { type Mint, useBook } from '../lib/sandbox.js';

const BPS = 100;

/** What a swap costs, and who pays it. */
export function Terms({ order, input, output }: { order: SwapOrder; input: Mint; output: Mint }) {
  const book = useBook();
  const payer = (address: string | null) => (address ? (book.wallets.get(address) ?? short(address)) : 'the taker');
  const rate = Number(order.outAmount) / 10 ** output.decimals / (Number(order.inAmount) / 10 ** input.decimals);
  const high = order.priceImpact > 1;
  const feeSymbol = book.symbols.get(order.feeMint) ?? short(order.feeMint);
  const feeDecimals = order.feeMint === output.mint ? output.decimals : input.decimals;
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-sm">
      <dt className="text-soft">Rate</dt>
      <dd className="text-right">
        1 {input.symbol} = {rate.toLocaleString('en-US', { maximumSignificantDigits: 7 })} {output.symbol}
      </dd>
      <dt className="text-soft">At least</dt>
      <dd className="text-right">
        {amountText(BigInt(order.otherAmountThreshold), output.decimals)} {output.symbol} (
        {percent(order.slippageBps / BPS)} slippage)
      </dd>
      <dt className="text-soft">Price impact</dt>
      <dd className={`text-right ${high ? 'font-semibold text-down' : ''}`}>
        {percent(order.priceImpact)}
        {high && ': this trade moves the market'}
      </dd>
      <dt className="text-soft">Service fee</dt>
      <dd className="text-right">
        {amountText(BigInt(order.platformFee.amount), feeDecimals)} {feeSymbol} ({percent(order.feeBps / BPS)})
      </dd>
      <dt className="text-soft">Network fee</dt>
      <dd className="text-right">
        {amountText(BigInt(order.signatureFeeLamports + order.prioritizationFeeLamports), 9, 9)} SOL, paid by{' '}
        {payer(order.signatureFeePayer)}
      </dd>
      {order.rentFeeLamports > 0 && (
        <>
          <dt className="text-soft">Rent</dt>
          <dd className="text-right">
            {amountText(BigInt(order.rentFeeLamports), 9, 9)} SOL, paid by {payer(order.rentFeePayer)}
          </dd>
        </>
      )}
    </dl>
  );
}
