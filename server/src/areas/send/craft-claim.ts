import { inviteAddress } from '@slipway/programs';
import { decodeTransaction, encodeTransaction, withSignature } from '@slipway/wire';
import { BLOCKHASH_LIFE_MS } from '../../chain/index.js';
import type { Crafted } from '../../crafting/transaction.js';
import { base64Of } from '../../crafting/transaction.js';
import { AppError, requireAddress } from '../../errors/index.js';
import { readInvite } from '../../indexes/invites/index.js';
import { uuidv7 } from '../../lib/ids.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { freeClaimSlot, takeClaimSlot } from '../../store/invite-claims.js';
import { requireWallet } from './craft-send.js';
import type { SendDeps } from './deps.js';
import { HOW_TO_LAND, sendRoute, tags } from './deps.js';
import { refuse } from './list-invites.js';
import { CraftClaimAnswer, CraftClaimBody } from './schema.js';
import { craft } from './try-out.js';

/**
 * How many claims of one invite may land at a time. Only one can succeed; the others would cost the keeper their fees.
 * So an invite can cost the keeper what it costs to create it and claw it back.
 */
const MOST_CLAIMS = 3;
/** Longer than a signed claim stays valid. */
const CLAIM_MS = 2 * BLOCKHASH_LIFE_MS;

export function registerCraftClaim(app: TypedServer, deps: SendDeps): void {
  app.post(
    '/send/v1/craft-claim',
    {
      config: sendRoute,
      schema: {
        tags,
        summary: 'Craft the claim of an invite, signed by the keeper',
        description: HOW_TO_LAND,
        body: CraftClaimBody,
        response: { 200: CraftClaimAnswer },
      },
    },
    ({ body }) => craftClaim(deps, body),
  );
}

/** Crafts the transaction that claims an invite for a receiver, and signs it as its keeper, who pays the fee. */
export async function craftClaim(deps: SendDeps, body: CraftClaimBody): Promise<CraftClaimAnswer> {
  const { chain, clock, store, program, signer } = deps;
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
  const now = clock.now();
  const slot = { id: uuidv7(clock), invitePda, now: new Date(now), expiresAt: new Date(now + CLAIM_MS) };
  if (!(await store.transaction((tx) => takeClaimSlot(tx, { ...slot, most: MOST_CLAIMS })))) {
    const seconds = CLAIM_MS / 1_000;
    throw new AppError('RATE_LIMITED', {
      message: `inviteSigner: ${MOST_CLAIMS} claims of this invite were crafted in the last ${seconds} seconds; send one of them, or ask again later`,
    });
  }
  try {
    const action = { do: 'claim', inviteSigner, claimer: receiver, keeper, token: invite.token } as const;
    return { tx: await signed(deps, (await craft(deps, action)).crafted) };
  } catch (error) {
    await store.single((tx) => freeClaimSlot(tx, slot.id));
    throw error;
  }
}

async function signed({ signer }: SendDeps, { wire, message }: Crafted): Promise<string> {
  const { decoded: _, ...transaction } = decodeTransaction(wire);
  const signature = await signer.sign('keeper', message);
  return base64Of({ wire: encodeTransaction(withSignature(transaction, signer.address('keeper'), signature)) });
}
