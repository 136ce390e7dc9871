import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { BONDING_CURVE_PROGRAM, ROUTER_PROGRAM } from '@slipway/programs';
import {
  type Address,
  ASSOCIATED_TOKEN_PROGRAM,
  associatedTokenAddress,
  COMPUTE_BUDGET_PROGRAM,
  generateKeypair,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { request, type Service, startService } from './service.js';
import { createPool, indie, type Refused, USDC } from './studio.js';
import { airdrop, SOL } from './swap.js';
import { infoOf, JUP, rpc } from './wallet.js';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.close());

const AMOUNT = '1000000000';
const BUILT_IN = [SYSTEM_PROGRAM, COMPUTE_BUDGET_PROGRAM];
const OF_EVERYBODY = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM, ASSOCIATED_TOKEN_PROGRAM, MEMO_PROGRAM];

/** What is asked of each craft route where the wallet that pays is `wallet`. */
function crafts(wallet: Address): [string, object | undefined][] {
  const other = generateKeypair().address;
  const query = (path: string, fields: Record<string, string>): [string, undefined] => [
    `${path}?${new URLSearchParams(fields)}`,
    undefined,
  ];
  const payment = (paymentCurrency: string) =>
    query('/tokens/v2/verify/express/craft-txn', { senderAddress: wallet, paymentCurrency });
  const order = (inputMint: string) =>
    query('/ultra/v1/order', { inputMint, outputMint: USDC, amount: AMOUNT, taker: wallet });
  const limitOrder = { inputMint: JUP, outputMint: USDC, params: { makingAmount: AMOUNT, takingAmount: AMOUNT } };
  return [
    ...['PLATFORM_TOKEN', 'SOL', 'USDC'].map(payment),
    ...[JUP, SOL].map(order),
    ['/trigger/v1/createOrder', { ...limitOrder, maker: wallet, payer: wallet }],
    ['/trigger/v1/createOrder', { ...limitOrder, maker: other, payer: wallet }],
    ['/trigger/v1/cancelOrders', { maker: wallet }],
    ['/trigger/v2/auth/challenge', { walletPubkey: wallet, type: 'transaction' }],
    ['/send/v1/craft-send', { inviteSigner: other, sender: wallet, amount: AMOUNT }],
    ['/send/v1/craft-send', { inviteSigner: other, sender: wallet, amount: AMOUNT, mint: JUP }],
    query('/ultra/v1/transfer/craft-native', { senderAddress: wallet, receiverAddress: other, amount: AMOUNT }),
    query('/ultra/v1/transfer/craft-token', {
      senderAddress: wallet,
      senderTokenAccountAddress: associatedTokenAddress(wallet, JUP),
      receiverAddress: other,
      amount: AMOUNT,
      mint: JUP,
      tokenProgramId: TOKEN_PROGRAM,
      tokenDecimals: '6',
    }),
    ['/ultra/v1/reclaim/craft', { owner: wallet, mints: [JUP, USDC] }],
    ['/studio/v1/dbc-pool/create-tx', indie(wallet)],
  ];
}

describe('a wallet that is a program', () => {
  it('is no failure of the service at any route, whichever program it is and whatever it holds', async () => {
    const { programs } = await infoOf(service);
    const all = [...BUILT_IN, ...OF_EVERYBODY, ...programs.map(({ address }) => address)];
    for (const program of all) {
      if (!BUILT_IN.includes(program)) await airdrop(service, program, 5_000_000_000n);
      for (const mint of [JUP, USDC]) await airdrop(service, program, 5_000_000_000n, mint);
      for (const [path, body] of crafts(program)) {
        const answer = await request(`${service.url}${path}`, { body });
        assert.ok(answer.status < 500, `${path} ${program}: ${JSON.stringify(answer.body)}`);
      }
    }
  });

  it('is refused by the name of its field where the transaction calls it', async () => {
    const { address } = generateKeypair();
    await airdrop(service, ROUTER_PROGRAM, 5_000_000_000n);
    await airdrop(service, ROUTER_PROGRAM, 5_000_000_000n, USDC);
    const path = `${service.url}/tokens/v2/verify/express/craft-txn?paymentCurrency=USDC&senderAddress=`;
    const payment = await request<{ message: string }>(`${path}${ROUTER_PROGRAM}`);
    assert.equal(payment.status, 400);
    assert.match(payment.body.message, /^senderAddress: expected a wallet/);
    assert.equal((await request(`${path}${address}`)).status, 200);
  });

  it('is refused by the name of its field where the chain does not have it', async () => {
    const account = { lamports: 10_000_000_000, executable: false, owner: SYSTEM_PROGRAM, data: '' };
    await rpc(service, 'localnet_setAccount', BONDING_CURVE_PROGRAM, account);
    const { status, body } = await createPool<Refused>(service, indie(BONDING_CURVE_PROGRAM));
    assert.equal(status, 400, JSON.stringify(body));
    assert.match(body.errors!.creator![0]!, /expected a wallet/);
  });
});
