import { useState } from 'react';
import { plainName } from '../lib/format.js';
import { Labelled, Panel } from '../ui/parts.js';
import { Deed, shellWord } from './deed.js';
import { type History, shownNow, useHistory } from './history.js';
import { act } from './session.js';
import { momentText, Table, useAdmin } from './table.js';

interface Maker {
  id: string;
  name: string;
  url: string;
  createdAt: string;
  suspendedAt?: string;
  lastAnswer?: { at: string; offered: boolean; milliseconds: number; reason?: string };
}

/** Who quotes: market makers, with what they answered last, and the pools of each venue. */
export function Makers() {
  const { data, error } = useAdmin<{ makers: Maker[] }>('makers', '/makers');
  const { data: history } = useHistory();
  return (
    <div className="grid gap-4">
      <Panel title="Market makers">
        <Table
          name="Market makers"
          headings={['Name', 'Webhook', 'Added', 'Last answer', 'Act']}
          rows={data?.makers}
          error={error}
          keyOf={({ id }) => id}
          none="None are registered."
          cells={(maker) => [
            <bdi key="name">{maker.name}</bdi>,
            <span key="url" className="font-mono text-xs [overflow-wrap:anywhere]">
              {maker.url}
            </span>,
            momentText(maker.createdAt),
            <LastAnswer key="last" maker={maker} />,
            <Remove key="act" maker={maker} />,
          ]}
        />
        <NewMaker />
      </Panel>
      {history && <Venues history={history} />}
    </div>
  );
}

function LastAnswer({ maker: { lastAnswer, suspendedAt } }: { maker: Maker }) {
  if (suspendedAt !== undefined) return <span className="text-down">suspended {momentText(suspendedAt)}</span>;
  if (lastAnswer === undefined) return <span className="text-soft">not asked yet</span>;
  const { at, offered, milliseconds, reason } = lastAnswer;
  return (
    <span>
      <span className={offered ? 'text-up' : 'text-down'}>
        {offered ? 'an offer' : plainName(reason ?? 'none', 120)}
      </span>
      <span className="block text-soft text-xs">
        {momentText(at)} after {milliseconds} ms
      </span>
    </span>
  );
}

function Remove({ maker: { id, name } }: { maker: Maker }) {
  return (
    <Deed
      name="Remove"
      says={
        <>
          <bdi className="font-semibold">{name}</bdi> is asked for no more quotes. What it has quoted already can still
          be delivered.
        </>
      }
      command={`slipway makers remove ${shellWord(id)}`}
      changes="makers"
      run={() => act('DELETE', `/makers/${encodeURIComponent(id)}`)}
    />
  );
}

function NewMaker() {
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const problem = url !== '' && !/^https?:\/\/[^/?#\s]/.test(url) ? 'an http or https URL' : undefined;
  return (
    <div className="grid items-end gap-3 border-line border-t p-4 sm:grid-cols-[14rem_1fr_auto]">
      <Labelled name="Who it is">
        {(id) => <input id={id} className="field" value={name} onChange={({ target }) => setName(target.value)} />}
      </Labelled>
      <Labelled name="URL of its webhook" problem={problem}>
        {(id) => (
          <input
            id={id}
            className="field font-mono text-xs"
            spellCheck={false}
            value={url}
            onChange={({ target }) => setUrl(target.value)}
          />
        )}
      </Labelled>
      <Deed
        kind="main"
        name="Register"
        disabled={name.trim() === '' || url === '' || problem !== undefined}
        says={
          <>
            <bdi className="font-semibold">{name}</bdi> is asked for quotes from now on, at {url}.
          </>
        }
        command={`slipway makers add ${shellWord(url)} --name ${shellWord(name.trim())}`}
        changes="makers"
        run={() => act('POST', '/makers', { name: name.trim(), url })}
      />
    </div>
  );
}

function Venues({ history }: { history: History }) {
  const pools = shownNow(history, 'slipway_pools');
  const skipped = shownNow(history, 'slipway_pools_skipped');
  return (
    <Panel title="Venues and pools followed">
      <Table
        name="Venues"
        headings={['Venue', 'Pools followed', 'Found, and not traded with']}
        rows={pools}
        error={undefined}
        keyOf={({ labels }) => labels.venue ?? ''}
        none="None yet."
        cells={({ labels: { venue }, value }) => [
          venue,
          value,
          skipped
            .filter(({ labels }) => labels.venue === venue)
            .map(({ labels, value: count }) => `${count} ${labels.reason}`)
            .join(', ') || '–',
        ]}
      />
    </Panel>
  );
}
