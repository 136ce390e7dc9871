import { useState } from 'react';
import { Copied, Labelled, Panel } from '../ui/parts.js';
import { Deed, shellWord } from './deed.js';
import { act } from './session.js';
import { momentText, Table, useAdmin } from './table.js';

const ROLES = ['read', 'operate', 'keys', 'all'] as const;
type Role = (typeof ROLES)[number];

interface Admin {
  name: string;
  roles: Role[];
  createdAt: string;
  revokedAt: string | null;
}

/** Who may operate the service, and what each may do. */
export function Admins() {
  const { data, error } = useAdmin<{ admins: Admin[] }>('admins', '/admins');
  return (
    <div className="grid gap-4">
      <Panel title="A new admin">
        <NewAdmin />
      </Panel>
      <Panel title="Admins" aside={<span className="label">besides root, who has the configured token</span>}>
        <Table
          name="Admins"
          headings={['Name', 'Roles', 'Made', 'State', 'Act']}
          rows={data?.admins}
          error={error}
          keyOf={({ name }) => name}
          none="None but root."
          cells={({ name, roles, createdAt, revokedAt }) => [
            name,
            roles.join(' '),
            momentText(createdAt),
            revokedAt === null ? 'active' : `revoked ${momentText(revokedAt)}`,
            revokedAt === null ? (
              <Deed
                key="act"
                name="Revoke"
                says={`The token of ${name} and every session that was begun with it end at once. That cannot be undone.`}
                command={`slipway admins revoke ${shellWord(name)}`}
                changes="admins"
                run={() => act('DELETE', `/admins/${encodeURIComponent(name)}`)}
              />
            ) : null,
          ]}
        />
      </Panel>
    </div>
  );
}

function NewAdmin() {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('read');
  const problem = name === '' || /^[a-z0-9][a-z0-9-]{0,39}$/.test(name) ? undefined : 'lower-case letters and digits';
  return (
    <div className="grid items-end gap-3 p-4 sm:grid-cols-[1fr_10rem_auto]">
      <Labelled name="Name" problem={problem}>
        {(id) => <input id={id} className="field" value={name} onChange={({ target }) => setName(target.value)} />}
      </Labelled>
      <Labelled name="Role">
        {(id) => (
          <select id={id} className="field" value={role} onChange={({ target }) => setRole(target.value as Role)}>
            {ROLES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </Labelled>
      <Deed
        kind="main"
        name="Create"
        disabled={name === '' || problem !== undefined}
        says={`${name} gets a token with the role ${role}. It is shown once.`}
        command={`slipway admins create ${shellWord(name)} --roles ${role}`}
        changes="admins"
        run={() => act<{ token: string }>('POST', '/admins', { name, roles: [role] })}
        done={({ token }) => (
          <p className="grid gap-1">
            The token, shown this once:
            <strong data-token className="font-mono [overflow-wrap:anywhere]">
              {token}
            </strong>
            <Copied text={token} shown="Copy it" what="" />
          </p>
        )}
      />
    </div>
  );
}
