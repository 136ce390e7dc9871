import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Localnet, startLocalnet } from '@slipway/localnet';
import { inviteAddress, inviteKeypair, newInviteCode } from '@slipway/programs';
import {
  type Address,
  addressToBytes,
  decodeTransaction,
  generateKeypair,
  type Keypair,
  requiredSigners,
} from '@slipway/wire';
import { eventually } from './rounds.js';
import { request, type Service, startService } from './service.js';
import { startUpstreamProxy, type UpstreamProxy } from './upstream-proxy.js';
import { balancesOf, newWallet, rpc, signTransaction } from './wallet.js';

const AMOUNT = 5_000_000n;
/** What the keeper loses for one wallet within an hour. */
const MOST = 20;
/** Of a claim: that of the keeper, who pays, and that of the invite's key. */
const FEE = 2 * 5_000;

describe('attack: a wallet takes invites back in the moment in which the keeper sends their claims', () => {
  let localnet: Localnet;
  let proxy: UpstreamProxy;
  let service: Service;
  /** The service, but with the chain itself as its RPC. */
  let direct: Service;
  before(async () => {
    localnet = await startLocalnet({ rpcPort: 0 });
    proxy = await startUpstreamProxy(localnet.rpcUrl);
    service = await startService({ env: { SLIPWAY_RPC_URL: proxy.url, SLIPWAY_SANDBOX: '1' } });
    direct = { ...service, rpcUrl: localnet.rpcUrl };
  });
  after(async () => {
    await service?.close();
    await proxy?.close();
    await localnet?.close();
  });

  const craft = async <T>(name: string, body: object) => {
    const answer = await request<T>(`${service.url}/send/v1/craft-${name}`, { body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };

  /** The same transaction in the chain, whatever it does there. */
  async function land(wire: string): Promise<void> {
    const signature = await rpc<string>(direct, 'sendTransaction', wire, { encoding: 'base64', skipPreflight: true });
    await eventually(`${signature} is on the chain`, async () => {
      const { value } = await rpc<{ value: (object | null)[] }>(direct, 'getSignatureStatuses', [signature]);
      return value[0] ?? undefined;
    });
  }

  async function newInvite(sender: Keypair): Promise<Keypair> {
    const key = inviteKeypair(newInviteCode());
    const asked = { inviteSigner: key.address, sender: sender.address, amount: `${AMOUNT}` };
    await land(signTransaction((await craft<{ tx: string }>('send', asked)).tx, sender, key));
    return key;
  }

  interface Race {
    key: Keypair;
    claim: { requestId: string; signedTransaction: string };
    keeper: Address;
    back: string;
  }

  /** Crafted just before they are sent: a minute later they would have expired, and cost nobody anything. */
  async function newRace(sender: Keypair, key: Keypair): Promise<Race> {
    const terms = { inviteSigner: key.address, receiver: generateKeypair().address };
    const { tx, requestId } = await craft<{ tx: string; requestId: string }>('claim', terms);
    const { tx: back } = await craft<{ tx: string }>('clawback', {
      invitePDA: inviteAddress(key.address),
      sender: sender.address,
    });
    const [keeper] = requiredSigners(decodeTransaction(Buffer.from(tx, 'base64')).decoded);
    return {
      key,
      keeper: keeper!,
      claim: { requestId, signedTransaction: signTransaction(tx, key) },
      back: signTransaction(back, sender),
    };
  }

  const execute = ({ claim }: Race) =>
    request<{ error?: string }>(`${service.url}/send/v1/execute-claim`, { body: claim });

  it('20 failed claims, at the keeper’s cost of 20 fees, and no further one for this wallet; others are served', async () => {
    const [sender, other] = [await newWallet(service, 10n ** 9n, 0n), await newWallet(service, 10n ** 9n, 0n)];
    const keys: Keypair[] = [];
    for (let made = 0; made <= MOST; made++) keys.push(await newInvite(sender));
    const honest = await newInvite(other);
    const last = keys.pop()!;
    const { keeper } = await newRace(sender, last);
    const before = (await balancesOf(direct, keeper)).lamports;

    let race: Race | undefined;
    proxy.behavior = async ({ method, params }, forward) => {
      if (method === 'sendTransaction' && race) {
        const wire = Buffer.from(params[0] as string, 'base64');
        if (wire.includes(Buffer.from(addressToBytes(race.key.address)))) await land(race.back).catch(() => undefined);
      }
      return { body: await forward() };
    };
    for (const key of keys) {
      race = await newRace(sender, key);
      const { status, body } = await execute(race);
      assert.equal(status, 400, JSON.stringify(body));
    }
    race = undefined;
    const lost = () => balancesOf(direct, keeper).then(({ lamports }) => Number(before - lamports));
    assert.equal(await lost(), MOST * FEE);
    const { status, body } = await execute(await newRace(sender, last));
    assert.equal(status, 429, JSON.stringify(body));
    assert.equal((await execute(await newRace(other, honest))).status, 200);
    assert.equal(await lost(), (MOST + 1) * FEE, 'the fee of the honest claim');
  });
});
