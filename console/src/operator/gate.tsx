import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { SecretForm } from '../ui/secret-form.js';
import { Trouble } from '../ui/trouble.js';
import { Waiting } from '../ui/waiting.js';
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
  if (session === undefined) return error ? <Trouble error={error} /> : <Waiting />;
  const isOver = session?.isOver === true;
  return (
    <>
      {(session === null || isOver) && <SignIn />}
      {/* What was typed is kept for the next session; of it all, only an open question stays in sight. */}
      {session && (
        <div className={isOver ? 'invisible h-0 overflow-hidden' : undefined}>
          <Outlet />
        </div>
      )}
    </>
  );
}

function SignIn() {
  const before = useSession()?.name;
  const queries = useQueryClient();
  const submit = async (token: string) => {
    const { name } = await signIn(token);
    const read = { queryKey: ['admin'] };
    // What one admin may read, another may not.
    void (name === before ? queries.invalidateQueries(read) : queries.resetQueries(read));
  };
  return (
    <SecretForm heading="For the operator" title="Log in" name="Admin token" button="Log in" submit={submit}>
      It is <code className="font-mono">SLIPWAY_ADMIN_TOKEN</code> or, where that is not set, in the file{' '}
      <code className="font-mono">admin.token</code> of the data folder. It is exchanged for a session of two hours,
      which no script of a page can read, and kept nowhere else.
    </SecretForm>
  );
}
