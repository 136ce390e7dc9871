import type { SwapOrder } from '@slipway/client';
import { amountText, percent, short } from '../lib/format.js';
import { type Mint, useBook } from '../lib/sandbox.js';

const BPS = 100;
const NAMES = ['Rate', 'At least', 'Price impact', 'Service fee', 'Network fee', 'Rent'] as const;

type Token = Pick<Mint, 'mint' | 'symbol' | 'decimals'>;

interface TermsProps {
  /** Not there yet: its lines are, so that nothing jumps. */
  order: SwapOrder | undefined;
  input: Token;
  output: Token;
}

/** What a swap costs, and by whom it is paid. */
export function Terms({ order, input, output }: TermsProps) {
  const book = useBook();
  const said = order && termsOf(order, input, output, (address) => book.wallets.get(address) ?? short(address));
  const isHigh = order !== undefined && order.priceImpact > 1;
  return (
    <dl className="grid grid-cols-[auto_1fr] content-start gap-x-3 gap-y-1 text-sm">
      {NAMES.map((name) => (
        <div key={name} className="contents">
          <dt className="text-soft">{name}</dt>
          <dd className={`text-right ${name === 'Price impact' && isHigh ? 'font-semibold text-down' : ''}`}>
            {said?.[name] ?? '…'}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function termsOf(
  order: SwapOrder,
  input: Token,
  output: Token,
  named: (address: string) => string,
): Record<(typeof NAMES)[number], string> {
  const payer = (address: string | null) => (address ? named(address) : 'the taker');
  const rate = Number(order.outAmount) / 10 ** output.decimals / (Number(order.inAmount) / 10 ** input.decimals);
  const rateText = rate.toLocaleString('en-US', { maximumSignificantDigits: 7 });
  const least = amountText(BigInt(order.otherAmountThreshold), output.decimals);
  const fee = order.feeMint === output.mint ? output : input;
  const sol = (lamports: number) => `${amountText(BigInt(lamports), 9, 9)} SOL`;
  const network = sol(order.signatureFeeLamports + order.prioritizationFeeLamports);
  return {
    Rate: `1 ${input.symbol} = ${rateText} ${output.symbol}`,
    // On one line of a phone: a line more would move what is below when another router wins.
    'At least': `${least} ${output.symbol}${order.slippageBps > 0 ? ` (−${percent(order.slippageBps / BPS)})` : ''}`,
    'Price impact': `${percent(order.priceImpact)}${order.priceImpact > 1 ? ': this trade moves the market' : ''}`,
    'Service fee': `${amountText(BigInt(order.platformFee.amount), fee.decimals)} ${fee.symbol} (${percent(order.feeBps / BPS)})`,
    'Network fee': `${network} by ${payer(order.signatureFeePayer)}`,
    Rent: order.rentFeeLamports > 0 ? `${sol(order.rentFeeLamports)} by ${payer(order.rentFeePayer)}` : 'none',
  };
}
