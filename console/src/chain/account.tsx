import type { Client } from '@slipway/client';
import { useQuery } from '@tanstack/react-query';
import { holdingsOf, type RpcCall, rpc, SOL_MINT } from '../lib/chain.js';
import type { ParsedTransaction } from '../lib/describe.js';
import { amountText, short } from '../lib/format.js';
import { OUTDATED_MS, useLive } from '../lib/live.js';
import { useBook, useInfo } from '../lib/sandbox.js';
import { Copied, Panel, Scroll } from '../ui/parts.js';
import { Transactions } from '../ui/transactions.js';
import { Trouble } from '../ui/trouble.js';
import { Waiting } from '../ui/waiting.js';
import { Fields } from './fields.js';
import { PoolFacts, Pools } from './pools.js';
import { ProgramFacts } from './programs.js';
import { Address } from './transaction.js';

interface AccountInfo {
  lamports: number;
  owner: string;
  executable: boolean;
  space?: number;
  data: [string, string] | { program: string; parsed: { type: string; info: Record<string, unknown> } };
}

const SYSTEM = '11111111111111111111111111111111';
const LAST = 20;

/** What is at an address, what it holds, and what has happened to it. */
export function Account({ client, address }: { client: Client; address: string }) {
  const { rpcUrl } = useInfo();
  const book = useBook();
  const { count } = useLive();
  const { data, error } = useQuery({
    queryKey: ['account', address, count],
    gcTime: OUTDATED_MS,
    queryFn: () => readAccount(rpcUrl, address),
    placeholderData: (last, query) => (query?.queryKey[1] === address ? last : undefined),
  });
  if (error) return <Trouble error={error} />;
  if (!data) return <Waiting />;
  const { account, held, transactions } = data;
  const name = book.wallets.get(address) ?? book.programs.get(address) ?? book.symbols.get(address);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[26rem_1fr]">
      <div className="grid min-w-0 gap-4">
        <PoolFacts client={client} address={address} />
        <Panel title={name ?? short(address)} aside={<Copied text={address} what="the address" />}>
          {account ? (
            <Facts account={account} />
          ) : (
            <p className="p-4 text-soft text-sm">There is nothing at this address.</p>
          )}
        </Panel>
        {account?.executable && <ProgramFacts address={address} loader={account.owner} code={codeOf(account)} />}
        {held.size > 1 && (
          <Panel title="It holds">
            <ul className="grid gap-1 px-4 py-3 text-sm">
              {[...held].map(([mint, { amount, decimals }]) => (
                <li key={mint} className="flex min-h-6 items-center justify-between gap-3">
                  <Address address={mint} book={book} />
                  {amountText(amount, decimals)}
                </li>
              ))}
            </ul>
          </Panel>
        )}
      </div>
      <div className="grid min-w-0 gap-4">
        {account && isMint(account, address) && <Pools client={client} token={address} />}
        <Panel title="Its last transactions">
          <Scroll name="Its last transactions" className="max-h-[40rem] min-h-40">
            {transactions.length === 0 && <p className="p-4 text-soft text-sm">None.</p>}
            <Transactions list={transactions} book={book} />
          </Scroll>
        </Panel>
      </div>
    </div>
  );
}

/** Where the code of a program stands, of those that can be changed. */
const codeOf = ({ data }: AccountInfo): string | undefined =>
  Array.isArray(data) ? undefined : (data.parsed.info.programData as string | undefined);

/** A token's page lists its pools. */
const isMint = ({ data }: AccountInfo, address: string): boolean =>
  address === SOL_MINT || (!Array.isArray(data) && data.parsed.type === 'mint');

async function readAccount(rpcUrl: string, address: string) {
  const [{ value: account }, signatures] = await rpc<[{ value: AccountInfo | null }, { signature: string }[]]>(rpcUrl, [
    ['getAccountInfo', [address, { encoding: 'jsonParsed' }]],
    ['getSignaturesForAddress', [address, { limit: LAST }]],
  ]);
  const config = { encoding: 'jsonParsed', maxSupportedTransactionVersion: 1 };
  const asked = signatures.map(({ signature }): RpcCall => ['getTransaction', [signature, config]]);
  const read = await rpc<(ParsedTransaction | null)[]>(rpcUrl, asked);
  const [held] = account?.owner === SYSTEM ? await holdingsOf(rpcUrl, [address]) : [];
  return { account, held: held ?? new Map(), transactions: read.filter((each) => each !== null) };
}

function Facts({ account }: { account: AccountInfo }) {
  const book = useBook();
  const { lamports, owner, executable, space, data } = account;
  return (
    <dl className="grid grid-cols-[9rem_1fr] gap-x-3 gap-y-1 px-4 py-3 text-sm">
      <dt className="text-soft">Kind</dt>
      <dd>{executable ? 'program' : Array.isArray(data) ? 'account' : `${data.program} ${data.parsed.type}`}</dd>
      <dt className="text-soft">Balance</dt>
      <dd>
        {amountText(BigInt(lamports), 9, 9)} {book.symbols.get(SOL_MINT)}
      </dd>
      <dt className="text-soft">Owner</dt>
      <dd>
        <Address address={owner} book={book} />
      </dd>
      <dt className="text-soft">Data</dt>
      <dd>{space ?? 0} bytes</dd>
      {!Array.isArray(data) && <Fields info={data.parsed.info} />}
    </dl>
  );
}
