import {
  type Address,
  associatedTokenAddress,
  createAddressWithSeed,
  type Instruction,
  parseCloseAccount,
  parseCreateAssociatedTokenIdempotent,
  parseInitializeAccount3,
  parseSyncNative,
  parseSystemCreateAccountWithSeed,
  parseSystemTransfer,
  parseTransferChecked,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire/formats';
import { afterBudget, type Budget, type Expect, expecting, type ReadTransaction } from './transaction.js';

/** A deposit for a trigger order: the amount goes from the wallet into an account of its vault, and nowhere else. */
export interface VaultDeposit {
  wallet: Address;
  vault: Address;
  inputMint: Address;
  outputMint: Address;
  amount: bigint;
  /** The vault's new account, which gets the amount. */
  account: Address;
}

/** The most that a token account's rent is, in lamports; those of Token-2022 with many extensions are below it. */
const MAX_RENT_LAMPORTS = 5_000_000n;
/** An order has one for its input, and one for its output. */
const MOST_ACCOUNTS = 2;
const expect: Expect = expecting('vault transaction');

/** @throws CraftCheckFailed */
export function checkDeposit({ signers, instructions }: ReadTransaction, deposit: VaultDeposit, budget: Budget): void {
  const { wallet, vault, inputMint, outputMint, amount, account } = deposit;
  checkParties(signers, wallet, vault);
  let paid = false;
  const made = new Set<Address>();
  const openedAccounts = new Set<Address>();
  for (const instruction of afterBudget(instructions, budget, expect)) {
    const seeded = parseSystemCreateAccountWithSeed(instruction);
    const opened = parseInitializeAccount3(instruction);
    const sol = parseSystemTransfer(instruction);
    const tokens = parseTransferChecked(instruction);
    if (seeded) {
      expect(seeded.payer === wallet && seeded.base === vault, 'an account of somebody else');
      // Another program could take the SOL.
      expect(seeded.owner === TOKEN_PROGRAM || seeded.owner === TOKEN_2022_PROGRAM, 'an account of another program');
      expect(seeded.newAccount === createAddressWithSeed(vault, seeded.seed, seeded.owner), 'a wrong account');
      expect(seeded.lamports <= MAX_RENT_LAMPORTS && made.size < MOST_ACCOUNTS, 'too much rent');
      made.add(seeded.newAccount);
    } else if (opened) {
      expect(opened.owner === vault && made.has(opened.account), 'an account that is not the vault’s');
      expect(opened.mint === (opened.account === account ? inputMint : outputMint), 'an account of another mint');
      openedAccounts.add(opened.account);
    } else if (sol || tokens) {
      expect(!paid && made.has(account), 'more than one deposit');
      paid = true;
      if (sol) {
        expect(inputMint === WRAPPED_SOL_MINT, 'SOL that nobody asked for');
        expect(sol.from === wallet && sol.to === account && sol.lamports === amount, 'another amount or account');
      } else if (tokens) {
        const source = associatedTokenAddress(wallet, inputMint, tokens.tokenProgram);
        expect(tokens.source === source && tokens.authority === wallet && tokens.mint === inputMint, 'another source');
        expect(tokens.destination === account && tokens.amount === amount, 'another amount or account');
      }
    } else if (!parseSyncNative(instruction)) checkOwnAccount(instruction, wallet, outputMint);
  }
  expect(paid && openedAccounts.has(account), 'no deposit');
}

/** A withdrawal from a vault. */
export interface VaultWithdrawal {
  wallet: Address;
  vault: Address;
  /** The mints of the order, where they are known. */
  mints?: readonly Address[] | undefined;
}

/** A withdrawal of all that an order's accounts hold: everything goes to the wallet. @throws CraftCheckFailed */
export function checkWithdrawal(
  { signers, instructions }: ReadTransaction,
  { wallet, vault, mints }: VaultWithdrawal,
  budget: Budget,
): void {
  checkParties(signers, wallet, vault);
  const rest = afterBudget(instructions, budget, expect);
  const filled = new Set(rest.map((each) => parseTransferChecked(each)?.destination));
  const made = new Set<Address>();
  for (const instruction of rest) {
    const tokens = parseTransferChecked(instruction);
    const closed = parseCloseAccount(instruction);
    if (tokens) {
      const own = associatedTokenAddress(wallet, tokens.mint, tokens.tokenProgram);
      expect(tokens.authority === vault && tokens.destination === own, 'tokens go elsewhere');
      expect(tokens.amount > 0n, 'a transfer that moves nothing');
      expect(mints === undefined || mints.includes(tokens.mint), `a transfer of ${tokens.mint}`);
    } else if (closed) {
      expect(closed.authority === vault && closed.destination === wallet, 'SOL goes elsewhere');
    } else made.add(checkOwnAccount(instruction, wallet));
  }
  // The wallet pays their rent, which is no part of what comes home.
  expect(made.size <= MOST_ACCOUNTS && [...made].every((each) => filled.has(each)), 'accounts that nobody asked for');
  expect(rest.some(parseCloseAccount) || rest.some(parseTransferChecked), 'nothing is withdrawn');
}

/** The wallet pays, the vault signs, and one more: the service's, which keeps count. */
function checkParties(signers: readonly Address[], wallet: Address, vault: Address): void {
  expect(signers[0] === wallet && signers.includes(vault) && signers.length <= 3, 'wrong signers');
}

function checkOwnAccount(instruction: Instruction, wallet: Address, mint?: Address): Address {
  const own = parseCreateAssociatedTokenIdempotent(instruction);
  expect(own, `an instruction of ${instruction.program} that is not understood`);
  expect(own.payer === wallet && own.owner === wallet, 'an account of somebody else');
  expect(own.account === associatedTokenAddress(wallet, own.mint, own.tokenProgram), 'a wrong account');
  expect(mint === undefined || own.mint === mint, 'an account of another mint');
  return own.account;
}
