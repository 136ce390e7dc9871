import type { Client } from '@slipway/client';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useAttention } from '../lib/attention.js';
import { plainName, short, timeText } from '../lib/format.js';

interface Row {
  mint: string;
  name: string;
  symbol: string;
  at: number;
}

const KEPT = 20;

/** The launches that the service still tells of, the newest first. */
export function Launched({ client }: { client: Client }) {
  const [rows, setRows] = useState<readonly Row[]>([]);
  const isLookedAt = useAttention();
  useEffect(() => {
    if (!isLookedAt) return undefined;
    const ended = new AbortController();
    const listen = async () => {
      for await (const event of client.events({ kinds: ['launch.created'], after: 0, signal: ended.signal })) {
        if (event.kind !== 'launch.created') continue;
        const { mint, name, symbol } = event.data;
        const row = { mint, name: plainName(name), symbol: plainName(symbol, 10), at: Date.parse(event.at) };
        setRows((last) => [row, ...last.filter((each) => each.mint !== mint)].slice(0, KEPT));
      }
    };
    listen().catch(() => {});
    return () => ended.abort();
  }, [client, isLookedAt]);
  if (rows.length === 0) return <p className="p-4 text-soft text-sm">None in the last days.</p>;
  return (
    <ul aria-label="Launches">
      {rows.map(({ mint, name, symbol, at }) => (
        <li key={mint} className="border-line border-b last:border-b-0">
          <Link
            to="/launch/$mint"
            params={{ mint }}
            className="flex min-h-10 items-center gap-3 px-4 py-2 text-sm hover:bg-tint"
          >
            <span className="font-semibold">{symbol}</span>
            <span className="min-w-0 flex-1 truncate text-soft">{name}</span>
            <span className="font-mono text-soft text-xs">{short(mint)}</span>
            <time className="text-soft text-xs">{timeText(at)}</time>
          </Link>
        </li>
      ))}
    </ul>
  );
}
