import { plainName } from '../lib/format.js';
import { Panel } from '../ui/parts.js';
import { MOST_ROWS, momentText, moreThan, Table, useAdmin } from './table.js';

interface Webhook {
  id: string;
  account: string;
  url: string;
  createdAt: string;
  failures: number;
  restUntil: string | null;
  attempts: { number: string; at: string; status: number | null; error: string | null; milliseconds: number }[];
}

function stateOf({ failures, restUntil, attempts }: Webhook): string {
  if (failures > 0) return `failed ${failures} times, rests until ${momentText(restUntil)}`;
  const isRefusing = attempts.length > 0 && attempts.every(({ status }) => status === null || status >= 300);
  return isRefusing ? 'refuses what it is sent' : 'well';
}

/** Where events are sent, and how that went. */
export function Webhooks() {
  const { data, error } = useAdmin<{ webhooks: Webhook[] }>('webhooks', `/webhooks?limit=${MOST_ROWS}`);
  return (
    <Panel title="Webhooks">
      <Table
        name="Webhooks"
        headings={['URL', 'Whose', 'Made', 'State', 'Last attempts']}
        rows={data?.webhooks}
        more={moreThan(data?.webhooks)}
        error={error}
        keyOf={({ id }) => id}
        none="Nobody has registered a webhook."
        cells={(hook) => [
          <span key="url" className="font-mono text-xs [overflow-wrap:anywhere]">
            {hook.url}
          </span>,
          <span key="whose" className="font-mono text-xs [overflow-wrap:anywhere]">
            {hook.account}
          </span>,
          momentText(hook.createdAt),
          stateOf(hook),
          <ul key="attempts" className="grid gap-0.5 text-xs">
            {hook.attempts.map(({ number, at, status, error: reason, milliseconds }) => (
              <li key={`${number} ${at}`} className={status !== null && status < 300 ? '' : 'text-down'}>
                {momentText(at)} · event {number} · {status ?? plainName(reason ?? 'no answer', 80)} · {milliseconds} ms
              </li>
            ))}
            {hook.attempts.length === 0 && <li className="text-soft">none yet</li>}
          </ul>,
        ]}
      />
    </Panel>
  );
}
