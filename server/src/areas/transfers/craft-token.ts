import { type Address, associatedTokenAddress, decodeTokenAccount } from '@slipway/wire';
import { type ChainAccount, type MintInfo, mintFacts, readMintExtensions } from '../../chain/index.js';
import { feeOf } from '../../crafting/transaction.js';
import type { Transfer } from '../../crafting/transfer.js';
import { invalidField, requireAddress, requireAmount } from '../../errors/index.js';
import { askedBy } from '../../landing/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { craft, requireOther, requireSol, requireWallet } from './craft.js';
import { type TransfersDeps, tags, transfersRoute } from './deps.js';
import { CraftTokenQuery, TransferAnswer } from './schema.js';

export function registerCraftToken(app: TypedServer, deps: TransfersDeps): void {
  app.get(
    '/ultra/v1/transfer/craft-token',
    {
      config: { ...transfersRoute, crafts: true },
      schema: {
        tags,
        summary: 'Craft a transfer of tokens',
        description: 'Sign `transaction` and post it to `transfer/execute`.',
        querystring: CraftTokenQuery,
        response: { 200: TransferAnswer },
      },
    },
    (request) => craftToken(askedBy(deps, request), request.query),
  );
}

interface Token extends MintInfo {
  mint: Address;
  /** Whether new token accounts of the mint are frozen. */
  defaultFrozen: boolean;
}

/** Crafts a transfer of tokens between token accounts. */
export async function craftToken(deps: TransfersDeps, query: CraftTokenQuery): Promise<TransferAnswer> {
  const { chain } = deps;
  const sender = requireAddress('senderAddress', query.senderAddress);
  const source = requireAddress('senderTokenAccountAddress', query.senderTokenAccountAddress);
  const amount = requireAmount('amount', query.amount);
  const token = await readToken(deps, query);
  const [wallet, held] = await Promise.all([chain.account(sender), chain.account(source)]);
  requireWallet('senderAddress', wallet);
  requireTokens(held, sender, token, amount);
  const place = await placeOf(deps, query, token);
  requireOther(
    query.receiverTokenAccountAddress ? 'receiverTokenAccountAddress' : 'receiverAddress',
    source,
    place.destination,
  );
  const { mint, tokenProgram, decimals } = token;
  const transfer: Transfer = { kind: 'token', sender, source, ...place, mint, tokenProgram, decimals, amount };
  requireSol(transfer, wallet, feeOf(1, { computeUnitLimit: 0, computeUnitPrice: 0n }));
  return craft(deps, transfer, wallet);
}

/** The mint as it is on the chain, which must be what the client takes it for. */
async function readToken({ chain }: TransfersDeps, query: CraftTokenQuery): Promise<Token> {
  const mint = requireAddress('mint', query.mint);
  const account = await chain.account(mint);
  const facts = mintFacts(account);
  const extensions = account && readMintExtensions(account.data);
  if (!facts || !extensions)
    throw invalidField('mint', 'expected the address of a mint; there is no token at this one');
  const { tokenProgram, decimals } = facts;
  if (query.tokenProgramId !== tokenProgram)
    throw invalidField('tokenProgramId', `expected ${tokenProgram} for this mint`);
  if (query.tokenDecimals !== `${decimals}`) throw invalidField('tokenDecimals', `expected ${decimals} for this mint`);
  const { transferFee, transferHook, nonTransferable, paused, defaultFrozen } = extensions;
  const refuse = (why: string) => invalidField('mint', `this token cannot be transferred here: ${why}`);
  if (nonTransferable) throw refuse('its issuer has made it non-transferable');
  if (paused) throw refuse('its issuer has paused all transfers');
  if (transferHook) throw refuse(`each transfer runs a program of its issuer, ${transferHook}`);
  if (transferFee && (transferFee.olderBps > 0 || transferFee.newer.bps > 0)) {
    throw refuse('each transfer costs a fee, so the receiver would get less than the amount');
  }
  return { ...facts, mint, defaultFrozen };
}

function requireTokens(
  account: ChainAccount | undefined,
  sender: Address,
  { mint, tokenProgram }: Token,
  amount: bigint,
): void {
  const field = 'senderTokenAccountAddress';
  const held = account?.owner === tokenProgram ? decodeTokenAccount(account.data) : undefined;
  if (held?.mint !== mint) throw invalidField(field, 'expected a token account of the mint');
  if (held.owner !== sender) throw invalidField(field, 'expected a token account that senderAddress owns');
  if (held.state === 'frozen') throw invalidField(field, 'expected a token account that is not frozen');
  if (held.amount < amount) {
    throw invalidField(
      'amount',
      `insufficient funds: expected at most ${held.amount}, which the sender's account holds`,
    );
  }
}

/** Where the tokens go. */
async function placeOf(
  { chain }: TransfersDeps,
  query: CraftTokenQuery,
  { mint, tokenProgram, defaultFrozen }: Token,
): Promise<{ destination: Address; createFor?: Address }> {
  const check = (field: string, account: ChainAccount | undefined): void => {
    const held = account?.owner === tokenProgram ? decodeTokenAccount(account.data) : undefined;
    if (held?.mint !== mint) throw invalidField(field, 'expected an existing token account of the mint');
    if (held.state === 'frozen') throw invalidField(field, "the receiver's token account is frozen");
  };
  if (query.receiverTokenAccountAddress !== undefined) {
    const destination = requireAddress('receiverTokenAccountAddress', query.receiverTokenAccountAddress);
    check('receiverTokenAccountAddress', await chain.account(destination));
    return { destination };
  }
  const field = 'receiverAddress';
  if (query.receiverAddress === undefined) throw invalidField(field, 'required without receiverTokenAccountAddress');
  const receiver = requireAddress(field, query.receiverAddress);
  const destination = associatedTokenAddress(receiver, mint, tokenProgram);
  const [wallet, account] = await Promise.all([chain.account(receiver), chain.account(destination)]);
  requireWallet(field, wallet);
  if (account?.owner === tokenProgram) {
    check(field, account);
    if (decodeTokenAccount(account.data)?.owner === receiver) return { destination };
    throw invalidField(field, "the wallet's associated token account belongs to somebody else");
  }
  if (defaultFrozen) throw invalidField(field, 'the issuer must thaw a token account of this wallet first');
  return { destination, createFor: receiver };
}
