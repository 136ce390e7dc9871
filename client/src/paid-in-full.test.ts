import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillInstruction } from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  compileMessage,
  createAssociatedTokenIdempotent,
  encodeMint,
  generateKeypair,
  setComputeUnitLimit,
  setComputeUnitPrice,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  tokenTransferChecked,
  unsignedTransaction,
} from '@slipway/wire';
import { checkAskedSwap } from './check-swap.js';
import { connect } from './context.js';
import { checkAndSignBytes } from './transaction.js';

const newAddress = () => generateKeypair().address;
const [taker, maker, friend, thief, inputMint, outputMint] = Array.from({ length: 6 }, newAddress) as [
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
];
const [ofTaker, ofFriend] = [taker, friend].map((owner) =>
  associatedTokenAddress(owner, outputMint, TOKEN_2022_PROGRAM),
) as [Address, Address];
const SIGNED = /it was signed/;
const KEEPS = new RegExp(`of ${outputMint}, transfers may keep a part`);
const NO_NODE = /of a token of Token-2022, whose transfers may keep a part: give createClient an rpcUrl/;

/** As a node tells a mint of Token-2022, with the basis points of its two fees if it has such an extension. */
function mintWith(fees?: { older: number; newer: number; length?: number }, owner: string = TOKEN_2022_PROGRAM) {
  const mint = Buffer.alloc(fees ? 170 + (fees.length ?? 108) : 82);
  mint.set(
    encodeMint({ mintAuthority: undefined, supply: 1n, decimals: 0, initialized: true, freezeAuthority: undefined }),
  );
  if (fees) {
    mint[165] = 1;
    mint.writeUInt16LE(1, 166);
    mint.writeUInt16LE(fees.length ?? 108, 168);
    if (fees.length === undefined) {
      mint.writeUInt16LE(fees.older, 170 + 88);
      mint.writeUInt16LE(fees.newer, 170 + 106);
    }
  }
  return { owner, data: [mint.toString('base64'), 'base64'] };
}

/** A fill of ten for this much of the output, of which some is transferred on; what comes of it, and how often the node is asked. */
async function sign(
  { pays, to, amount, receiver = taker }: { pays: bigint; to?: Address; amount?: bigint; receiver?: Address },
  held: unknown,
  rpcUrl?: string,
) {
  const token = { mint: outputMint, tokenProgram: TOKEN_2022_PROGRAM };
  const fill = fillInstruction({
    taker,
    maker,
    takerInputAccount: associatedTokenAddress(taker, inputMint),
    makerInputAccount: newAddress(),
    takerOutputAccount: ofTaker,
    makerOutputAccount: newAddress(),
    inputMint,
    inputTokenProgram: TOKEN_PROGRAM,
    outputMint,
    outputTokenProgram: TOKEN_2022_PROGRAM,
    inputAmount: 10n,
    outputAmount: pays,
    expireAt: 1n,
  });
  const instructions = [
    setComputeUnitLimit(1_000),
    setComputeUnitPrice(1n),
    ...(receiver === taker ? [] : [createAssociatedTokenIdempotent({ payer: taker, owner: receiver, ...token })]),
    fill,
    ...(to && amount
      ? [tokenTransferChecked({ source: ofTaker, destination: to, authority: taker, amount, decimals: 0, ...token })]
      : []),
  ];
  const message = compileMessage({ version: 0, feePayer: taker, instructions, blockhash: newAddress() });
  let asked = 0;
  const node: typeof fetch = async (_, init) => {
    asked++;
    assert.deepEqual(JSON.parse(String(init?.body)).params[0], [outputMint]);
    return Response.json({ result: { value: [held] } });
  };
  const connection = connect({ url: 'http://127.0.0.1:1', apiKey: 'k', rpcUrl, fetch: node });
  const signer = {
    address: taker,
    signTransaction: () => assert.fail('it was signed'),
    signMessage: () => assert.fail('no message'),
  };
  const wanted = { taker, receiver, inputMint, outputMint, amount: 10n, least: 5n, gasless: false, tipLamports: 0n };
  const terms = { ...wanted, maxFeeLamports: 20_000n, mayCreate: true, programs: connection.programs };
  const base64 = Buffer.from(unsignedTransaction(message)).toString('base64');
  const check = checkAskedSwap.bind(undefined, terms);
  const error = await checkAndSignBytes(connection, base64, check, { signer }).catch((thrown) => thrown as Error);
  return { asked, said: String((error as Error & { cause?: Error }).cause ?? error) };
}

const NODE = 'http://127.0.0.1:1';
const asFee = { pays: 1_000_005n, to: thief, amount: 1_000_000n };
const handedOn = { pays: 1_000_005n, to: ofFriend, amount: 1_000_005n, receiver: friend };
const kept = { pays: 5n };

test('attack: a lying service has a fill pay a token whose transfers keep a part, and passes on more than arrives: the node of the client knows the token, and without one nothing is signed', async () => {
  for (const swap of [asFee, handedOn]) {
    for (const fees of [
      { older: 1_000, newer: 1_000 },
      { older: 1_000, newer: 0 },
      { older: 0, newer: 1 },
      { older: 0, newer: 0, length: 100 },
    ]) {
      const refused = fees.length === undefined ? KEEPS : /RangeError/;
      assert.match((await sign(swap, mintWith(fees), NODE)).said, refused);
    }
    for (const none of [null, mintWith(undefined, newAddress())])
      assert.match((await sign(swap, none, NODE)).said, KEEPS);
    const { said, asked } = await sign(swap, mintWith());
    assert.match(said, NO_NODE);
    assert.equal(asked, 0);
  }
});

test('what a market maker pays of a token of Token-2022 that keeps nothing is passed on, with a node that says so', async () => {
  for (const swap of [asFee, handedOn, kept])
    for (const held of [mintWith(), mintWith({ older: 0, newer: 0 })]) {
      const { said, asked } = await sign(swap, held, NODE);
      assert.match(said, SIGNED);
      assert.equal(asked, 1);
    }
});

test('attack: a lying service has a fill pay a token whose transfers keep a part, so that less arrives than it promises: not signed where the client has a node', async () => {
  assert.match((await sign(kept, mintWith({ older: 1_000, newer: 1_000 }), NODE)).said, KEEPS);
  // Without one it is taken on trust that the token keeps nothing: what the wallet held before stays whole.
  assert.match((await sign(kept, undefined)).said, SIGNED);
});
