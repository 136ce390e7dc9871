import { inviteAddress } from '@slipway/programs';
import { base64Of } from '../../crafting/transaction.js';
import { requireAddress } from '../../errors/index.js';
import { readInvite } from '../../indexes/invites/index.js';
import { askedBy, newRequest } from '../../landing/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { requireWallet } from './craft-send.js';
import { CLAIM_AREA, type SendDeps, sendRoute, tags } from './deps.js';
import { refuse } from './list-invites.js';
import { CraftClaimAnswer, CraftClaimBody } from './schema.js';
import { craft } from './try-out.js';

export function registerCraftClaim(app: TypedServer, deps: SendDeps): void {
  app.post(
    '/send/v1/craft-claim',
    {
      config: { ...sendRoute, crafts: true },
      schema: {
        tags,
        summary: 'Craft the claim of an invite',
        description: 'Sign `tx` with the key of the invite, and post it to `execute-claim` with the `requestId`.',
        body: CraftClaimBody,
        response: { 200: CraftClaimAnswer },
      },
    },
    (request) => craftClaim(askedBy(deps, request), request.body),
  );
}

/**
 * Crafts the transaction that claims an invite for a receiver. The keeper, who pays the fee, signs it when it comes
 * back signed by the invite's key, so that asking costs nothing and keeps nobody from claiming.
 */
export async function craftClaim(deps: SendDeps, body: CraftClaimBody): Promise<CraftClaimAnswer> {
  const { chain, clock, program, signer, remember } = deps;
  const inviteSigner = requireAddress('inviteSigner', body.inviteSigner);
  const receiver = requireAddress('receiver', body.receiver);
  const keeper = signer.address('keeper');
  if (receiver === keeper) throw refuse("receiver: expected a wallet of yours; this one is the server's");
  const invitePda = inviteAddress(inviteSigner, program);
  const [invite, account] = await Promise.all([readInvite(chain, program, invitePda), chain.account(receiver)]);
  if (!invite) {
    throw refuse(
      'inviteSigner: no invite with this key is open; it may have been claimed or taken back, or never made',
    );
  }
  if (invite.expiry <= BigInt(Math.floor(clock.now() / 1_000))) {
    throw refuse('inviteSigner: the invite has expired; what it held goes back to its sender');
  }
  requireWallet('receiver', account);
  const action = { do: 'claim', inviteSigner, claimer: receiver, keeper, token: invite.token } as const;
  const { crafted, lastValidBlockHeight } = await craft(deps, action);
  // The sender can make a claim fail by taking the invite back, so what claims cost the keeper counts as the sender's.
  const row = {
    area: CLAIM_AREA,
    wallet: invite.sender,
    payload: { invite: invitePda },
    cosigners: ['keeper'] as const,
  };
  const request = newRequest({ ...row, crafted, lastValidBlockHeight }, clock);
  await remember(request);
  return { tx: base64Of(crafted), requestId: request.id };
}
