import { instructionTag, RAYDIUM_CPMM_PROGRAM } from '@slipway/checks';
import {
  type Address,
  associatedTokenAddress,
  compileMessage,
  createAssociatedTokenIdempotent,
  decodeMessage,
  decompileInstructions,
  generateKeypair,
  type Instruction,
  readonlySigner,
  systemTransfer,
  tokenCloseAccount,
  tokenSetCloseAuthority,
  tokenTransferChecked,
  writableAccount,
  writableSigner,
} from '@slipway/wire';

/** Numbers from 0 to `below`, the same for the same seed. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** A swap of a venue that takes all that it is offered, or fails; in some pool. */
export function swapOfAll(of: {
  authority: Address;
  source: Address;
  destination: Address;
  amountIn: bigint;
}): Instruction {
  const data = new Uint8Array(24);
  data.set(instructionTag('swap_base_input'));
  const view = new DataView(data.buffer);
  view.setBigUint64(8, of.amountIn, true);
  view.setBigUint64(16, 1n, true);
  const accounts = Array.from({ length: 13 }, () => writableAccount(generateKeypair().address));
  accounts[0] = readonlySigner(of.authority);
  accounts[4] = writableAccount(of.source);
  accounts[5] = writableAccount(of.destination);
  return { program: RAYDIUM_CPMM_PROGRAM, accounts, data };
}

/** Whom a thief would have everything go to, and what he would have. */
export interface Thief {
  address: Address;
  tokens: readonly { mint: Address; tokenProgram: Address; decimals: number }[];
  /** Token accounts that are not his. */
  wanted: readonly { account: Address; owner: Address }[];
}

type Random = ReturnType<typeof createRandom>;

/** The message spoiled in one or two ways: bytes, accounts, amounts, instructions left out, doubled, moved or added. */
export function spoil(message: Uint8Array, thief: Thief, random: Random): Uint8Array {
  let spoiled = message;
  for (let left = 1 + random(2); left > 0; left--) spoiled = spoilOnce(spoiled, thief, random) ?? spoiled;
  return spoiled;
}

function spoilOnce(message: Uint8Array, thief: Thief, random: Random): Uint8Array | undefined {
  if (random(6) === 0) return spoilBytes(message, random);
  try {
    const decoded = decodeMessage(message);
    if (decoded.lookups.length > 0) return spoilBytes(message, random);
    const instructions = decompileInstructions(decoded);
    const changed = spoilInstructions(instructions, thief, random);
    const isPayer = random(12) === 0;
    const feePayer = isPayer ? thief.address : decoded.accounts[0]!;
    return compileMessage({ version: 0, feePayer, instructions: changed, blockhash: decoded.blockhash });
  } catch {
    return undefined;
  }
}

function spoilBytes(message: Uint8Array, random: Random): Uint8Array {
  const spoiled = Uint8Array.from(message);
  spoiled[random(spoiled.length)]! ^= 1 + random(255);
  return spoiled;
}

function spoilInstructions(instructions: Instruction[], thief: Thief, random: Random): Instruction[] {
  const changed = instructions.map(
    (each): Instruction => ({ ...each, accounts: [...each.accounts], data: Uint8Array.from(each.data) }),
  );
  const at = random(changed.length);
  const picked = changed[at]!;
  const all = [...new Set(changed.flatMap(({ accounts }) => accounts.map(({ address }) => address)))];
  const own = [thief.address, ...thief.tokens.map((each) => accountOf(thief, each))];
  const anyOf = <T>(list: readonly T[]): T => list[random(list.length)]!;
  switch (random(7)) {
    case 0: {
      const place = random(Math.max(1, picked.accounts.length));
      const meta = picked.accounts[place];
      if (meta) picked.accounts[place] = { ...meta, address: anyOf([...all, ...own, ...own]) };
      break;
    }
    case 1:
      if (picked.data.length > 0) picked.data[random(picked.data.length)]! ^= 1 + random(255);
      break;
    case 2:
      changed.splice(at, 1);
      break;
    case 3:
      changed.push(picked);
      break;
    case 4:
      changed.splice(random(changed.length), 0, ...changed.splice(at, 1));
      break;
    case 5: {
      // One account for another, everywhere.
      const [from, to] = [anyOf(all), anyOf([...own, ...all])];
      for (const { accounts } of changed)
        for (const [i, meta] of accounts.entries()) if (meta.address === from) accounts[i] = { ...meta, address: to };
      break;
    }
    default:
      changed.splice(random(changed.length + 1), 0, anyOf(thefts(all, thief)));
  }
  return changed;
}

const accountOf = ({ address }: Thief, { mint, tokenProgram }: Thief['tokens'][number]) =>
  associatedTokenAddress(address, mint, tokenProgram);

/** What a thief would add. */
function thefts(all: readonly Address[], thief: Thief): Instruction[] {
  const { address, tokens, wanted } = thief;
  const signers = [...new Set([...all, ...wanted.map(({ owner }) => owner)])];
  return [
    ...signers.map((from) => systemTransfer({ from, to: address, lamports: 1_000_000n })),
    ...signers.map((payer) => ({
      ...createAssociatedTokenIdempotent({ payer, owner: address, ...tokens[0]! }),
    })),
    ...wanted.flatMap(({ account, owner }) =>
      tokens.flatMap((token) => [
        tokenTransferChecked({
          source: account,
          destination: accountOf(thief, token),
          authority: owner,
          amount: 1_000n,
          ...token,
        }),
        tokenCloseAccount({ account, destination: address, authority: owner, tokenProgram: token.tokenProgram }),
        tokenSetCloseAuthority({
          account,
          authority: owner,
          closeAuthority: address,
          tokenProgram: token.tokenProgram,
        }),
      ]),
    ),
    // Any program, with any signature.
    ...signers.map((signer) => ({
      program: address,
      accounts: [writableSigner(signer), readonlySigner(address)],
      data: Uint8Array.of(1),
    })),
  ];
}
