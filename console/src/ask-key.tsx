import { keepKey } from './lib/key.js';
import { SecretForm } from './ui/secret-form.js';

const UNAUTHORIZED = 401;

/** Asks for the key of a public sandbox. `isRefused`: the one that was given before is not, or no longer, right. */
export function AskKey({ isRefused }: { isRefused: boolean }) {
  return (
    <SecretForm
      heading="This sandbox has a key of its own"
      title="Its key"
      name="API key"
      button="Open"
      problem={isRefused ? new Error(WRONG) : undefined}
      submit={async (key) => {
        await tryKey(key);
        keepKey(key);
      }}
    >
      The service prints it whenever it starts, and keeps it in the file <code className="font-mono">sandbox.key</code>{' '}
      of its data folder. This browser remembers it.
    </SecretForm>
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
