import { useState } from 'react';
import { plainName } from '../lib/format.js';
import { Button, Copied, Labelled, Panel } from '../ui/parts.js';
import { Trouble } from '../ui/trouble.js';
import { shellWord } from './deed.js';
import { momentText, Table, useAdmin } from './table.js';
import { Units } from './units.js';

interface Order {
  id: string;
  wallet: string;
  type: string;
  state: string;
  inputMint: string;
  outputMint: string;
  amount: string;
  remaining: string;
  failures: number;
  createdAt: string;
  updatedAt: string;
}
const STATES = ['open', 'executing', 'fill_success', 'fill_failed', 'cancelled', 'expired', 'deposit_failed'];

/** Trigger orders of all wallets, and why each has fired or not. */
export function Orders({ id }: { id?: string | undefined }) {
  const [wallet, setWallet] = useState('');
  const [state, setState] = useState('');
  const [explained, explain] = useState(id);
  const query = new URLSearchParams({ limit: '100' });
  if (wallet.trim() !== '') query.set('wallet', wallet.trim());
  if (state !== '') query.set('state', state);
  const { data, error } = useAdmin<{ orders: Order[]; nextCursor: string | null }>('orders', `/orders?${query}`);
  return (
    <div className="grid gap-4">
      <Panel title="Trigger orders">
        <Wanted wallet={wallet} setWallet={setWallet} state={state} setState={setState} />
        <Table
          name="Trigger orders"
          headings={['Order', 'Wallet', 'Kind', 'State', 'Sells', 'Left', 'Changed', 'Why']}
          rows={data?.orders}
          more={data?.nextCursor && `There are more than ${data.orders.length}: name a wallet or a state.`}
          error={error}
          keyOf={({ id }) => id}
          none="No order is like this."
          cells={(order) => [
            <Copied key="id" text={order.id} what="the id" />,
            <Copied key="wallet" text={order.wallet} what="the wallet" />,
            order.type,
            order.failures > 0 ? `${order.state}, failed ${order.failures} times` : order.state,
            <Units key="sells" amount={order.amount} mint={order.inputMint} />,
            <Units key="left" amount={order.remaining} mint={order.inputMint} />,
            momentText(order.updatedAt),
            <Button key="why" kind="quiet" className="min-h-8 px-3" onClick={() => explain(order.id)}>
              Explain
            </Button>,
          ]}
        />
      </Panel>
      {explained !== undefined && <Explanation id={explained} />}
    </div>
  );
}

interface WantedProps {
  wallet: string;
  setWallet: (text: string) => void;
  state: string;
  setState: (state: string) => void;
}

function Wanted({ wallet, setWallet, state, setState }: WantedProps) {
  return (
    <div className="grid gap-3 border-line border-b p-4 sm:grid-cols-[1fr_14rem]">
      <Labelled name="Of the wallet">
        {(id) => (
          <input
            id={id}
            className="field font-mono text-xs"
            spellCheck={false}
            placeholder="all"
            value={wallet}
            onChange={({ target }) => setWallet(target.value)}
          />
        )}
      </Labelled>
      <Labelled name="In the state">
        {(id) => (
          <select id={id} className="field" value={state} onChange={({ target }) => setState(target.value)}>
            <option value="">any</option>
            {STATES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </Labelled>
    </div>
  );
}

function Explanation({ id }: { id: string }) {
  const path = `/orders/${encodeURIComponent(id)}/explanation`;
  const { data, error } = useAdmin<{ id: string; state: string; reasons: string[] }>('explanation', path);
  return (
    <Panel
      title="Why it has fired or not"
      aside={
        <Copied text={`slipway trigger-orders explain ${shellWord(id)}`} shown="as a command" what="the command" />
      }
    >
      {error && <Trouble error={error} />}
      <ul aria-label="Reasons" aria-live="polite" className="grid list-disc gap-1 py-3 pr-4 pl-8 text-sm">
        {data?.id === id && data.reasons.map((reason) => <li key={reason}>{plainName(reason, 500)}</li>)}
      </ul>
    </Panel>
  );
}
