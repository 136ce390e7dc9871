import { useState } from 'react';
import { keepKey } from './lib/key.js';
import { Button, Labelled, Panel } from './ui/parts.js';
import { Trouble } from './ui/trouble.js';

const UNAUTHORIZED = 401;

/** Asks for the key of a public sandbox. `isRefused`: the one that was given before is not, or no longer, right. */
export function AskKey({ isRefused }: { isRefused: boolean }) {
  const [key, setKey] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | undefined>(isRefused ? new Error(WRONG) : undefined);
  const submit = async (event: React.FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await tryKey(key.trim());
      keepKey(key.trim());
    } catch (thrown) {
      setError(thrown as Error);
      setBusy(false);
    }
  };
  return (
    <div className="mx-auto mt-6 max-w-md">
      <h1 className="mb-3 font-semibold text-lg">This sandbox has a key of its own</h1>
      <Panel title="Its key">
        <form onSubmit={submit} className="grid gap-3 p-4">
          <Labelled name="API key">
            {(id) => (
              <input
                id={id}
                className="field font-mono"
                type="password"
                autoComplete="current-password"
                spellCheck={false}
                value={key}
                onChange={({ target }) => setKey(target.value)}
              />
            )}
          </Labelled>
          <Button type="submit" disabled={busy || key.trim() === ''}>
            Open
          </Button>
          {error && <Trouble error={error} />}
          <p className="text-soft text-sm">
            The service prints it whenever it starts, and keeps it in the file{' '}
            <code className="font-mono">sandbox.key</code> of its data folder. This browser remembers it.
          </p>
        </form>
      </Panel>
    </div>
  );
}

const WRONG = 'The service does not know this key.';

async function tryKey(key: string): Promise<void> {
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error(WRONG);
  let status: number;
  try {
    ({ status } = await fetch('/sandbox/info', { headers: { 'x-api-key': key } }));
  } catch {
    throw new Error('The service does not answer: is it running?');
  }
  if (status === UNAUTHORIZED) throw new Error(WRONG);
  if (status !== 200) throw new Error(`The service answered ${status}.`);
}
