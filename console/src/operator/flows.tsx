import { Link } from '@tanstack/react-router';
import { SOL_MINT } from '../lib/chain.js';
import { plainName, short } from '../lib/format.js';
import { Copied, Panel } from '../ui/parts.js';
import { Deed } from './deed.js';
import { act } from './session.js';
import { MOST_ROWS, momentText, moreThan, Table, useAdmin } from './table.js';
import { Units } from './units.js';

interface Launch {
  mint: string;
  name: string;
  symbol: string;
  creator: string;
  requestId: string;
  state: string;
  createdAt: string;
  migratedAt: string | null;
}

/** Tokens that were launched here. */
export function Launches() {
  const { data, error } = useAdmin<{ launches: Launch[] }>('launches', `/launches?limit=${MOST_ROWS}`);
  return (
    <Panel title="Launches">
      <Table
        name="Launches"
        headings={['Token', 'Mint', 'Creator', 'Request', 'State', 'Made', 'Left its curve']}
        rows={data?.launches}
        more={moreThan(data?.launches)}
        error={error}
        keyOf={({ mint }) => mint}
        none="No token was launched here yet."
        cells={(launch) => [
          <bdi key="name">{plainName(`${launch.name} (${launch.symbol})`, 60)}</bdi>,
          <Copied key="mint" text={launch.mint} what="the mint" />,
          <Copied key="creator" text={launch.creator} what="the creator" />,
          <Link
            key="request"
            to="/operate/$part/$id"
            params={{ part: 'requests', id: launch.requestId }}
            className="text-accent underline"
          >
            {short(launch.requestId)}
          </Link>,
          launch.state,
          momentText(launch.createdAt),
          momentText(launch.migratedAt),
        ]}
      />
    </Panel>
  );
}

interface Invite {
  account: string;
  sender: string;
  mint: string | null;
  amount: string;
  state: string;
  receiver: string | null;
  createdAt: string;
  endedAt: string | null;
}

/** Invites, as they were read from the chain. */
export function Invites() {
  const { data, error } = useAdmin<{ all: number; open: number; invites: Invite[] }>(
    'invites',
    `/invites?limit=${MOST_ROWS}`,
  );
  return (
    <Panel
      title="Invites"
      aside={
        <span className="flex items-center gap-3">
          {data && (
            <span className="label">
              {data.all} known, {data.open} open
            </span>
          )}
          <Deed
            name="Rebuild"
            says="What is known of invites is forgotten and read from the chain again. Lists are incomplete meanwhile; nothing on the chain changes."
            command="slipway invites rebuild"
            changes="invites"
            run={() => act('POST', '/invites/rebuild', {})}
          />
        </span>
      }
    >
      <Table
        name="Invites"
        headings={['Invite', 'Sender', 'Amount', 'State', 'Receiver', 'Made', 'Ended']}
        rows={data?.invites}
        more={moreThan(data?.invites)}
        error={error}
        keyOf={({ account, createdAt }) => `${account} ${createdAt}`}
        none="No invites yet."
        cells={(invite) => [
          <Copied key="account" text={invite.account} what="the account" />,
          <Copied key="sender" text={invite.sender} what="the sender" />,
          <Units key="amount" amount={invite.amount} mint={invite.mint ?? SOL_MINT} />,
          invite.state.replace('_', ' '),
          invite.receiver && <Copied key="receiver" text={invite.receiver} what="the receiver" />,
          momentText(invite.createdAt),
          momentText(invite.endedAt),
        ]}
      />
    </Panel>
  );
}
