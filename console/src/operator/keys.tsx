import { useState } from 'react';
import { Copied, Labelled, Panel } from '../ui/parts.js';
import { Deed, shellWord } from './deed.js';
import { shownNow, useHistory } from './history.js';
import { act } from './session.js';
import { momentText, Table, useAdmin } from './table.js';

interface Key {
  id: string;
  name: string;
  prefix: string;
  tier: string;
  prefixes: string[];
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
}

/** Who may call, and how much they do. */
export function Keys() {
  const { data, error } = useAdmin<{ keys: Key[] }>('keys', '/keys');
  const { data: history } = useHistory();
  const calls = history ? shownNow(history, 'slipway_key_calls_total') : [];
  const countOf = (id: string, outcome: string) =>
    calls.find(({ labels }) => labels.key === id && labels.outcome === outcome)?.value ?? 0;
  return (
    <div className="grid gap-4">
      <Panel title="A new key">
        <NewKey />
      </Panel>
      <Panel title="Keys" aside={<span className="label">calls since this copy has started</span>}>
        <Table
          name="Keys"
          headings={['Name', 'Key', 'Tier', 'Paths', 'Calls', 'Limited', 'Made', 'State', 'Act']}
          rows={data?.keys}
          error={error}
          keyOf={({ id }) => id}
          none="No keys yet."
          cells={(key) => [
            <bdi key="name">{key.name}</bdi>,
            <span key="key" className="font-mono text-xs">
              {key.prefix}… <Copied text={key.id} what="the id" />
            </span>,
            key.tier,
            key.prefixes.join(' ') || 'all',
            countOf(key.id, 'served').toLocaleString('en-US'),
            countOf(key.id, 'limited').toLocaleString('en-US'),
            momentText(key.createdAt),
            stateOf(key),
            key.revokedAt === null ? <Revoke key="act" of={key} /> : null,
          ]}
        />
      </Panel>
    </div>
  );
}

function stateOf({ revokedAt, expiresAt }: Key): string {
  if (revokedAt !== null) return `revoked ${momentText(revokedAt)}`;
  return expiresAt === null ? 'active' : `until ${momentText(expiresAt)}`;
}

function Revoke({ of: { id, name } }: { of: Key }) {
  return (
    <Deed
      name="Revoke"
      says={
        <>
          The key <bdi className="font-semibold">{name}</bdi> ends at once, in every copy of the service. That cannot be
          undone.
        </>
      }
      command={`slipway keys revoke ${shellWord(id)}`}
      changes="keys"
      run={() => act('DELETE', `/keys/${encodeURIComponent(id)}`)}
    />
  );
}

function NewKey() {
  const [name, setName] = useState('');
  const [tier, setTier] = useState('free');
  const [paths, setPaths] = useState('');
  const prefixes = paths.split(/[\s,]+/).filter(Boolean);
  const problem = prefixes.some((prefix) => !prefix.startsWith('/')) ? 'paths that begin with /' : undefined;
  const command = [
    `slipway keys create --name ${shellWord(name.trim())} --tier ${shellWord(tier)}`,
    ...(prefixes.length > 0 ? [`--prefixes ${shellWord(prefixes.join(','))}`] : []),
  ].join(' ');
  const field = (id: string, value: string, change: (text: string) => void) => (
    <input id={id} className="field" value={value} onChange={({ target }) => change(target.value)} />
  );
  return (
    <div className="grid items-end gap-3 p-4 sm:grid-cols-[1fr_10rem_1fr_auto]">
      <Labelled name="Who or what it is for">{(id) => field(id, name, setName)}</Labelled>
      <Labelled name="Tier">{(id) => field(id, tier, setTier)}</Labelled>
      <Labelled name="Only these paths (none: all)" problem={problem}>
        {(id) => field(id, paths, setPaths)}
      </Labelled>
      <Deed
        kind="main"
        name="Create"
        disabled={name.trim() === '' || problem !== undefined}
        says={
          <>
            A key for <bdi className="font-semibold">{name}</bdi> with the limits of the tier {tier} is made. It is
            shown once.
          </>
        }
        command={command}
        changes="keys"
        run={() => act<{ key: string }>('POST', '/keys', { name: name.trim(), tier, prefixes })}
        done={({ key }) => (
          <p className="grid gap-1">
            The key, shown this once:
            <strong data-key className="font-mono [overflow-wrap:anywhere]">
              {key}
            </strong>
            <Copied text={key} shown="Copy it" what="" />
          </p>
        )}
      />
    </div>
  );
}
