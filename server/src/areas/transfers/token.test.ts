import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  associatedTokenAddress,
  base58Decode,
  generateKeypair,
  type Keypair,
  rentExemptLamports,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import {
  type Extensions,
  hold,
  lamportsOf,
  land,
  newMint2022,
  newWallet,
  openTransfersWorld,
  type TransfersWorld,
  tokensIn,
  USDC,
} from './testing.js';

const SOL = 1_000_000_000n;
const RENT = 2_039_280n;

let world: TransfersWorld;
let sender: Keypair;
before(async () => {
  world = await openTransfersWorld();
  sender = await newWallet(world, 10n * SOL, 1_000_000_000n);
});
after(() => world.close());

const tokenQuery = (changes: Record<string, string | undefined> = {}): Record<string, string> => {
  const query = {
    mint: USDC.mint,
    tokenDecimals: '6',
    tokenProgramId: TOKEN_PROGRAM,
    senderAddress: sender.address,
    senderTokenAccountAddress: associatedTokenAddress(sender.address, USDC.mint),
    receiverAddress: generateKeypair().address,
    amount: '250000001',
    ...changes,
  };
  return Object.fromEntries(Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined));
};

describe('tokens', () => {
  it('arrive to the unit in a new account at the cost of the sender, and in one that exists', async () => {
    const receiverAddress = generateKeypair().address;
    const [source, destination] = [sender.address, receiverAddress].map((each) =>
      associatedTokenAddress(each, USDC.mint),
    );
    for (const rent of [RENT, 0n]) {
      const [lamports, tokens, had] = [
        await lamportsOf(world, sender.address),
        await tokensIn(world, source!),
        (await tokensIn(world, destination!)) ?? 0n,
      ];
      const crafted = await land(world, await world.craftToken(tokenQuery({ receiverAddress })), sender);
      assert.equal(await tokensIn(world, source!), tokens! - 250_000_001n);
      assert.equal(await tokensIn(world, destination!), had + 250_000_001n);
      assert.equal(crafted.rentFeeLamports, rent > 0n ? Number(rent) : undefined);
      assert.equal(lamports - (await lamportsOf(world, sender.address)), rent + BigInt(crafted.feeAmount));
    }
  });

  it('go to the account that is named, whatever receiverAddress says', async () => {
    const owner = generateKeypair().address;
    const other = await hold(world, { owner, mint: USDC.mint, amount: 5n }, { at: generateKeypair().address });
    await land(
      world,
      await world.craftToken(tokenQuery({ receiverTokenAccountAddress: other, receiverAddress: owner, amount: '7' })),
      sender,
    );
    await land(
      world,
      await world.craftToken(
        tokenQuery({ receiverTokenAccountAddress: other, receiverAddress: undefined, amount: '8' }),
      ),
      sender,
    );
    await land(
      world,
      await world.craftToken(
        tokenQuery({ receiverTokenAccountAddress: other, receiverAddress: 'nonsense', amount: '9' }),
      ),
      sender,
    );
    assert.equal(await tokensIn(world, other), 29n);
    assert.equal(await tokensIn(world, associatedTokenAddress(owner, USDC.mint)), undefined);
  });

  it('of Token-2022 arrive, with the rent that their accounts need', async () => {
    // A fee that is configured and 0: its accounts need room for it.
    const feeConfig: Extensions = [[1, Buffer.alloc(108)]];
    for (const [extensions, space] of [
      [[], 170],
      [feeConfig, 182],
    ] as const) {
      const mint = await newMint2022(world, extensions as Extensions);
      const extra: Extensions =
        extensions.length > 0
          ? [
              [7, Buffer.alloc(0)],
              [2, Buffer.alloc(8)],
            ]
          : [];
      const options = { tokenProgram: TOKEN_2022_PROGRAM, extensions: extra };
      const source = await hold(world, { owner: sender.address, mint, amount: 100n }, options);
      const receiverAddress = generateKeypair().address;
      const query = {
        mint,
        tokenProgramId: TOKEN_2022_PROGRAM,
        senderTokenAccountAddress: source,
        receiverAddress,
        amount: '99',
      };
      const before = await lamportsOf(world, sender.address);
      const crafted = await land(world, await world.craftToken(tokenQuery(query)), sender);
      assert.equal(crafted.rentFeeLamports, Number(rentExemptLamports(space)));
      assert.equal(
        before - (await lamportsOf(world, sender.address)),
        rentExemptLamports(space) + BigInt(crafted.feeAmount),
      );
      assert.equal(await tokensIn(world, source), 1n);
      assert.equal(await tokensIn(world, associatedTokenAddress(receiverAddress, mint, TOKEN_2022_PROGRAM)), 99n);
    }
  });

  it('whose transfers are taxed, hooked, paused or forbidden are refused', async () => {
    const key = Buffer.from(base58Decode(generateKeypair().address)!);
    const fee = Buffer.alloc(108);
    fee.writeUInt16LE(100, 106);
    const cases: [Extensions, RegExp][] = [
      [[[1, fee]], /^mint: .* costs a fee/],
      [[[14, Buffer.concat([Buffer.alloc(32), key])]], /^mint: .* runs a program of its issuer/],
      [[[9, Buffer.alloc(0)]], /^mint: .* non-transferable/],
      [[[26, Buffer.concat([key, Buffer.of(1)])]], /^mint: .* paused/],
      [[[6, Buffer.of(2)]], /^receiverAddress: the issuer must thaw/],
    ];
    for (const [extensions, pattern] of cases) {
      const mint = await newMint2022(world, extensions);
      const source = await hold(
        world,
        { owner: sender.address, mint, amount: 10n },
        { tokenProgram: TOKEN_2022_PROGRAM },
      );
      const query = { mint, tokenProgramId: TOKEN_2022_PROGRAM, senderTokenAccountAddress: source, amount: '1' };
      const { status, body } = await world.craftToken(tokenQuery(query));
      assert.equal(status, 400);
      assert.match(body.error!, pattern);
    }
  });

  it('for an account that requires memos are refused, as the chain would', async () => {
    const mint = await newMint2022(world);
    const tokenProgram = TOKEN_2022_PROGRAM;
    const source = await hold(world, { owner: sender.address, mint, amount: 10n }, { tokenProgram });
    const owner = generateKeypair().address;
    await hold(world, { owner, mint, amount: 0n }, { tokenProgram, extensions: [[8, Buffer.of(1)]] });
    const query = {
      mint,
      tokenProgramId: tokenProgram,
      senderTokenAccountAddress: source,
      receiverAddress: owner,
      amount: '1',
    };
    const { status, body } = await world.craftToken(tokenQuery(query));
    assert.deepEqual(
      [status, body.error],
      [400, 'The chain would refuse this transfer: the receiver takes only transfers with a memo'],
    );
  });

  it('are refused with the field, and what was expected in it', async () => {
    const [stranger, frozenOwner, takenOwner] = [
      generateKeypair().address,
      generateKeypair().address,
      generateKeypair().address,
    ];
    const mint = USDC.mint;
    const own = associatedTokenAddress(sender.address, mint);
    const foreign = await hold(world, { owner: stranger, mint, amount: 10n }, { at: generateKeypair().address });
    const frozen = await hold(
      world,
      { owner: sender.address, mint, amount: 10n, state: 'frozen' },
      { at: generateKeypair().address },
    );
    await hold(world, { owner: frozenOwner, mint, amount: 0n, state: 'frozen' });
    await hold(world, { owner: stranger, mint, amount: 0n }, { at: associatedTokenAddress(takenOwner, mint) });
    const other = await newMint2022(world);
    const otherAccount = await hold(
      world,
      { owner: stranger, mint: other, amount: 0n },
      { tokenProgram: TOKEN_2022_PROGRAM },
    );
    const missing = generateKeypair().address;
    const poor = await newWallet(world, 0n, 5_000_000n);
    const cases: [Record<string, string | undefined>, RegExp][] = [
      [{ senderAddress: '' }, /^senderAddress: expected a public key/],
      [{ senderAddress: stranger }, /^senderTokenAccountAddress: .* that senderAddress owns/],
      [
        {
          senderAddress: poor.address,
          senderTokenAccountAddress: associatedTokenAddress(poor.address, mint),
          amount: '1',
        },
        /^senderAddress: insufficient funds: the sender has 0 SOL/,
      ],
      [{ senderTokenAccountAddress: undefined }, /^senderTokenAccountAddress: /],
      [{ senderTokenAccountAddress: missing }, /^senderTokenAccountAddress: expected a token account of the mint/],
      [
        { senderTokenAccountAddress: sender.address },
        /^senderTokenAccountAddress: expected a token account of the mint/,
      ],
      [{ senderTokenAccountAddress: otherAccount }, /^senderTokenAccountAddress: expected a token account of the mint/],
      [{ senderTokenAccountAddress: foreign }, /^senderTokenAccountAddress: .* that senderAddress owns/],
      [{ senderTokenAccountAddress: frozen }, /^senderTokenAccountAddress: .* not frozen/],
      [{ receiverAddress: undefined }, /^receiverAddress: required without receiverTokenAccountAddress/],
      [{ receiverAddress: 'x' }, /^receiverAddress: expected a public key/],
      [{ receiverAddress: sender.address }, /^receiverAddress: expected another account/],
      [{ receiverAddress: foreign }, /^receiverAddress: expected a wallet/],
      [{ receiverAddress: frozenOwner }, /^receiverAddress: .* frozen/],
      [{ receiverAddress: takenOwner }, /^receiverAddress: .* belongs to somebody else/],
      [{ receiverTokenAccountAddress: own }, /^receiverTokenAccountAddress: expected another account/],
      [
        { receiverTokenAccountAddress: missing },
        /^receiverTokenAccountAddress: expected an existing token account of the mint/,
      ],
      [
        { receiverTokenAccountAddress: otherAccount },
        /^receiverTokenAccountAddress: expected an existing token account/,
      ],
      [{ receiverTokenAccountAddress: '' }, /^receiverTokenAccountAddress: expected a public key/],
      [{ amount: '-1' }, /^amount: expected a whole number/],
      [{ amount: '1000000000' }, /^amount: insufficient funds: expected at most \d+,/],
      [{ mint: missing }, /^mint: .* no token/],
      [{ tokenDecimals: '9' }, /^tokenDecimals: expected 6 for this mint/],
      [{ tokenProgramId: TOKEN_2022_PROGRAM }, /^tokenProgramId: expected Tokenkeg/],
    ];
    for (const [changes, pattern] of cases) {
      const { status, body } = await world.craftToken(tokenQuery(changes));
      assert.equal(status, 400, JSON.stringify(changes));
      assert.deepEqual(Object.keys(body), ['error']);
      assert.match(body.error!, pattern, JSON.stringify(changes));
    }
  });
});
