import {
  type Address,
  associatedTokenAddress,
  createAssociatedTokenIdempotent,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import type { Chain, ChainAccount } from '../chain/index.js';
import type { Config } from '../config/index.js';
import { explain } from '../landing/index.js';
import { decimalString } from '../lib/decimal.js';
import { type Payer, type Sent, sendFirst } from '../vault/send-first.js';
import { CommandError } from './context.js';
import { withOwnChain } from './own-chain.js';
import type { OwnWallet } from './withdraw.js';

/** An account that default fees of swaps come into. */
export interface FeeAccount {
  symbol: string;
  mint: Address;
  tokenProgram: Address;
  account: Address;
  exists: boolean;
}

/** The tokens in which nearly all default fees are taken. */
export const feeMintsOf = (config: Config): ReadonlySet<Address> => new Set(symbolsOf(config).keys());

function symbolsOf({ tokens, tokenList, swap }: Config): Map<Address, string> {
  const symbols = new Map<Address, string>([[WRAPPED_SOL_MINT, 'SOL']]);
  for (const { symbol, mint } of [tokens.usdc, tokens.stable, tokens.platform]) symbols.set(mint, symbol);
  for (const mint of [...swap.lsts, ...swap.blueChips])
    symbols.set(mint, symbols.get(mint) ?? tokenList.find((each) => each.mint === mint)?.symbol ?? mint);
  return symbols;
}

/** Those of the receiver for these tokens, as far as their mints are on the chain. */
export async function feeAccounts(
  config: Config,
  read: (address: Address) => Promise<ChainAccount | undefined>,
  receiver: Address,
): Promise<FeeAccount[]> {
  const states = await Promise.all(
    [...symbolsOf(config)].map(async ([mint, symbol]) => {
      const tokenProgram = (await read(mint))?.owner;
      if (tokenProgram !== TOKEN_PROGRAM && tokenProgram !== TOKEN_2022_PROGRAM) return undefined;
      const account = associatedTokenAddress(receiver, mint, tokenProgram);
      return { mint, symbol, tokenProgram, account, exists: (await read(account))?.owner === tokenProgram };
    }),
  );
  return states.filter((state) => state !== undefined);
}

export interface FeeAccountsReport {
  receiver: Address;
  accounts: { symbol: string; mint: Address; account: Address; signature?: string; reason?: string }[];
}

/** Makes those that are missing. `payer` pays fees and rent. */
export function openFeeAccounts(config: Config, payer: OwnWallet): Promise<FeeAccountsReport> {
  return withOwnChain(config, async (own) => {
    const { chain, signer } = own;
    const receiver = config.swap.feeReceiver ?? signer.address('gas');
    const deps = { ...own, explain: (error: unknown) => explain(error).message };
    const by = { name: payer, address: signer.address(payer) };
    const report: FeeAccountsReport = { receiver, accounts: [] };
    const accounts = await feeAccounts(config, (each) => chain.account(each), receiver);
    await requireMoney(chain, by, accounts.filter(({ exists }) => !exists).length);
    for (const { symbol, mint, tokenProgram, account, exists } of accounts) {
      const make = createAssociatedTokenIdempotent({ payer: by.address, owner: receiver, mint, tokenProgram });
      const sent: Partial<Sent> = exists ? {} : await sendFirst(deps, [[make]], { payer: by, keys: [payer] });
      report.accounts.push({
        symbol,
        mint,
        account,
        ...('signature' in sent && { signature: sent.signature }),
        ...('reason' in sent && { reason: sent.reason }),
      });
    }
    return report;
  });
}

/** The rent of one with the extensions of Token-2022, and the fees. */
const COSTS_AT_MOST = 2_200_000n;
/** What a wallet must keep, as it would not be rent-exempt otherwise. */
const KEEPS = 890_880n;

/** The chain would only say that a program has failed. */
async function requireMoney(chain: Chain, { name, address }: Payer, missing: number): Promise<void> {
  const lamports = (await chain.account(address))?.lamports ?? 0n;
  const needed = KEEPS + COSTS_AT_MOST * BigInt(missing);
  if (missing === 0 || lamports >= needed) return;
  const [has, needs] = [lamports, needed].map((each) => decimalString(each, 9));
  throw new CommandError(
    `the ${name} wallet ${address} has ${has} SOL, and this takes up to ${needs} for ${missing} accounts: send it some, or name another wallet with --payer`,
  );
}
