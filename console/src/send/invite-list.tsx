import type { Client, Invite } from '@slipway/client';
import { useQueryClient } from '@tanstack/react-query';
import { useAct } from '../lib/act.js';
import { SOL_MINT } from '../lib/chain.js';
import { short, timeText, tokenText } from '../lib/format.js';
import { useBook, useInfo, useWallet } from '../lib/sandbox.js';
import { Button, Copied } from '../ui/parts.js';
import { Steps } from '../ui/steps.js';

const SAID = { created: 'open', claimed: 'claimed', clawed_back: 'taken back', expired: 'expired' } as const;

/** Invites that a wallet has made or claimed. */
export function InviteList({ client, invites }: { client: Client; invites: readonly Invite[] }) {
  if (invites.length === 0) return <p className="p-4 text-soft text-sm">None yet.</p>;
  return (
    <ul aria-label="Invites">
      {invites.map((invite) => (
        <Row key={invite.invite_pda} client={client} invite={invite} />
      ))}
    </ul>
  );
}

function Row({ client, invite }: { client: Client; invite: Invite }) {
  const { mints } = useInfo();
  const book = useBook();
  const { address } = useWallet();
  const queries = useQueryClient();
  const act = useAct<{ signature: string }>();
  const { amount, mint, action, sender, receiver, creation_time: madeAt, creation_tx: made } = invite;
  const token = mints.find((each) => each.mint === (mint ?? SOL_MINT));
  const name = (wallet: string) => book.wallets.get(wallet) ?? short(wallet);
  const takeBack = () =>
    act.run(async (onProgress) => {
      const done = await client.takeBack(invite.invite_pda, { onProgress });
      await queries.invalidateQueries({ queryKey: ['invites'] });
      return done;
    });
  return (
    <li className="grid gap-2 border-line border-b px-4 py-3 text-sm last:border-b-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span
          className={`rounded px-2 py-0.5 font-semibold text-xs ${action === 'created' ? 'bg-warn-tint text-warn' : 'bg-sunken'}`}
        >
          {action === null ? 'ended' : SAID[action]}
        </span>
        <span className="flex-1 font-semibold">{tokenText(amount, mint ?? SOL_MINT, token)}</span>
        {action === 'created' && sender === address && (
          <Button kind="quiet" className="min-h-8 px-3" busy={act.running} onClick={() => void takeBack()}>
            Take back
          </Button>
        )}
      </div>
      <p className="text-soft">
        by {name(sender)} at {timeText(Date.parse(madeAt))}
        {receiver && `, claimed by ${name(receiver)}`} <Copied text={made} what="the signature" />
      </p>
      <Steps act={act}>It is back.</Steps>
    </li>
  );
}
