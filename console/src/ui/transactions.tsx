import { Link } from '@tanstack/react-router';
import { type Book, type Change, changesOf, type ParsedTransaction, titleOf } from '../lib/describe.js';
import { amountText, short, timeText } from '../lib/format.js';

/** Transactions in words, the newest first. */
export function Transactions({ list, book }: { list: readonly ParsedTransaction[]; book: Book }) {
  return (
    <ol aria-label="Transactions">
      {list.map((transaction) => (
        <Row key={transaction.transaction.signatures[0]} transaction={transaction} book={book} />
      ))}
    </ol>
  );
}

function Row({ transaction, book }: { transaction: ParsedTransaction; book: Book }) {
  const signature = transaction.transaction.signatures[0]!;
  const failed = transaction.meta.err !== null;
  const changes = changesOf(transaction).filter(({ owner }) => book.wallets.has(owner));
  return (
    <li className="arrive grid grid-cols-[4.5rem_1fr_auto] items-baseline gap-x-3 border-line border-b px-4 py-2 text-sm last:border-b-0">
      <time className="text-soft text-xs">{timeText((transaction.blockTime ?? 0) * 1_000)}</time>
      <span className="min-w-0">
        <span className="font-semibold">{titleOf(transaction, book)}</span>
        {failed && <span className="ml-2 rounded bg-down-tint px-1.5 text-down text-xs">failed</span>}
      </span>
      <Link
        to="/chain/$of"
        params={{ of: signature }}
        className="inline-flex min-h-6 items-center font-mono text-soft text-xs underline hover:text-ink"
      >
        {short(signature)}
      </Link>
      <span className="col-start-2 col-end-4 flex flex-wrap gap-x-3 text-soft">
        {changes.slice(0, 4).map((change) => (
          <ChangeText key={`${change.owner} ${change.mint}`} change={change} book={book} />
        ))}
      </span>
    </li>
  );
}

/** "alice −1 SOL" */
export function ChangeText({ change, book }: { change: Change; book: Book }) {
  const { owner, mint, amount, decimals } = change;
  return (
    <span className="min-w-0 [overflow-wrap:anywhere]">
      {book.wallets.get(owner) ?? short(owner)}{' '}
      <span className={amount < 0n ? 'text-down' : 'text-up'}>
        {amount > 0n && '+'}
        {amountText(amount, decimals)}
      </span>{' '}
      <span className="whitespace-nowrap">{book.symbols.get(mint) ?? short(mint)}</span>
    </span>
  );
}
