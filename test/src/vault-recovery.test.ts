import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import {
  type Address,
  associatedTokenAddress,
  base58Encode,
  compileMessage,
  createAssociatedTokenIdempotent,
  decodeTokenAccount,
  generateKeypair,
  type Instruction,
  type Keypair,
  keypairFromSecret,
  systemTransfer,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  tokenTransferChecked,
  unsignedTransaction,
} from '@slipway/wire';
import { openSigner } from '../../server/dist/signer/index.js';
import { eventually } from './rounds.js';
import { type Service, startService } from './service.js';
import { airdrop, create, deposit, lamportsOf, newUser, SOL, tokensAt, USDC, type User } from './trigger-user.js';
import { rpc, signTransaction } from './wallet.js';

const FEE_OF_TWO_SIGNATURES = 10_000n;
const PAGE = new URL('../../docs/recovery.md', import.meta.url);

interface Held {
  account: Address;
  program: Address;
  mint: Address;
  amount: bigint;
  lamports: bigint;
}

describe('a vault that is recovered from a backup and the page about it', () => {
  let service: Service;
  /** What is left: the signer file, its passphrase, and the program of the page. */
  let folder: string;
  let user: User;

  before(async () => {
    service = await startService();
    folder = mkdtempSync(join(tmpdir(), 'slipway-recovery-'));
    copyFileSync(join(service.dataDir, 'signer.json'), join(folder, 'backup.json'));
    copyFileSync(join(service.dataDir, 'signer.pass'), join(folder, 'passphrase.txt'));
    const [, program] = /```js\n([\s\S]*?)```/.exec(readFileSync(PAGE, 'utf8'))!;
    writeFileSync(join(folder, 'recover-vault.mjs'), program!);
    user = await newUser(service);
  });
  after(async () => {
    await service?.close();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  const recover = async (...words: string[]) => {
    const args = ['recover-vault.mjs', 'backup.json', 'passphrase.txt', ...words];
    return (await promisify(execFile)(process.execPath, args, { cwd: folder })).stdout;
  };

  async function holdings(owner: Address): Promise<Held[]> {
    const found = await Promise.all(
      [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map(async (program) => {
        const { value } = await rpc<{
          value: { pubkey: Address; account: { data: [string]; lamports: number } }[];
        }>(service, 'getTokenAccountsByOwner', owner, { programId: program }, { encoding: 'base64' });
        return value.map(({ pubkey, account: { data, lamports } }) => {
          const { mint, amount } = decodeTokenAccount(Buffer.from(data[0], 'base64'))!;
          return { account: pubkey, program, mint, amount, lamports: BigInt(lamports) };
        });
      }),
    );
    return found.flat();
  }

  async function land(payer: Keypair, vault: Keypair, instructions: Instruction[]): Promise<void> {
    const { value } = await rpc<{ value: { blockhash: string } }>(service, 'getLatestBlockhash');
    const message = compileMessage({ version: 0, feePayer: payer.address, blockhash: value.blockhash, instructions });
    const signed = signTransaction(Buffer.from(unsignedTransaction(message)).toString('base64'), payer, vault);
    const signature = await rpc<string>(service, 'sendTransaction', signed, { encoding: 'base64' });
    const status = await eventually('it has landed', async () => {
      const answer = await rpc<{ value: [{ err: unknown } | null] }>(service, 'getSignatureStatuses', [signature]);
      return answer.value[0] ?? undefined;
    });
    assert.equal(status.err, null);
  }

  it('has the same address for every wallet, also one whose address begins with zeros', async () => {
    const passphrase = readFileSync(join(folder, 'passphrase.txt'), 'utf8').trim();
    const signer = await openSigner({ file: join(folder, 'backup.json'), passphrase, create: false });
    const zeros = [3, 32].map(
      (count) => base58Encode(Buffer.concat([Buffer.alloc(count), randomBytes(32 - count)])) as Address,
    );
    const random = Array.from({ length: 5 }, () => generateKeypair().address);
    for (const wallet of [...zeros, ...random, user.wallet.address]) {
      const vault = await signer.publicKey(`vault:${wallet}`);
      assert.equal(await recover(wallet), `gas wallet  ${signer.address('gas')}\nvault       ${vault}\n`);
    }
    assert.match(await recover(user.wallet.address), new RegExp(`^vault {7}${user.vault}$`, 'm'));
  });

  it('does not open with another passphrase', async () => {
    writeFileSync(join(folder, 'wrong.txt'), 'another passphrase of somebody');
    const args = ['recover-vault.mjs', 'backup.json', 'wrong.txt', user.wallet.address];
    await assert.rejects(promisify(execFile)(process.execPath, args, { cwd: folder }), /unable to authenticate data/);
  });

  it('gives the wallet back all that its open orders hold, to the unit', async () => {
    await create(user, await deposit(user, { amount: '1000000007' }), { inputAmount: '1000000007' });
    const usdc = { inputMint: USDC, outputMint: SOL };
    const crafted = await deposit(user, { ...usdc, amount: '123456789' });
    await create(user, crafted, { ...usdc, triggerCondition: 'below', triggerPriceUsd: 1 });
    await airdrop(service, user.vault, 2_000_003n);

    await recover(user.wallet.address, 'vault.json');
    assert.equal(statSync(join(folder, 'vault.json')).mode & 0o777, 0o600);
    const vault = keypairFromSecret(Uint8Array.from(JSON.parse(readFileSync(join(folder, 'vault.json'), 'utf8'))));
    assert.equal(vault.address, user.vault);

    const held = await holdings(vault.address);
    const sumOf = (mint: Address) =>
      held.filter((each) => each.mint === mint).reduce((sum, { amount }) => sum + amount, 0n);
    assert.equal(sumOf(SOL), 1_000_000_007n);
    assert.equal(sumOf(USDC), 123_456_789n);

    const { wallet } = user;
    const usdcAccount = associatedTokenAddress(wallet.address, USDC, TOKEN_PROGRAM);
    const before = {
      lamports: await lamportsOf(service, wallet.address),
      usdc: (await tokensAt(service, usdcAccount))!.amount,
    };
    for (const { account, program: tokenProgram, mint, amount } of held) {
      const authority = vault.address;
      const close = tokenCloseAccount({ account, destination: wallet.address, authority, tokenProgram });
      const move = [
        createAssociatedTokenIdempotent({ payer: wallet.address, owner: wallet.address, mint, tokenProgram }),
        tokenTransferChecked({
          source: account,
          mint,
          destination: usdcAccount,
          authority,
          amount,
          decimals: 6,
          tokenProgram,
        }),
      ];
      await land(wallet, vault, mint === USDC && amount > 0n ? [...move, close] : [close]);
    }
    const own = await lamportsOf(service, vault.address);
    await land(wallet, vault, [systemTransfer({ from: vault.address, to: wallet.address, lamports: own })]);
    const fees = BigInt(held.length + 1) * FEE_OF_TWO_SIGNATURES;
    const rentAndSol = held.reduce((sum, { lamports }) => sum + lamports, own);
    assert.deepEqual(await holdings(vault.address), []);
    assert.equal((await tokensAt(service, usdcAccount))!.amount, before.usdc + 123_456_789n);
    assert.equal(await lamportsOf(service, wallet.address), before.lamports + rentAndSol - fees);
    assert.ok(rentAndSol > 1_000_000_007n + 2_000_003n);
    assert.equal(await lamportsOf(service, vault.address), 0n);
  });
});
