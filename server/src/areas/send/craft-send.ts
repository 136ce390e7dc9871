import { INVITE_INFO_SIZE, INVITE_INFO_TOKEN_SIZE, type InviteToken, inviteAddress } from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  associatedTokenRent,
  decodeTokenAccount,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import type { ChainAccount } from '../../chain/index.js';
import { base64Of, feeOf } from '../../crafting/transaction.js';
import { walletMinimum } from '../../crafting/wallet.js';
import { requireAddress, requireAmount } from '../../errors/index.js';
import { calledBy } from '../../landing/index.js';
import { decimalString } from '../../lib/decimal.js';
import type { TypedServer } from '../../lib/typed-server.js';
import type { SendDeps } from './deps.js';
import { HOW_TO_LAND, sendRoute, tags } from './deps.js';
import { isoOf, refuse } from './list-invites.js';
import { CraftSendAnswer, CraftSendBody } from './schema.js';
import { craft } from './try-out.js';

/** How long an invite can be claimed. */
const LIFE_SECONDS = 7n * 24n * 60n * 60n;
const SIGNERS = 2;

interface SendRequest {
  inviteSigner: Address;
  sender: Address;
  amount: bigint;
  token: InviteToken | undefined;
}

export function registerCraftSend(app: TypedServer, deps: SendDeps): void {
  app.post(
    '/send/v1/craft-send',
    {
      config: { ...sendRoute, crafts: true },
      schema: {
        tags,
        summary: 'Craft an invite: SOL or tokens for whoever gets the code',
        description: HOW_TO_LAND,
        body: CraftSendBody,
        response: { 200: CraftSendAnswer },
      },
    },
    (request) => craftSend(calledBy(deps, request), request.body),
  );
}

/** Crafts the transaction that creates an invite. */
export async function craftSend(deps: SendDeps, body: CraftSendBody): Promise<CraftSendAnswer> {
  const request = await readBody(deps, body);
  const { inviteSigner, sender, amount, token } = request;
  await requireFree(deps, inviteSigner);
  const rents = token
    ? rentExemptLamports(INVITE_INFO_TOKEN_SIZE) + associatedTokenRent(token.tokenProgram)
    : rentExemptLamports(INVITE_INFO_SIZE);
  const leastFee = feeOf(SIGNERS, { computeUnitLimit: 0, computeUnitPrice: 0n });
  await requireFunds(deps, request, rents + leastFee);
  const expiry = BigInt(Math.floor(deps.clock.now() / 1_000)) + LIFE_SECONDS;
  const { crafted } = await craft(deps, { do: 'create', inviteSigner, sender, amount, expiry, token });
  await requireFunds(deps, request, rents + crafted.feeLamports);
  return {
    tx: base64Of(crafted),
    expiry: isoOf(expiry),
    totalFeeLamports: `${rents + crafted.feeLamports}`,
  };
}

async function readBody({ chain, signer }: SendDeps, body: CraftSendBody): Promise<SendRequest> {
  const inviteSigner = requireAddress('inviteSigner', body.inviteSigner);
  const sender = requireAddress('sender', body.sender);
  const amount = requireAmount('amount', body.amount);
  const mint = requireAddress('mint', body.mint ?? WRAPPED_SOL_MINT);
  if (inviteSigner === sender) throw refuse('inviteSigner: expected a key of its own, not that of the sender');
  if (sender === signer.address('keeper')) throw refuse("sender: expected a wallet of yours; this one is the server's");
  if (mint === WRAPPED_SOL_MINT) return { inviteSigner, sender, amount, token: undefined };
  const facts = await chain.mint(mint);
  if (!facts) throw refuse('mint: there is no such token on this chain');
  return { inviteSigner, sender, amount, token: { mint, tokenProgram: facts.tokenProgram } };
}

async function requireFree({ chain, program }: SendDeps, inviteSigner: Address): Promise<void> {
  const account = await chain.account(inviteAddress(inviteSigner, program));
  if (account?.owner !== program) return;
  throw refuse('inviteSigner: there is an open invite with this key; make a new code, and so a new key');
}

/** `lamports`: what is paid besides the amount. */
async function requireFunds(
  { chain }: SendDeps,
  { sender, amount, token }: SendRequest,
  lamports: bigint,
): Promise<void> {
  const source = token && associatedTokenAddress(sender, token.mint, token.tokenProgram);
  const [wallet, held] = await Promise.all([chain.account(sender), source && chain.account(source)]);
  requireWallet('sender', wallet);
  if (token) requireTokens(held, sender, amount, token);
  const needed = lamports + (token ? 0n : amount);
  const remaining = (wallet?.lamports ?? 0n) - needed;
  if (remaining === 0n || remaining >= walletMinimum()) return;
  const missing = remaining < 0n ? -remaining : walletMinimum() - remaining;
  throw refuse(`insufficient funds: sender needs ${decimalString(missing, 9)} SOL more`);
}

function requireTokens(
  account: ChainAccount | undefined,
  sender: Address,
  amount: bigint,
  { mint, tokenProgram }: InviteToken,
): void {
  const held = account?.owner === tokenProgram ? decodeTokenAccount(account.data) : undefined;
  const isUsable = held?.owner === sender && held.mint === mint && held.state === 'initialized';
  const has = isUsable ? held.amount : 0n;
  if (has < amount) {
    throw refuse(`insufficient funds: amount is ${amount}, and the sender's token account holds ${has}`);
  }
}

/** An empty address may become a wallet; an account of a program never does. */
export function requireWallet(field: string, account: ChainAccount | undefined): void {
  if (!account || (account.owner === SYSTEM_PROGRAM && account.data.length === 0)) return;
  throw refuse(`${field}: expected a wallet, not an account of a program`);
}
