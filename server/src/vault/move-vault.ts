import {
  type Address,
  type Instruction,
  mostRentLamports,
  systemAllocateWithSeed,
  systemTransfer,
  tokenCloseAccount,
  tokenInitializeAccount3,
  tokenTransferChecked,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { ask, isMade, wholeIn } from '../chain/index.js';
import { orderAccounts, orderSeed, type Signer } from '../signer/index.js';
import { waysToWallet } from './empty-account.js';
import { type VaultTokens, vaultHoldings } from './holdings.js';
import { accountsToLookAt, missingOf, type VaultOrder } from './missing.js';
import type { MoveReport } from './move-wallet.js';
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
  const send = async (account: Address, mint: Address, amount: bigint, ways: Instruction[][], toVault: boolean) => {
    const payer = { name: 'gas', address: deps.to.address('gas') };
    const keys = ['gas' as const, vault, ...(toVault ? [next] : [])];
    const sent = await sendFirst({ ...deps, signer: deps.to }, ways, { payer, keys });
    if ('reason' in sent) report.left.push({ account, mint, amount, reason: sent.reason });
    else report.moved.push({ account, mint, amount, signature: sent.signature });
  };
  for (const held of accounts) {
    const { mint, amount } = held.tokens;
    const place = places.get(held.account);
    const decimals = (await deps.chain.mint(mint))?.decimals;
    if (decimals === undefined && amount > 0n) {
      report.left.push({ account: held.account, mint, amount, reason: 'its mint is not on the chain' });
      continue;
    }
    if (place) {
      const { ways, isNew } = await waysToPlace(deps, held, place, next.address, decimals ?? 0);
      await send(held.account, mint, amount, ways, isNew);
    } else {
      const payer = deps.to.address('gas');
      await send(held.account, mint, amount, await waysToWallet(deps.chain, held, { wallet, payer, decimals }), false);
    }
  }
  if (lamports > 0n) {
    const home = [systemTransfer({ from: vault.address, to: wallet, lamports })];
    await send(vault.address, WRAPPED_SOL_MINT, lamports, [home], false);
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
  for (const { depositRequestId: id } of orders) {
    for (const side of ['in', 'out'] as const) {
      const there = orderAccounts(next, id, [side]);
      for (const [i, account] of orderAccounts(vault, id, [side]).entries()) {
        places.set(account, { account: there[i]!, seed: orderSeed(id, side) });
      }
    }
  }
  return places;
}

/**
 * All at once, so that an account is here or there, or without closing it, where somebody puts more into it meanwhile: then the
 * rest is moved when this is run again. What the old one has of SOL, the new one gets once it is closed: until then the payer has
 * lent the rent of the new one.
 */
async function waysToPlace(
  { chain, to }: VaultMoveDeps,
  { account, tokenProgram, tokens: { mint, owner, amount, isNative } }: VaultTokens,
  { account: destination, seed }: Place,
  vault: Address,
  decimals: number,
): Promise<{ ways: Instruction[][]; isNew: boolean }> {
  const payer = to.address('gas');
  const [found, there] = await Promise.all([chain.account(account), chain.account(destination)]);
  if (!found) throw new Error(`${account} was there a moment ago, and is gone: run this again`);
  const isNew = !isMade(there);
  const space = found.data.length;
  const rent = await ask(chain.rpc, 'getMinimumBalanceForRentExemption', [space], wholeIn);
  if (rent > mostRentLamports(space))
    throw new Error(`the node asks for ${rent} lamports of rent, more than a chain ever did`);
  // What the old account has besides follows once that has paid it: whatever somebody has put there, the payer lends rent only.
  const rest = found.lamports - (isNative ? amount : 0n) - rent;
  const missing = rent - (there?.lamports ?? 0n);
  // Anybody can send SOL to the address, which is public: such an account gets its data without being made.
  const make = [
    ...(missing > 0n ? [systemTransfer({ from: payer, to: destination, lamports: missing })] : []),
    systemAllocateWithSeed({ newAccount: destination, base: vault, seed, space, owner: tokenProgram }),
    tokenInitializeAccount3({ account: destination, mint, owner: vault, tokenProgram }),
  ];
  const transfer = { source: account, destination, mint, authority: owner, amount, decimals, tokenProgram };
  const move = [...(isNew ? make : []), ...(amount > 0n ? [tokenTransferChecked(transfer)] : [])];
  const whole = [
    ...move,
    tokenCloseAccount({ account, destination: payer, authority: owner, tokenProgram }),
    ...(rest > 0n ? [systemTransfer({ from: payer, to: destination, lamports: rest })] : []),
  ];
  return { ways: amount > 0n && !isNative ? [whole, move] : [whole], isNew };
}
