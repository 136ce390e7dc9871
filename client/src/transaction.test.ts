import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  associatedTokenAddress,
  compileMessage,
  createAssociatedTokenIdempotent,
  generateKeypair,
  SYSTEM_PROGRAM,
  tokenCloseAccount,
  unsignedTransaction,
} from '@slipway/wire';
import { connect } from './context.js';
import { checkAndSignBytes } from './transaction.js';

const newAddress = () => generateKeypair().address;
const [gas, wallet, mint] = [newAddress(), newAddress(), newAddress()];
const account = associatedTokenAddress(wallet, mint);
const ACCOUNT = { owner: newAddress(), data: ['', 'base64'] };

/** Has a transaction signed that passes something through the wallet's account, and closes it; how often the node is asked. */
async function sign(destination: Address, held: unknown, rpcUrl: string | undefined = 'http://127.0.0.1:1') {
  const instructions = [
    createAssociatedTokenIdempotent({ payer: gas, owner: wallet, mint }),
    tokenCloseAccount({ account, destination, authority: wallet }),
  ];
  const message = compileMessage({ version: 0, feePayer: gas, instructions, blockhash: newAddress() });
  let asked = 0;
  const node: typeof fetch = async (_, init) => {
    asked++;
    assert.deepEqual(JSON.parse(String(init?.body)).params[0], [account]);
    return Response.json(
      held === undefined ? { error: { message: 'asked too often' } } : { result: { value: [held] } },
    );
  };
  const connection = connect({ url: 'http://127.0.0.1:1', apiKey: 'k', rpcUrl, fetch: node });
  const signer = {
    address: wallet,
    signTransaction: () => assert.fail('it was signed'),
    signMessage: () => assert.fail('no message'),
  };
  const base64 = Buffer.from(unsignedTransaction(message)).toString('base64');
  const error = await checkAndSignBytes(connection, base64, () => {}, { signer }).catch((thrown) => thrown as Error);
  return {
    asked,
    said: String((error as Error & { cause?: Error }).cause ?? error),
    message: (error as Error).message,
  };
}

test('attack: a lying service says that it lends the account which the output passes through, where the wallet has had it, to keep its rent: the node of the client knows', async () => {
  const kept = await sign(gas, ACCOUNT);
  assert.match(kept.said, new RegExp(`closes ${account}, which was there before, for somebody else`));
  assert.match((await sign(gas, null)).said, /it was signed/);
  const own = await sign(wallet, ACCOUNT);
  assert.deepEqual([own.asked, /it was signed/.test(own.said)], [0, true], 'its rent comes to the wallet');
  const funded = { ...ACCOUNT, owner: SYSTEM_PROGRAM };
  assert.match((await sign(gas, funded)).said, /it was signed/, 'anybody may have sent SOL there');
});

test('a node that says nothing of an account is told of, and not what it has not said', async () => {
  const { said, asked } = await sign(gas, undefined);
  assert.match(said, /asked too often/);
  assert.equal(asked, 2);
});

test('a node that does not answer is told by its host, and not with the key in its URL', async () => {
  const said = [
    ['https://node.example/?api-key=secret', 'no answer from https://node.example'],
    ['https://user:secret@node.example/secret', 'no answer from https://node.example'],
    ['/rpc?api-key=secret', 'no answer from the node'],
  ] as const;
  await Promise.all(said.map(async ([url, text]) => assert.equal((await sign(gas, undefined, url)).message, text)));
});
