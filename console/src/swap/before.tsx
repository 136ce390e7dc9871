import { useQuery } from '@tanstack/react-query';
import type { Decoded } from '../lib/decode.js';
import type { Book } from '../lib/describe.js';
import { countOf, short } from '../lib/format.js';
import { useInfo } from '../lib/sandbox.js';
import { Trouble } from '../ui/trouble.js';

/** A transaction before it is signed: what it calls, who signs, and how it went when it was tried out. */
export function Before({ transaction, book }: { transaction: string | undefined; book: Book }) {
  const { rpcUrl } = useInfo();
  const { data, error } = useQuery({
    queryKey: ['decoded', transaction],
    queryFn: async () => (await import('../lib/decode.js')).decode(rpcUrl, transaction!),
    enabled: Boolean(transaction),
    placeholderData: (last) => last,
  });
  if (error) return <Trouble error={error} />;
  if (!data) return <p className="min-h-64 p-4 text-soft text-sm">No transaction yet.</p>;
  return <Reading decoded={data} book={book} />;
}

function Reading({ decoded, book }: { decoded: Decoded; book: Book }) {
  const { bytes, mostBytes, signers, accounts, looked, unitLimit, units, trialError, instructions } = decoded;
  const name = (address: string) => book.wallets.get(address) ?? short(address);
  return (
    <div className="grid gap-3 p-4 text-sm">
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1">
        <dt className="text-soft">Size</dt>
        <dd className="text-right">
          {bytes} of {mostBytes} bytes
        </dd>
        <dt className="text-soft">Signs and pays</dt>
        <dd className="text-right">{signers.map(name).join(', ')}</dd>
        <dt className="text-soft">Accounts</dt>
        <dd className="text-right">
          {accounts}, {looked} of them by lookup tables
        </dd>
        <dt className="text-soft">Compute units</dt>
        <dd className="text-right" data-live>
          {units?.toLocaleString('en-US') ?? '?'} when tried out
          {unitLimit !== undefined && `, at most ${unitLimit.toLocaleString('en-US')}`}
        </dd>
      </dl>
      {trialError && <Trouble error={new Error(`Tried out, it fails: ${trialError}`)} />}
      <ol className="grid gap-1">
        {instructions.map(({ program, accounts: used, bytes: length, says }, index) => (
          // Instructions have no other name than their place.
          <li key={index} className="rounded bg-sunken px-2.5 py-1.5">
            <span className="flex justify-between gap-2">
              <span className="font-semibold">
                {index + 1}. {book.programs.get(program) ?? short(program)}
              </span>
              <span className="text-soft text-xs">
                {countOf(used.length, 'account')} · {countOf(length, 'byte')}
              </span>
            </span>
            {says && <span className="block text-soft">{says}</span>}
          </li>
        ))}
      </ol>
    </div>
  );
}
