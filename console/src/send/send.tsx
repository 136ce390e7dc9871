import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useAttention } from '../lib/attention.js';
import { useClient, useWallet } from '../lib/sandbox.js';
import { How } from '../ui/how.js';
import { Panel, Scroll } from '../ui/parts.js';
import { Trouble } from '../ui/trouble.js';
import { Waiting } from '../ui/waiting.js';
import { Claim } from './claim.js';
import { Give } from './give.js';
import { InviteList } from './invite-list.js';

/** Money for whoever gets a code: given, claimed, taken back. */
export function Send() {
  const wallet = useWallet();
  const queries = useQueryClient();
  const { client, recorder } = useClient();
  // A link that was opened brings it along; an invite that was just made can be claimed as somebody else at once.
  const [code, setCode] = useState(() => location.hash.slice(1));
  const { data, error } = useQuery({
    queryKey: ['invites', wallet.address],
    queryFn: async ({ signal }) => {
      const lists = (['pending', 'ended'] as const).map((which) => client.invites({ which }, { signal }));
      const found = (await Promise.all(lists)).flatMap(({ invites }) => invites);
      const each = new Map(found.map((invite) => [invite.invite_pda, invite]));
      return [...each.values()].sort((a, b) => b.creation_time.localeCompare(a.creation_time));
    },
    refetchInterval: 10_000,
  });
  const isLookedAt = useAttention();
  useEffect(() => {
    if (!isLookedAt) return undefined;
    const ended = new AbortController();
    const reread = () => queries.invalidateQueries({ queryKey: ['invites'] });
    const listen = async () => {
      const { signal } = ended;
      for await (const _ of client.events({ kinds: ['invite.*'], signal, onOpen: reread })) await reread();
    };
    listen().catch(() => {});
    return () => ended.abort();
  }, [client, queries, isLookedAt]);
  return (
    <>
      <h1 className="mb-3 font-semibold text-lg">Send to somebody without a wallet</h1>
      <div className="grid items-start gap-4 lg:grid-cols-2 xl:grid-cols-[24rem_20rem_1fr]">
        <Panel title={`${wallet.name} gives`}>
          <Give client={client} onCode={setCode} />
        </Panel>
        <Panel title="Claim">
          <Claim client={client} text={code} onText={setCode} />
        </Panel>
        <Panel title={`Invites of ${wallet.name}`} className="lg:col-span-2 xl:col-span-1">
          {error && <Trouble error={error} />}
          <Scroll name="Invites and what became of them" className="max-h-[34rem] min-h-40">
            {data ? <InviteList client={client} invites={data} /> : !error && <Waiting className="p-4" />}
          </Scroll>
        </Panel>
      </div>
      <How recorder={recorder} code={EXAMPLE} />
    </>
  );
}

const EXAMPLE = `// signer: the wallet that gives
const { code, invite } = await client.send({ amount: 100_000_000n }); // 0.1 SOL; or with a mint

// Whoever has the code claims it, for any wallet, without SOL of their own.
await client.claim({ code, receiver });

// Nobody did? The giver takes it back.
await client.takeBack(invite);`;
