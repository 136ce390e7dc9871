import {
  type Address,
  addressToBytes,
  compileMessage,
  createAddressWithSeed,
  type DecodedMessage,
  decodeTransaction,
  decompileInstructions,
  generateKeypair,
  type Instruction,
  type LookupTable,
  parseInitializeAccount3,
  parseSystemCreateAccountWithSeed,
  rentExemptLamports,
  systemCreateAccountWithSeed,
  systemTransfer,
  TOKEN_2022_PROGRAM,
  TOKEN_ACCOUNT_SPACE,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  tokenInitializeAccount3,
  tokenSetCloseAuthority,
  tokenTransferChecked,
  unsignedTransaction,
  writableAccount,
  writableSigner,
} from '@slipway/wire';
import fc from 'fast-check';

/** Whom a thief would have everything go to. */
export const thief = generateKeypair().address;

/** Ways to spoil a transaction of this wallet: bytes, accounts, amounts, instructions. Each answers its bytes. */
export function mutationsOf(wire: Uint8Array, wallet: Address, tables: LookupTable[] = []): fc.Arbitrary<Uint8Array> {
  const { decoded, message } = decodeTransaction(wire);
  const prefix = wire.length - message.length;
  const instructions = decompileInstructions(decoded, tables);
  const anyOf = fc.nat(instructions.length - 1);
  const compiled = (changed: Instruction[], feePayer = decoded.accounts[0]!) =>
    rebuilt(decoded, changed, feePayer, tables) ?? wire;
  const with_ = (at: number, change: Partial<Instruction>) =>
    compiled(instructions.map((each, i) => (i === at ? { ...each, ...change } : each)));

  const bytes = fc
    .array(fc.tuple(fc.integer({ min: prefix, max: wire.length - 1 }), fc.integer({ min: 1, max: 255 })), {
      minLength: 1,
      maxLength: 3,
    })
    .map((changes) => {
      const changed = Uint8Array.from(wire);
      for (const [at, by] of changes) changed[at]! ^= by;
      return changed;
    });
  const key = fc
    .tuple(fc.nat(decoded.accounts.length - 1), fc.constantFrom(thief, wallet, ...decoded.accounts))
    .map(([at, address]) => replaceKey(wire, prefix, decoded, at, address));
  const account = fc
    .tuple(anyOf, fc.nat(40), fc.constantFrom(thief, wallet, ...decoded.accounts))
    .map(([at, nth, address]) => {
      const { accounts } = instructions[at]!;
      return with_(at, {
        accounts: accounts.map((meta, i) => (i === nth % accounts.length ? { ...meta, address } : meta)),
      });
    });
  const data = fc.tuple(anyOf, fc.nat(200), fc.integer({ min: 1, max: 255 })).map(([at, nth, by]) => {
    const changed = Uint8Array.from(instructions[at]!.data);
    if (changed.length > 0) changed[nth % changed.length]! ^= by;
    return with_(at, { data: changed });
  });
  const dropped = anyOf.map((at) => compiled(instructions.filter((_, i) => i !== at)));
  const doubled = anyOf.map((at) => compiled([...instructions, instructions[at]!]));
  const swapped = fc.tuple(anyOf, anyOf).map(([a, b]) => {
    const changed = [...instructions];
    [changed[a], changed[b]] = [changed[b]!, changed[a]!];
    return compiled(changed);
  });
  const added = fc
    .tuple(fc.constantFrom(...thefts(decoded.accounts, wallet)), fc.nat(instructions.length))
    .map(([theft, at]) => compiled([...instructions.slice(0, at), theft, ...instructions.slice(at)]));
  const payer = fc.constantFrom(thief, wallet, ...decoded.accounts).map((address) => compiled(instructions, address));
  const others = remadeAccounts(instructions, wallet);
  const remade = others.length > 0 ? [fc.constantFrom(...others).map((changed) => compiled(changed))] : [];
  return fc.oneof(bytes, key, account, data, dropped, doubled, swapped, added, payer, ...remade);
}

/** The accounts that exist only within the transaction, with another owner, mint or amount, or made again once they are closed. */
function remadeAccounts(instructions: Instruction[], wallet: Address): Instruction[][] {
  return instructions.flatMap((instruction, at) => {
    const made = parseSystemCreateAccountWithSeed(instruction);
    if (!made) return [];
    const replaced = (changed: Instruction, i = at) => instructions.map((each, j) => (i === j ? changed : each));
    const owned = [thief, TOKEN_2022_PROGRAM].map((owner) => {
      const newAccount = createAddressWithSeed(made.base, made.seed, owner);
      const rename = (address: Address) => (address === made.newAccount ? newAccount : address);
      const changed = replaced(systemCreateAccountWithSeed({ ...made, newAccount, owner }));
      return changed.map((each) => ({
        ...each,
        accounts: each.accounts.map((meta) => ({ ...meta, address: rename(meta.address) })),
      }));
    });
    const rich = replaced(systemCreateAccountWithSeed({ ...made, lamports: made.lamports + 500_000_000n }));
    const opened = instructions.map((each) => parseInitializeAccount3(each));
    const opening = opened.findIndex((each) => each?.account === made.newAccount);
    if (opening < 0) return [...owned, rich];
    const again = [
      systemCreateAccountWithSeed({ ...made, lamports: rentExemptLamports(TOKEN_ACCOUNT_SPACE) }),
      instructions[opening]!,
      tokenCloseAccount({ account: made.newAccount, destination: wallet, authority: wallet }),
    ];
    const mints = new Set(instructions.flatMap(({ accounts }) => accounts.map(({ address }) => address)));
    const minted = [...mints].map((mint) => replaced(tokenInitializeAccount3({ ...opened[opening]!, mint }), opening));
    const unopened = instructions.filter((_, i) => i !== opening);
    return [...owned, rich, ...minted, unopened, [...again, ...instructions], [...instructions, ...again]];
  });
}

/** What a thief would add: transfers, allowances and new owners of whatever the wallet may have. */
function thefts(accounts: Address[], wallet: Address): Instruction[] {
  const mint = accounts.at(-1)!;
  return accounts.flatMap((account) => [
    systemTransfer({ from: wallet, to: thief, lamports: 1_000n }),
    systemTransfer({ from: wallet, to: account, lamports: 1_000n }),
    tokenTransferChecked({
      source: account,
      mint,
      destination: thief,
      authority: wallet,
      amount: 1n,
      decimals: 6,
      tokenProgram: TOKEN_PROGRAM,
    }),
    tokenCloseAccount({ account, destination: thief, authority: wallet }),
    tokenSetCloseAuthority({ account, authority: wallet, closeAuthority: thief, tokenProgram: TOKEN_PROGRAM }),
    ofToken(4, account, wallet, [1, 0, 0, 0, 0, 0, 0, 0], thief),
    ofToken(6, account, wallet, [2, 1, ...addressToBytes(thief)]),
    { program: thief, accounts: [writableSigner(wallet), writableAccount(account)], data: Uint8Array.of(1) },
  ]);
}

/** An approval (4) or a new authority (6). */
function ofToken(tag: number, account: Address, owner: Address, data: number[], delegate?: Address): Instruction {
  const accounts = [writableAccount(account), ...(delegate ? [writableAccount(delegate)] : []), writableSigner(owner)];
  return { program: TOKEN_PROGRAM, accounts, data: Uint8Array.of(tag, ...data) };
}

function rebuilt(decoded: DecodedMessage, instructions: Instruction[], feePayer: Address, lookupTables: LookupTable[]) {
  try {
    const signers = decoded.accounts.slice(0, decoded.header.requiredSignatures);
    const { version, blockhash } = decoded;
    const tables = version === 0 ? { lookupTables } : {};
    return unsignedTransaction(
      compileMessage({
        version,
        feePayer,
        signers: signers.filter((each) => each !== feePayer),
        instructions,
        blockhash,
        ...tables,
      }),
    );
  } catch {
    return undefined;
  }
}

function replaceKey(
  wire: Uint8Array,
  prefix: number,
  decoded: DecodedMessage,
  at: number,
  address: Address,
): Uint8Array {
  const changed = Uint8Array.from(wire);
  // Version, header and number of keys stand before them.
  const start = prefix + (decoded.version === 0 ? 5 : 4) + 32 * at;
  changed.set(addressToBytes(address), start);
  return changed;
}
