import { Button } from './parts.js';
import { Trouble } from './trouble.js';

/** A screen that cannot be shown: most often, the service has another build by now, whose files have other names. */
export function Broken({ error }: { error: unknown }) {
  return (
    <>
      <Trouble
        error={new Error(`This screen cannot be shown: ${error instanceof Error ? error.message : String(error)}`)}
      />
      <Button onClick={() => location.reload()}>Load the page again</Button>
    </>
  );
}
