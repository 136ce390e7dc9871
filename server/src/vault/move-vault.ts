import {
  type Address,
  holdsSol,
  type Instruction,
  mostRentLamports,
  systemAllocateWithSeed,
  systemTransfer,
  TOKEN_ACCOUNT_SPACE,
  tokenCloseAccount,
  tokenInitializeAccount3,
  tokenTransferChecked,
  tokenWithdrawExcessLamports,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { ask, isMade, wholeIn } from '../chain/index.js';
import { orderAccounts, orderSeed, type Signer } from '../signer/index.js';
import { waysToWallet } from './empty-account.js';
import { type VaultTokens, vaultHoldings } from './holdings.js';
import { accountsToLookAt, missingOf, owedIn, type VaultOrder, whyLeft } from './missing.js';
import type { Moved, MoveReport } from './move-wallet.js';
import { type SendDeps, type Signatory, sendFirst } from './send-first.js';

export interface VaultMoveDeps extends Omit<SendDeps, 'signer'> {
  from: Pick<Signer, 'publicKey' | 'sign'>;
  /** Its gas wallet pays. */
  to: Signer;
}

/** Where an order's account of one vault is in another one. */
interface Place {
  account: Address;
  seed: string;
  /** By the row of the order. */
  mint: string;
  owed: bigint;
}

/**
 * Moves what the vault of a wallet holds from one seed to the other: the accounts of its orders, each by one transaction, to
 * where they are in the other vault; whatever else is there goes home to the wallet. Running it again moves what is left.
 *
 * What orders should have, and is neither there nor in the other vault, is left, too.
 */
export async function moveVault(
  deps: VaultMoveDeps,
  wallet: Address,
  orders: readonly VaultOrder[],
): Promise<MoveReport> {
  const [vault, next] = await Promise.all([signatoryOf(deps.from, wallet), signatoryOf(deps.to, wallet)]);
  const places = placesOf(orders, vault.address, next.address);
  const report: MoveReport = { moved: [], left: [] };
  const known = accountsToLookAt(orders, vault.address);
  const { lamports, accounts } = await vaultHoldings(deps.chain, vault.address, known);
  const payer = deps.to.address('gas');
  const send = async (moved: Moved, ways: Instruction[][], toVault: boolean, owed = 0n) => {
    const keys = ['gas' as const, vault, ...(toVault ? [next] : [])];
    const by = { payer: { name: 'gas', address: payer }, keys };
    const sent = await sendFirst({ ...deps, signer: deps.to }, ways, by);
    if ('reason' in sent) report.left.push({ ...moved, reason: whyLeft(sent.reason, moved.amount, owed) });
    else report.moved.push({ ...moved, signature: sent.signature });
  };
  for (const held of accounts) {
    const { mint, amount } = held.tokens;
    const moved = { account: held.account, mint, amount };
    const place = places.get(held.account);
    if (place && place.mint !== mint) {
      const reason = `by its row, its order has ${place.mint} there: run this again with another node`;
      report.left.push({ ...moved, reason });
      continue;
    }
    const decimals = (await deps.chain.mint(mint))?.decimals;
    if (decimals === undefined && amount > 0n) report.left.push({ ...moved, reason: 'its mint is not on the chain' });
    else if (place) {
      const { ways, isNew } = await waysToPlace(deps, held, place, next.address, decimals ?? 0);
      await send(moved, ways, isNew, place.owed);
    } else await send(moved, await waysToWallet(deps.chain, held, { wallet, payer, decimals }), false);
  }
  if (lamports > 0n) {
    const home = [systemTransfer({ from: vault.address, to: wallet, lamports })];
    await send({ account: vault.address, mint: WRAPPED_SOL_MINT, amount: lamports }, [home], false);
  }
  const found = new Set(accounts.map(({ account }) => account));
  const missing = await missingOf(deps.chain, orders, { vault: vault.address, found, next: next.address });
  return { ...report, left: report.left.concat(missing) };
}

async function signatoryOf(signer: Pick<Signer, 'publicKey' | 'sign'>, wallet: Address): Promise<Signatory> {
  const key = `vault:${wallet}` as const;
  return { address: await signer.publicKey(key), sign: (message) => signer.sign(key, message) };
}

function placesOf(orders: readonly VaultOrder[], vault: Address, next: Address): Map<Address, Place> {
  const places = new Map<Address, Place>();
  const owed = owedIn(orders, vault);
  for (const { depositRequestId: id, inputMint, outputMint } of orders) {
    for (const [side, mint] of [
      ['in', inputMint],
      ['out', outputMint],
    ] as const) {
      const there = orderAccounts(next, id, [side]);
      for (const [i, account] of orderAccounts(vault, id, [side]).entries()) {
        places.set(account, { account: there[i]!, seed: orderSeed(id, side), mint, owed: owed.get(account) ?? 0n });
      }
    }
  }
  return places;
}

/**
 * All at once, so that an account is here or there; or the tokens without closing it, where somebody puts more into it meanwhile: then
 * the rest is moved when this is run again. The chain pays out what there is of SOL, whatever the node says: all to the new place,
 * but for the rent of an account of tokens, which the payer gets because it has lent that of the new one.
 */
async function waysToPlace(
  { chain, to }: VaultMoveDeps,
  { account, tokenProgram, tokens: { mint, owner, amount } }: VaultTokens,
  { account: destination, seed, owed }: Place,
  vault: Address,
  decimals: number,
): Promise<{ ways: Instruction[][]; isNew: boolean }> {
  const payer = to.address('gas');
  const isSol = holdsSol(mint);
  const [found, there] = await Promise.all([chain.account(account), chain.account(destination)]);
  if (!found) throw new Error(`${account} was there a moment ago, and is gone: run this again`);
  const isNew = isSol || !isMade(there);
  const space = TOKEN_ACCOUNT_SPACE;
  const rent = await ask(chain.rpc, 'getMinimumBalanceForRentExemption', [space], wholeIn);
  const missing = rent - (there?.lamports ?? 0n);
  const lend = (to: Address, lamports: bigint): Instruction[] => {
    if (lamports > mostRentLamports(space))
      throw new Error(`by the node, ${lamports} lamports of rent are missing, more than a chain ever asked for`);
    return lamports > 0n ? [systemTransfer({ from: payer, to, lamports })] : [];
  };
  // Anybody can send SOL to the address, which is public: such an account gets its data without being made.
  const make = [
    systemAllocateWithSeed({ newAccount: destination, base: vault, seed, space, owner: tokenProgram }),
    tokenInitializeAccount3({ account: destination, mint, owner: vault, tokenProgram }),
  ];
  const closeTo = (to: Address) => tokenCloseAccount({ account, destination: to, authority: owner, tokenProgram });
  // What there is of SOL when such an account is made are its tokens.
  if (isSol) return { ways: [[...lend(destination, missing - found.lamports), closeTo(destination), ...make]], isNew };
  const transfer = { source: account, destination, mint, authority: owner, amount, decimals, tokenProgram };
  // Only an account that there is takes tokens, also none of them.
  const moves = amount > 0n || !isNew;
  const move = [
    ...(isNew ? [...lend(destination, missing), ...make] : []),
    ...(moves ? [tokenTransferChecked(transfer)] : []),
  ];
  // It has less than its rent where the chain asked for less when it was made.
  const whole = [
    ...lend(account, rent - found.lamports),
    ...move,
    tokenWithdrawExcessLamports({ source: account, destination, authority: owner, tokenProgram }),
    closeTo(payer),
  ];
  // The chain closes what is empty only: where it does not, the row says whether that can be all.
  return { ways: amount > 0n && amount >= owed ? [whole, move] : [whole], isNew };
}
