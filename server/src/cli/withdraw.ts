import {
  type Address,
  associatedTokenAddress,
  decodeTransaction,
  SYSTEM_PROGRAM,
  transactionSignature,
  withSignature,
} from '@slipway/wire';
import { mintFacts } from '../chain/index.js';
import type { Config } from '../config/index.js';
import { MAX_COMPUTE_UNITS, unitLimitFrom } from '../crafting/budget.js';
import { craftTransfer, type Transfer } from '../crafting/transfer.js';
import { explain } from '../landing/index.js';
import { decimalString } from '../lib/decimal.js';
import type { Role } from '../signer/index.js';
import { vaultHoldings } from '../vault/holdings.js';
import { toSmallestUnit } from './amount.js';
import { CommandError, UsageError } from './context.js';
import { type OwnChain, withOwnChain } from './own-chain.js';

/** The wallets of the service that money comes into, and what for. */
export const OWN_WALLETS = {
  gas: 'pays for gasless swaps and payments; gets the fees of swaps where no receiver is set',
  keeper: 'pays for fills, claims and migrations; gets what fills leave over',
  tracker: 'pays nothing: it signs deposits and withdrawals',
} as const satisfies Partial<Record<Role, string>>;
export type OwnWallet = keyof typeof OWN_WALLETS;

export interface Holding {
  wallet: OwnWallet;
  address: Address;
  /** `SOL`, or a mint; wrapped SOL has one, too. */
  token: string;
  /** As people write it. */
  amount: string;
  /** The wallet had this address until its key was exchanged. */
  before?: true;
}

/** What the wallets of the service hold, SOL first; of addresses from before only where there is something. */
export function ownHoldings(config: Config): Promise<Holding[]> {
  return withOwnChain(config, async (own) => {
    const wallets = Object.keys(OWN_WALLETS) as OwnWallet[];
    return (await Promise.all(wallets.map((wallet) => holdingsOf(own, wallet)))).flat();
  });
}

async function holdingsOf(own: OwnChain, wallet: OwnWallet): Promise<Holding[]> {
  const { addresses, current } = own.signer.wallets()[wallet];
  const before = addresses.slice(0, current).filter((address) => address !== null);
  const [now, ...others] = await Promise.all(
    [own.signer.address(wallet), ...before].map((address) => holdingsAt(own, wallet, address)),
  );
  const held = others.flat().filter(({ amount }) => Number(amount) > 0);
  return [...now!, ...held.map((holding) => ({ ...holding, before: true as const }))];
}

async function holdingsAt({ chain }: OwnChain, wallet: OwnWallet, address: Address): Promise<Holding[]> {
  const { lamports, accounts } = await vaultHoldings(chain, address);
  const tokens = accounts.filter(({ tokens: { amount } }) => amount > 0n);
  const decimals = await Promise.all(
    tokens.map(async ({ tokens: { mint } }) => mintFacts(await chain.account(mint))?.decimals),
  );
  return [
    { wallet, address, token: 'SOL', amount: decimalString(lamports, 9) },
    ...tokens.map(({ tokens: { mint, amount } }, i) => ({
      wallet,
      address,
      token: mint,
      amount: decimalString(amount, decimals[i] ?? 0),
    })),
  ];
}

export interface Withdrawal {
  wallet: OwnWallet;
  to: Address;
  /** `SOL`, or a mint. */
  token: string;
  /** As people write it; `all` of a token. */
  amount: string;
}

/**
 * Sends what a wallet of the service holds. It pays the fee, and the rent of a token account that the receiver lacks. `tell`
 * hears the signature before it is sent: whoever ends this meanwhile can look what has become of it.
 */
export function withdraw(
  config: Config,
  withdrawal: Withdrawal,
  tell: (text: string) => void,
): Promise<Withdrawal & { signature: string }> {
  return withOwnChain(config, async (own) => {
    await requireWallet(own, withdrawal);
    const transfer = await transferOf(own, withdrawal);
    const signature = await land(own, withdrawal.wallet, transfer, tell);
    const decimals = transfer.kind === 'native' ? 9 : transfer.decimals;
    return { ...withdrawal, amount: decimalString(transfer.amount, decimals), signature };
  });
}

/** What is sent to a token account or a program, nobody may get back. */
async function requireWallet({ chain, signer }: OwnChain, { wallet, to }: Withdrawal): Promise<void> {
  if (to === signer.address(wallet)) throw new UsageError(`--to is the ${wallet} wallet itself`);
  const account = await chain.account(to);
  if (account && account.owner !== SYSTEM_PROGRAM)
    throw new UsageError(`--to must be a wallet: ${to} is an account of the program ${account.owner}`);
}

async function transferOf({ chain, signer }: OwnChain, { wallet, to, token, amount }: Withdrawal): Promise<Transfer> {
  const sender = signer.address(wallet);
  if (token === 'SOL') {
    if (amount === 'all')
      throw new UsageError('--amount must be a number for SOL: the wallet pays its fees with the rest');
    return { kind: 'native', sender, receiver: to, amount: toSmallestUnit(amount, 9) };
  }
  const { accounts } = await vaultHoldings(chain, sender);
  const held = accounts
    .filter(({ tokens }) => tokens.mint === token)
    .sort((a, b) => (a.tokens.amount < b.tokens.amount ? 1 : -1));
  const [richest] = held;
  if (!richest || richest.tokens.amount === 0n)
    throw new CommandError(`the ${wallet} wallet ${sender} holds none of ${token}`);
  const { mint } = richest.tokens;
  const facts = mintFacts(await chain.account(mint));
  if (!facts) throw new CommandError(`there is no mint at ${token}`);
  const { tokenProgram, decimals } = facts;
  return {
    kind: 'token',
    sender,
    source: richest.account,
    destination: associatedTokenAddress(to, mint, tokenProgram),
    createFor: to,
    mint,
    tokenProgram,
    decimals,
    amount: amount === 'all' ? richest.tokens.amount : toSmallestUnit(amount, decimals),
  };
}

async function land(
  { chain, signer, land: send }: OwnChain,
  wallet: OwnWallet,
  transfer: Transfer,
  tell: (text: string) => void,
): Promise<string> {
  const [{ blockhash, lastValidBlockHeight }, computeUnitPrice] = await Promise.all([
    chain.latestBlockhash(),
    chain.computeUnitPrice(),
  ]);
  const trial = craftTransfer(transfer, blockhash, { computeUnitLimit: MAX_COMPUTE_UNITS, computeUnitPrice: 0n });
  const { err, unitsConsumed } = await chain.simulate(trial.wire, { sigVerify: false });
  if (err !== null)
    throw new CommandError(`the ${wallet} wallet ${transfer.sender} cannot send that: ${explain(err).message}`);
  const budget = { computeUnitLimit: unitLimitFrom(unitsConsumed), computeUnitPrice };
  const { decoded: _, ...unsigned } = decodeTransaction(craftTransfer(transfer, blockhash, budget).wire);
  const signed = withSignature(unsigned, transfer.sender, await signer.sign(wallet, unsigned.message));
  const signature = transactionSignature(signed);
  tell(`sending ${signature}`);
  const { event } = await send(signed, lastValidBlockHeight);
  if (event === 'landed') return signature;
  const why = event === 'failed' ? 'the chain refused it' : 'it did not land in time: run this again';
  throw new CommandError(`${signature}: ${why}`);
}
