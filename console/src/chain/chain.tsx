import type { Client } from '@slipway/client';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useLive } from '../lib/live.js';
import { useBook, useClient, useInfo } from '../lib/sandbox.js';
import { How } from '../ui/how.js';
import { Button, Panel, Scroll } from '../ui/parts.js';
import { Transactions } from '../ui/transactions.js';
import { Account } from './account.js';
import { Airdrop } from './airdrop.js';
import { Pools } from './pools.js';
import { Programs } from './programs.js';
import { Transaction } from './transaction.js';

const BASE58 = /^[1-9A-HJ-NP-Za-km-z]+$/;
const LONGEST_ADDRESS = 44;
const LONGEST_SIGNATURE = 88;
/** Whether it can be an address or a signature. */
const isOfChain = (text: string): boolean => BASE58.test(text) && text.length >= 32 && text.length <= LONGEST_SIGNATURE;

/** Whatever is on the chain: found by its address or signature. */
export function Chain() {
  const { of } = useParams({ strict: false }) as { of?: string };
  const { client, recorder } = useClient();
  const { rpcUrl } = useInfo();
  return (
    <>
      <h1 className="mb-3 font-semibold text-lg">The chain</h1>
      <Search key={of} of={of} />
      {of === undefined ? (
        <Overview client={client} />
      ) : !isOfChain(of) ? (
        <p className="text-soft">There is nothing of this name on the chain.</p>
      ) : of.length > LONGEST_ADDRESS ? (
        <Transaction signature={of} />
      ) : (
        <Account client={client} address={of} />
      )}
      <How recorder={recorder} code={codeFor(rpcUrl, of !== undefined && isOfChain(of) ? of : undefined)} />
    </>
  );
}

function Search({ of = '' }: { of: string | undefined }) {
  const { wallets, mints } = useInfo();
  const navigate = useNavigate();
  const [text, setText] = useState(of);
  const [isWrong, setWrong] = useState(false);
  const find = (event: React.FormEvent) => {
    event.preventDefault();
    const word = text.trim();
    const named =
      wallets.find(({ name }) => name === word.toLowerCase())?.address ??
      mints.find(({ symbol }) => symbol === word.toUpperCase())?.mint ??
      word;
    setWrong(!isOfChain(named));
    if (isOfChain(named)) void navigate({ to: '/chain/$of', params: { of: named } });
  };
  return (
    <form onSubmit={find} className="mb-4">
      <search className="flex gap-2">
        <input
          className="field font-mono text-sm"
          aria-label="Signature, address, wallet or token"
          placeholder="Signature, address, alice, USDC …"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Button type="submit">Find</Button>
      </search>
      {isWrong && (
        <p role="alert" className="mt-1 text-down text-sm">
          That is no signature, no address, and no name of a wallet or token here.
        </p>
      )}
    </form>
  );
}

function Overview({ client }: { client: Client }) {
  const book = useBook();
  const { transactions } = useLive();
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[1fr_24rem]">
      <div className="grid min-w-0 gap-4">
        <Panel title="Last transactions">
          <Scroll name="Last transactions" className="h-[26rem]">
            {transactions.length === 0 ? (
              <p className="p-4 text-soft text-sm">None yet.</p>
            ) : (
              <Transactions list={transactions} book={book} />
            )}
          </Scroll>
        </Panel>
        <Pools client={client} />
      </div>
      <div className="grid min-w-0 gap-4">
        <Panel title="Airdrop">
          <Airdrop client={client} />
        </Panel>
        <Programs />
      </div>
    </div>
  );
}

function codeFor(rpcUrl: string, of: string | undefined): string {
  const [method, params] =
    of !== undefined && of.length > LONGEST_ADDRESS
      ? ['getTransaction', `['${of}', { encoding: 'jsonParsed', maxSupportedTransactionVersion: 1 }]`]
      : ['getAccountInfo', `['${of ?? '<address>'}', { encoding: 'jsonParsed' }]`];
  return `// The chain speaks the JSON-RPC of every node: @solana/kit and web3.js read it as they are.
await fetch('${rpcUrl}', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: '${method}', params: ${params} }),
});

// What swaps are routed over; of one token with { query: { token: mint } }.
const { pools } = await client.api.get('/sandbox/pools');

// Money of a sandbox, for any wallet.
await client.api.post('/sandbox/airdrop', { body: { wallet, amount: '1000000000' } });`;
}
