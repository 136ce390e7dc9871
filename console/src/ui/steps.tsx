import type { Act } from '../lib/act.js';
import { Icon } from './icon.js';
import { Trouble } from './trouble.js';

const SAID = {
  crafted: 'The service has built it',
  checked: 'Checked: it does what was asked',
  signed: 'Signed',
  sent: 'Given to the service',
  waiting: 'Waiting for the chain',
  landed: 'Landed',
} as const;

/** How far something is on its way to the chain, and what came of it. */
export function Steps({ act, children }: { act: Act<unknown>; children?: React.ReactNode }) {
  const { running, steps, error, done } = act;
  if (!running && steps.length === 0 && error === undefined && done === undefined) return null;
  return (
    <div className="grid gap-2" aria-live="polite">
      <ol className="grid gap-1 text-sm">
        {steps.map(({ name, after }) => (
          <li key={name} className="flex items-center gap-2">
            <Icon name="check" className="size-4 text-up" />
            <span className="flex-1">{SAID[name]}</span>
            <span className="text-soft text-xs">{after} ms</span>
          </li>
        ))}
        {running && (
          <li className="text-soft">{steps.at(-1)?.name === 'checked' ? 'Waiting for the wallet to sign …' : '…'}</li>
        )}
      </ol>
      {error !== undefined && <Trouble error={error} />}
      {done !== undefined && <div className="rounded bg-tint px-3 py-2 text-sm">{children}</div>}
    </div>
  );
}
