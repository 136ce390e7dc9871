import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { rpc } from '../lib/chain.js';
import { type Book, changesOf, type ParsedInstruction, type ParsedTransaction, titleOf } from '../lib/describe.js';
import { amountText, plainName, short } from '../lib/format.js';
import { useBook, useInfo } from '../lib/sandbox.js';
import { Copied, Panel, Scroll } from '../ui/parts.js';
import { ChangeText } from '../ui/transactions.js';
import { Trouble } from '../ui/trouble.js';
import { Waiting } from '../ui/waiting.js';
import { Fields } from './fields.js';

const AGAIN_MS = 2_000;

/** A transaction with all that it did. */
export function Transaction({ signature }: { signature: string }) {
  const { rpcUrl } = useInfo();
  const book = useBook();
  const { data, error, isPending } = useQuery({
    queryKey: ['transaction', signature],
    queryFn: async () => {
      const config = { encoding: 'jsonParsed', maxSupportedTransactionVersion: 1 };
      const [found] = await rpc<[ParsedTransaction | null]>(rpcUrl, [['getTransaction', [signature, config]]]);
      return found;
    },
    // It may be on its way there.
    refetchInterval: ({ state }) => (state.data ? false : AGAIN_MS),
  });
  if (error) return <Trouble error={error} />;
  if (isPending) return <Waiting />;
  if (!data)
    return <p>The chain has no transaction with this signature, or not yet: it is asked again every two seconds.</p>;
  const { meta } = data;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[24rem_1fr]">
      <div className="grid min-w-0 gap-4">
        <Panel title={titleOf(data, book)} aside={<Outcome failed={meta.err !== null} />}>
          <Facts transaction={data} signature={signature} book={book} />
        </Panel>
        <Panel title="Who has more, and who less">
          <ul className="grid gap-1 px-4 py-3 text-sm">
            {changesOf(data).map((change) => (
              <li key={`${change.owner} ${change.mint}`}>
                <ChangeText change={change} book={book} />
              </li>
            ))}
          </ul>
        </Panel>
      </div>
      <div className="grid min-w-0 gap-4">
        <Panel title="Instructions">
          <Instructions transaction={data} book={book} />
        </Panel>
        <Panel title="Log">
          <Scroll name="Log of the programs" className="max-h-80">
            <pre className="p-4 font-mono text-xs leading-relaxed">
              {meta.logMessages?.map((line) => plainName(line, 400)).join('\n')}
            </pre>
          </Scroll>
        </Panel>
      </div>
    </div>
  );
}

function Outcome({ failed }: { failed: boolean }) {
  return failed ? (
    <span className="rounded bg-down-tint px-2 py-0.5 text-down text-xs">failed</span>
  ) : (
    <span className="rounded bg-tint px-2 py-0.5 text-up text-xs">landed</span>
  );
}

function Facts({ transaction, signature, book }: { transaction: ParsedTransaction; signature: string; book: Book }) {
  const { meta, slot, blockTime } = transaction;
  const signers = transaction.transaction.message.accountKeys.filter(({ signer }) => signer);
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 px-4 py-3 text-sm">
      <dt className="text-soft">Signature</dt>
      <dd className="text-right">
        <Copied text={signature} what="the signature" />
      </dd>
      <dt className="text-soft">Slot</dt>
      <dd className="text-right">{slot}</dd>
      <dt className="text-soft">Time</dt>
      <dd className="text-right">{new Date((blockTime ?? 0) * 1_000).toLocaleString('en-GB')}</dd>
      <dt className="text-soft">Fee</dt>
      <dd className="text-right">{amountText(BigInt(meta.fee), 9, 9)} SOL</dd>
      <dt className="text-soft">Compute units</dt>
      <dd className="text-right">{meta.computeUnitsConsumed?.toLocaleString('en-US') ?? '?'}</dd>
      <dt className="text-soft">Signed by</dt>
      <dd className="text-right">
        {signers.map(({ pubkey }) => (
          <Address key={pubkey} address={pubkey} book={book} />
        ))}
      </dd>
      {meta.err !== null && (
        <>
          <dt className="text-soft">Error</dt>
          <dd className="text-right text-down [overflow-wrap:anywhere]">{JSON.stringify(meta.err)}</dd>
        </>
      )}
    </dl>
  );
}

function Instructions({ transaction, book }: { transaction: ParsedTransaction; book: Book }) {
  const { meta } = transaction;
  return (
    <ol className="grid gap-2 p-4 text-sm">
      {transaction.transaction.message.instructions.map((instruction, index) => (
        <li key={`${index} ${instruction.programId}`} className="rounded bg-sunken px-3 py-2">
          <One instruction={instruction} book={book} place={`${index + 1}.`} />
          <ol className="ml-3 border-line border-l pl-3">
            {meta.innerInstructions
              ?.find((inner) => inner.index === index)
              ?.instructions.map((inner, at) => (
                <li key={`${at} ${inner.programId}`} className="mt-1">
                  <One instruction={inner} book={book} place={`${index + 1}.${at + 1}`} />
                </li>
              ))}
          </ol>
        </li>
      ))}
    </ol>
  );
}

function One({ instruction, book, place }: { instruction: ParsedInstruction; book: Book; place: string }) {
  const { programId, parsed, accounts } = instruction;
  const type = typeof parsed === 'object' ? parsed.type : undefined;
  const info = typeof parsed === 'object' ? parsed.info : undefined;
  return (
    <>
      <span className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-soft">{place}</span>
        <Address address={programId} book={book} />
        {type && <span>{type}</span>}
        {accounts && <span className="text-soft text-xs">{accounts.length} accounts</span>}
      </span>
      {info && (
        <dl className="mt-1 grid grid-cols-[8rem_1fr] gap-x-2 text-xs">
          <Fields info={info} />
        </dl>
      )}
    </>
  );
}

/** The name of what is at an address, as a way there. */
export function Address({ address, book }: { address: string; book: Book }) {
  const name = book.wallets.get(address) ?? book.programs.get(address) ?? book.symbols.get(address);
  return (
    <Link
      to="/chain/$of"
      params={{ of: address }}
      title={address}
      className="mr-1 whitespace-nowrap font-semibold text-accent underline"
    >
      {name ?? short(address)}
    </Link>
  );
}
