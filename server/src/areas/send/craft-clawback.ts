import { base64Of } from '../../crafting/transaction.js';
import { requireAddress } from '../../errors/index.js';
import { readInvite } from '../../indexes/invites/index.js';
import { calledBy } from '../../landing/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import type { SendDeps } from './deps.js';
import { HOW_TO_LAND, sendRoute, tags } from './deps.js';
import { refuse } from './list-invites.js';
import { CraftClawbackAnswer, CraftClawbackBody } from './schema.js';
import { craft } from './try-out.js';

export function registerCraftClawback(app: TypedServer, deps: SendDeps): void {
  app.post(
    '/send/v1/craft-clawback',
    {
      config: { ...sendRoute, crafts: true },
      schema: {
        tags,
        summary: 'Craft the taking back of an invite',
        description: HOW_TO_LAND,
        body: CraftClawbackBody,
        response: { 200: CraftClawbackAnswer },
      },
    },
    (request) => craftClawback(calledBy(deps, request), request.body),
  );
}

/** Crafts the transaction that returns an invite to its sender, at any time before it has ended. */
export async function craftClawback(deps: SendDeps, body: CraftClawbackBody): Promise<CraftClawbackAnswer> {
  const invitePda = requireAddress('invitePDA', body.invitePDA);
  const sender = requireAddress('sender', body.sender);
  const invite = await readInvite(deps.chain, deps.program, invitePda);
  if (!invite) {
    throw refuse('invitePDA: no invite is open there; it may have been claimed, taken back or expired already');
  }
  if (invite.sender !== sender) throw refuse('sender: the invite is of another sender, who alone can take it back');
  const action = { do: 'clawback', inviteInfo: invitePda, sender, token: invite.token } as const;
  return { tx: base64Of((await craft(deps, action)).crafted) };
}
