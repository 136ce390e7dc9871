import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { amountText, plainName } from '../lib/format.js';
import { Button, Copied, Panel, Scroll } from '../ui/parts.js';
import { Trouble } from '../ui/trouble.js';
import { Waiting } from '../ui/waiting.js';
import { momentText, useAdmin } from './table.js';

interface Story {
  id: string;
  area: string;
  wallet: string;
  state: string;
  apiKey: string | null;
  cosigners: string[];
  handedOver: boolean;
  lastValidBlockHeight: number;
  craftedAt: string;
  expiresAt: string;
  sentAt: string | null;
  settledAt: string | null;
  signature: string | null;
  slot: number | null;
  error: string | null;
  chain: {
    slot: number;
    blockTime: string | null;
    fee: string;
    error: string | null;
    computeUnits: number | null;
    logs: string[];
  } | null;
}

/** One transaction, from craft to chain. */
export function Requests({ id }: { id?: string | undefined }) {
  const navigate = useNavigate();
  const [text, setText] = useState(id ?? '');
  const find = (event: React.FormEvent) => {
    event.preventDefault();
    void navigate({ to: '/operate/$part/$id', params: { part: 'requests', id: text.trim() } });
  };
  return (
    <div className="grid gap-4">
      <form onSubmit={find}>
        <search className="flex gap-2">
          <input
            className="field font-mono text-sm"
            aria-label="Request id or signature"
            placeholder="Request id or signature"
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <Button type="submit" disabled={!/^[!-~]{1,100}$/.test(text.trim())}>
            Find
          </Button>
        </search>
      </form>
      {id === undefined ? (
        <p className="text-soft text-sm">
          Every crafted transaction has a request id, which its client got with it and every later event names.
        </p>
      ) : (
        <StoryOf id={id} />
      )}
    </div>
  );
}

function StoryOf({ id }: { id: string }) {
  const { data, error } = useAdmin<Story>('request', `/requests/${encodeURIComponent(id)}`);
  if (error) return <Trouble error={error} />;
  if (!data || (data.id !== id && data.signature !== id)) return <Waiting />;
  const { chain } = data;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Panel title={`A transaction of ${data.area}`} aside={<span className="label">{data.state}</span>}>
        <ol aria-label="What has become of it" className="grid gap-2 px-4 py-3 text-sm">
          <Step at={data.craftedAt} what={data.area === 'submit' ? 'taken to be landed' : 'crafted'} />
          <Step at={data.sentAt} what={sendingOf(data)} />
          <Step at={data.settledAt} what={data.state === 'sending' ? 'under way' : data.state} />
        </ol>
        {data.error && (
          <p className="px-4 pb-3 text-down text-sm [overflow-wrap:anywhere]">{plainName(data.error, 500)}</p>
        )}
      </Panel>
      <Panel title="What the service knows">
        <dl className="grid grid-cols-[9rem_1fr] gap-x-3 gap-y-1 px-4 py-3 text-sm">
          <Fact name="Request id" value={<Copied text={data.id} what="the request id" />} />
          <Fact name="Signature" value={data.signature && <Copied text={data.signature} what="the signature" />} />
          <Fact name="Wallet" value={<Copied text={data.wallet} what="the wallet" />} />
          <Fact name="Key" value={data.apiKey ?? 'none'} />
          <Fact name="Signed by us" value={data.cosigners.join(', ') || 'no'} />
          <Fact name="Dead after block" value={data.lastValidBlockHeight} />
          <Fact name="Id expires" value={momentText(data.expiresAt)} />
        </dl>
      </Panel>
      <Panel title="On the chain" className="lg:col-span-2">
        {chain === null ? (
          <p className="px-4 py-3 text-soft text-sm">The chain says nothing of it.</p>
        ) : (
          <>
            <dl className="grid grid-cols-[9rem_1fr] gap-x-3 gap-y-1 px-4 py-3 text-sm">
              <Fact name="Slot" value={chain.slot} />
              <Fact name="Time" value={momentText(chain.blockTime)} />
              <Fact name="Fee" value={`${amountText(BigInt(chain.fee), 9, 9)} SOL`} />
              <Fact name="Compute units" value={chain.computeUnits?.toLocaleString('en-US')} />
              <Fact name="Error" value={chain.error && plainName(chain.error, 500)} />
            </dl>
            <Scroll name="Log of the programs" className="max-h-80 border-line border-t">
              <pre className="p-4 font-mono text-xs leading-relaxed">
                {chain.logs.map((line) => plainName(line, 400)).join('\n')}
              </pre>
            </Scroll>
          </>
        )}
      </Panel>
    </div>
  );
}

/** What would fail is signed and not sent, and what the node has forgotten may have been: only the chain tells them apart. */
function sendingOf({ handedOver, error, chain }: Story): string {
  if (handedOver) return 'given to a market maker, who signs last';
  return error !== null && chain === null ? 'signed' : 'signed and sent';
}

function Step({ at, what }: { at: string | null; what: string }) {
  return (
    <li className={`flex justify-between gap-3 ${at === null ? 'text-soft' : ''}`}>
      <span>{at === null ? `not ${what}` : what}</span>
      <time className="text-soft text-xs">{momentText(at)}</time>
    </li>
  );
}

function Fact({ name, value }: { name: string; value: React.ReactNode }) {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{value || '–'}</dd>
    </>
  );
}
