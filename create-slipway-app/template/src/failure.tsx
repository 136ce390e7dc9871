/** What went wrong, in the words of whoever says it: the service, the client's check, or the wallet. */
export function Failure({ error }: { error: unknown }) {
  if (!error) return null;
  return <p role="alert">{error instanceof Error ? error.message : String(error)}</p>;
}
