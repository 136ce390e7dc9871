import { useEffect, useState } from 'react';
import { Button, Labelled, Panel } from './parts.js';
import { Trouble } from './trouble.js';

interface SecretFormProps {
  heading: string;
  title: string;
  /** What is asked for. */
  name: string;
  button: string;
  /** What is wrong before anything was tried. */
  problem?: Error | undefined;
  /** Tries what was typed. @throws what is wrong with it */
  submit: (secret: string) => Promise<void>;
  /** Where it is found, and what becomes of it. */
  children: React.ReactNode;
}

/** Asks for a secret, which is forgotten as soon as it was tried. */
export function SecretForm({ heading, title, name, button, problem, submit, children }: SecretFormProps) {
  const [secret, setSecret] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(problem);
  useEffect(() => () => setSecret(''), []);
  const tryIt = async (event: React.FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await submit(secret.trim());
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
    setSecret('');
  };
  return (
    <div className="mx-auto mt-6 max-w-md">
      <h1 className="mb-3 font-semibold text-lg">{heading}</h1>
      <Panel title={title}>
        <form onSubmit={tryIt} className="grid gap-3 p-4">
          <Labelled name={name}>
            {(id) => (
              <input
                id={id}
                className="field font-mono"
                type="password"
                autoComplete="current-password"
                spellCheck={false}
                value={secret}
                onChange={({ target }) => setSecret(target.value)}
              />
            )}
          </Labelled>
          <Button type="submit" disabled={secret.trim() === ''} busy={busy}>
            {button}
          </Button>
          {error !== undefined && <Trouble error={error} />}
          <p className="text-soft text-sm">{children}</p>
        </form>
      </Panel>
    </div>
  );
}
