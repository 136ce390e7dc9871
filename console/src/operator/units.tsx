import { SOL_MINT } from '../lib/chain.js';
import { amountText } from '../lib/format.js';
import { Copied } from '../ui/parts.js';

/** An amount as the admin API tells it, in units: of other tokens than SOL, the operator's part knows no decimals. */
export function Units({ amount, mint }: { amount: string; mint: string }) {
  if (mint === SOL_MINT) return <span className="whitespace-nowrap">{amountText(BigInt(amount), 9, 9)} SOL</span>;
  return (
    <span className="whitespace-nowrap">
      {BigInt(amount).toLocaleString('en-US')} units of <Copied text={mint} what="the mint" />
    </span>
  );
}
