import type { Client } from '@slipway/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { infoQuery, useInfo } from '../lib/sandbox.js';
import { Button } from '../ui/parts.js';
import { Trouble } from '../ui/trouble.js';

const STEPS = [
  ['1 minute', 60],
  ['1 hour', 3_600],
  ['1 day', 86_400],
] as const;

/** Moves the sandbox's time: orders, invites and blockhashes expire as they would. */
export function Clock({ client }: { client: Client }) {
  const { unixTimestamp } = useInfo();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const move = async (seconds: number) => {
    setBusy(true);
    setError(undefined);
    try {
      await client.api.post('/sandbox/clock', { body: { seconds } });
      // A login may be over by now.
      for (const queryKey of [infoQuery.queryKey, ['login'], ['orders']]) await queries.invalidateQueries({ queryKey });
    } catch (thrown) {
      setError(thrown);
    }
    setBusy(false);
  };
  return (
    <div className="grid gap-2 p-4">
      <p className="flex items-baseline justify-between">
        <span className="label">On the chain it is</span>
        <time data-chain-time={unixTimestamp}>{new Date(unixTimestamp * 1_000).toLocaleString('en-GB')}</time>
      </p>
      <div className="grid grid-cols-3 gap-2">
        {STEPS.map(([name, seconds]) => (
          <Button
            key={name}
            kind="quiet"
            className="whitespace-nowrap px-0"
            busy={busy}
            onClick={() => void move(seconds)}
          >
            +{name}
          </Button>
        ))}
      </div>
      {error !== undefined && <Trouble error={error} />}
    </div>
  );
}
