import { SlipwayError } from '@slipway/client';
import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useEffect } from 'react';
import { AskKey } from './ask-key.js';
import { forgetKey, givenKey } from './lib/key.js';
import { lacksKey, partsQuery } from './lib/parts.js';
import { infoQuery } from './lib/sandbox.js';
import { Trouble } from './ui/trouble.js';
import { Waiting } from './ui/waiting.js';

const port = location.port || '80';
const CANNOT_SIGN = `A browser lets no page sign that came by http from another machine. Open it by https, or lead the port here: ssh -L ${port}:127.0.0.1:${port} ${location.hostname}, then http://localhost:${port}`;

/** The screens of a sandbox, shown once it is known what it is made of. */
export function SandboxScreens() {
  const { data: parts } = useQuery(partsQuery);
  const { data, error } = useQuery({ ...infoQuery, enabled: parts !== undefined && !lacksKey(parts) });
  const ready = data !== undefined;
  const isRefused = error instanceof SlipwayError && error.status === 401;
  // Another sandbox has taken the place of the one that asked for it.
  const isStale = parts?.asksKey === false && givenKey !== undefined;
  useEffect(() => {
    if (isStale) forgetKey();
  }, [isStale]);
  if (parts && (lacksKey(parts) || (parts.asksKey && isRefused))) return <AskKey isRefused={isRefused} />;
  return (
    <>
      {error && <Trouble error={error} stale={ready} />}
      {!isSecureContext && <Trouble error={CANNOT_SIGN} />}
      {ready ? <Outlet /> : !error && <Waiting />}
    </>
  );
}
