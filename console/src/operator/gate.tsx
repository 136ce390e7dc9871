import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Button, Labelled, Panel } from '../ui/parts.js';
import { Trouble } from '../ui/trouble.js';
import { resume, signIn, useSession } from './session.js';

const ASK_AGAIN_MS = 2_000;

/** What the operator sees, once logged in. */
export function OperatorScreens() {
  const session = useSession();
  const { error } = useQuery({
    queryKey: ['session'],
    queryFn: () => resume().then(() => true),
    enabled: session === undefined,
    refetchInterval: ASK_AGAIN_MS,
  });
  if (session === undefined) return error ? <Trouble error={error} /> : <p className="text-soft">Asking …</p>;
  return session === null ? <SignIn /> : <Outlet />;
}

function SignIn() {
  const [token, setToken] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  useEffect(() => () => setToken(''), []);
  const submit = async (event: React.FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await signIn(token.trim());
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
    setToken('');
  };
  return (
    <div className="mx-auto mt-6 max-w-md">
      <h1 className="mb-3 font-semibold text-lg">For the operator</h1>
      <Panel title="Log in">
        <form onSubmit={submit} className="grid gap-3 p-4">
          <Labelled name="Admin token">
            {(id) => (
              <input
                id={id}
                className="field font-mono"
                type="password"
                autoComplete="current-password"
                spellCheck={false}
                value={token}
                onChange={({ target }) => setToken(target.value)}
              />
            )}
          </Labelled>
          <Button type="submit" disabled={busy || token.trim() === ''}>
            Log in
          </Button>
          {error !== undefined && <Trouble error={error} />}
          <p className="text-soft text-sm">
            It is <code className="font-mono">SLIPWAY_ADMIN_TOKEN</code> or, where that is not set, in the file{' '}
            <code className="font-mono">admin.token</code> of the data folder. It is exchanged for a session of two
            hours, which no script of a page can read, and kept nowhere else.
          </p>
        </form>
      </Panel>
    </div>
  );
}
