import {
  type Address,
  associatedTokenAddress,
  createAssociatedTokenIdempotent,
  holdsSol,
  type Instruction,
  systemTransfer,
  tokenCloseAccount,
  tokenTransferChecked,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { type Chain, isMade } from '../chain/index.js';
import type { KeyName, WalletRole } from '../signer/index.js';
import { type VaultTokens, vaultHoldings } from './holdings.js';
import { type SendDeps, type Sent, sendFirst, type Way } from './send-first.js';

/** A wallet of the service whose key is exchanged. */
export interface WalletMove {
  role: WalletRole;
  from: Address;
  to: Address;
}

export interface Moved {
  /** The token account, or the wallet itself for SOL. */
  account: Address;
  /** The mint of wrapped SOL for SOL. */
  mint: Address;
  /** In the smallest unit, without the rent of a closed account, which is moved as well. */
  amount: bigint;
}

export interface MoveReport {
  moved: (Moved & { signature: string })[];
  /** What could not be moved, and why. */
  left: (Moved & { reason: string })[];
}

/** What neither wallet needs more of: with less it is not worth a transaction to share it. */
const WORTH_SHARING = 10_000_000n;

export interface ReadyDeps extends SendDeps {
  /** Of the tokens in which default fees of swaps are taken. */
  feeMints: ReadonlySet<Address>;
  /** Told what is done next, and what could not be. */
  tell(text: string): void;
}

/**
 * Has the next wallet ready before it is used: with the token accounts that fees come into, and as much SOL as the one from
 * before keeps for what is under way. Not with all token accounts that there are: anybody gives the wallet some of his own mints,
 * and it would pay the rent of others. @throws Error where it cannot get SOL
 */
export async function readyWallet(deps: ReadyDeps, move: WalletMove): Promise<void> {
  const { role, from, to } = move;
  const { chain } = deps;
  for (const mint of role === 'gas' ? deps.feeMints : []) {
    const tokenProgram = (await chain.mint(mint))?.tokenProgram;
    if (tokenProgram === undefined) continue;
    const [before, own] = [from, to].map((owner) => associatedTokenAddress(owner, mint, tokenProgram));
    if (!isMade(await chain.account(before!)) || isMade(await chain.account(own!))) continue;
    const make = (payer: Address) => [[createAssociatedTokenIdempotent({ payer, owner: to, mint, tokenProgram })]];
    const sent = await send(deps, move, make);
    // Its issuer may have done something to the mint: that must not keep the old key in use.
    if ('reason' in sent)
      deps.tell(
        `the next wallet takes no fees in ${mint} yet (${sent.reason}): make its account afterwards, with "slipway wallets fee-accounts"`,
      );
  }
  const [lamports, has] = [(await chain.account(from))?.lamports ?? 0n, (await chain.account(to))?.lamports ?? 0n];
  if (lamports < has + WORTH_SHARING) return;
  const share = [[systemTransfer({ from, to, lamports: (lamports - has) / 2n })]];
  const sent = await send(deps, move, () => share);
  if ('reason' in sent) throw new Error(`the next wallet cannot get SOL: ${sent.reason}`);
}

/**
 * Moves everything that the wallet from before holds to the one now, rent included, and closes what is empty. What cannot be
 * moved does not stop the rest. Running it again moves what is left.
 */
export async function moveWallet(deps: SendDeps, move: WalletMove): Promise<MoveReport> {
  const { from, to } = move;
  const report: MoveReport = { moved: [], left: [] };
  const note = (moved: Moved, sent: Sent) => {
    if ('reason' in sent) report.left.push({ ...moved, reason: sent.reason });
    else report.moved.push({ ...moved, signature: sent.signature });
  };
  for (const held of (await vaultHoldings(deps.chain, from)).accounts) {
    const { mint, amount } = held.tokens;
    const decimals = (await deps.chain.mint(mint))?.decimals;
    note(
      { account: held.account, mint, amount },
      await send(deps, move, await waysToMove(deps.chain, held, to, decimals)),
    );
  }
  // Read last: closed accounts have added nothing to it, and fees may have been paid from it.
  const { lamports } = await vaultHoldings(deps.chain, from);
  if (lamports === 0n) return report;
  const all = (payer: Address): Way[] => [
    (fee) => [systemTransfer({ from, to, lamports: payer === from ? lamports - fee : lamports })],
  ];
  note({ account: from, mint: WRAPPED_SOL_MINT, amount: lamports }, await send(deps, move, all));
  return report;
}

/**
 * Alternative instructions that empty a token account, the best first. None makes an account but for the rent of the one that it
 * closes: anybody makes accounts of the wallet that only he can close, of mints of his own.
 */
async function waysToMove(
  chain: Pick<Chain, 'account'>,
  { account, tokenProgram, tokens: { mint, owner, amount } }: VaultTokens,
  to: Address,
  decimals: number | undefined,
): Promise<(payer: Address) => Instruction[][]> {
  const close = tokenCloseAccount({ account, destination: to, authority: owner, tokenProgram });
  // Closing an account of SOL pays out all its lamports.
  if (holdsSol(mint) || amount === 0n) return () => [[close]];
  if (decimals === undefined) return () => [];
  const destination = associatedTokenAddress(to, mint, tokenProgram);
  const move = tokenTransferChecked({
    source: account,
    mint,
    destination,
    authority: owner,
    amount,
    decimals,
    tokenProgram,
  });
  if (isMade(await chain.account(destination))) return () => [[move, close], [move]];
  const make = (payer: Address) => createAssociatedTokenIdempotent({ payer, owner: to, mint, tokenProgram });
  return (payer) => [[make(payer), move, close]];
}

/** The gas wallet pays; where it cannot, the wallet from before does. */
async function send(
  deps: SendDeps,
  { role, from }: WalletMove,
  ways: (payer: Address) => readonly Way[],
): Promise<Sent> {
  const gas = deps.signer.address('gas');
  const own: KeyName = `${role}:${from}`;
  const sent = await sendFirst(deps, ways(gas), {
    payer: { name: 'gas', address: gas },
    keys: gas === from ? [own] : [`gas:${gas}`, own],
  });
  if (!('reason' in sent) || !sent.isShort || gas === from) return sent;
  const byItself = await sendFirst(deps, ways(from), { payer: { name: role, address: from }, keys: [own] });
  return 'reason' in byItself ? sent : byItself;
}
