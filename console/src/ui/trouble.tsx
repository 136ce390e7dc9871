import { SlipwayError } from '@slipway/client';

/** What went wrong, in words, with what helps to find it. */
export function Trouble({ error, stale = false }: { error: unknown; stale?: boolean }) {
  if (error instanceof SlipwayError && error.code === 'network' && error.requestId === undefined) {
    return (
      <Note>
        The service does not answer. It is asked again every two seconds
        {stale ? '; what you see is as it was.' : ': is it running?'}
      </Note>
    );
  }
  const { message } = error instanceof Error ? error : { message: String(error) };
  const { code, requestId } = Object(error) as { code?: string; requestId?: string };
  return (
    <Note>
      {message}
      {stale && <span className="mt-1 block text-xs opacity-90">What you see is as it was.</span>}
      {(code || requestId) && (
        <span className="mt-1 block text-xs opacity-90">
          {code} {requestId && `· request ${requestId}`}
        </span>
      )}
    </Note>
  );
}

function Note({ children }: { children: React.ReactNode }) {
  return (
    <div
      role="alert"
      className="mb-4 rounded border-down border-l-4 bg-down-tint px-3 py-2 text-ink text-sm [overflow-wrap:anywhere]"
    >
      {children}
    </div>
  );
}
