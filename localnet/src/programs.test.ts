import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import {
  type Address,
  address,
  addressToBytes,
  BPF_LOADER_UPGRADEABLE,
  CLOCK_SYSVAR,
  decodeMint,
  findProgramAddress,
  generateKeypair,
  type Instruction,
  type Keypair,
  RENT_SYSVAR,
  readonlyAccount,
  readonlySigner,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  systemCreateAccount,
  tokenInitializeMint2,
  writableAccount,
  writableSigner,
} from '@slipway/wire';
import { type Chain, ChainError } from './chain.js';
import { execute, openTestChain, programCode, type TestChain, tempFolder } from './chain-testing.js';

/** Has a copy of the token program make a mint, which shows that it runs. */
async function makeMint({ chain, alice }: TestChain, program: Address): Promise<void> {
  const mint = generateKeypair();
  const create = { payer: alice.address, newAccount: mint.address, lamports: rentExemptLamports(82), space: 82 };
  const initialize = tokenInitializeMint2({ mint: mint.address, decimals: 3, mintAuthority: alice.address });
  await execute(chain, [alice, mint], systemCreateAccount({ ...create, owner: program }), { ...initialize, program });
  assert.equal(decodeMint((await chain.account(mint.address))!.data)?.decimals, 3);
}

test('programs of the folder run, also after a restart without the folder', async (t) => {
  const programsDir = tempFolder(t);
  const dataDir = tempFolder(t);
  const program = generateKeypair().address;
  writeFileSync(join(programsDir, `${program}.so`), programCode());
  writeFileSync(join(programsDir, 'README.md'), 'not a program');
  const first = await openTestChain(t, { dataDir, programsDir });
  assert.ok(first.chain.genesis.programs.some(({ name, address }) => name === program && address === program));
  await makeMint(first, program);
  await first.chain.close();
  const second = await openTestChain(t, { dataDir, now: () => first.time.now });
  await makeMint(second, program);
});

test('a file that is no program is refused with its name', async (t) => {
  const cases: [string, Uint8Array][] = [
    ['my-program.so', programCode()],
    [`${generateKeypair().address}.so`, Buffer.from('not an ELF file')],
    [`${generateKeypair().address}.so`, programCode().subarray(0, 5000)],
  ];
  for (const [name, bytes] of cases) {
    const programsDir = tempFolder(t);
    const dataDir = tempFolder(t);
    writeFileSync(join(programsDir, name), bytes);
    await assert.rejects(openTestChain(t, { programsDir, dataDir }), (error) => {
      assert.ok(error instanceof ChainError && error.kind === 'data');
      assert.ok(error.message.includes(join(programsDir, name)));
      assert.ok(!error.message.includes('\n'));
      return true;
    });
    // The folder was given back, and can be used once the file is gone.
    await openTestChain(t, { dataDir });
  }
  const missing = join(tempFolder(t), 'nowhere');
  await assert.rejects(openTestChain(t, { programsDir: missing }), (error) => String(error).includes(missing));
});

test('a program deployed by transactions runs at once and after a restart, and its upload is journaled once', async (t) => {
  const dataDir = tempFolder(t);
  const test = await openTestChain(t, { dataDir });
  const code = programCode();
  const journaled = () => statSync(join(dataDir, 'journal.bin')).size;
  const before = journaled();
  const program = await deploy(test.chain, test.alice, code);
  // The buffer, the program's data, and its transactions.
  const grown = journaled() - before;
  t.diagnostic(`${(grown / code.length).toFixed(2)} times the program`);
  assert.ok(grown < 3.6 * code.length);
  test.passSlots(1);
  await makeMint(test, program);
  await test.chain.close();
  const again = await openTestChain(t, { dataDir, now: () => test.time.now });
  await makeMint(again, program);
});

async function deploy(chain: Chain, payer: Keypair, code: Buffer): Promise<Address> {
  const buffer = generateKeypair();
  const program = generateKeypair();
  const authority = payer.address;
  const create = (account: Keypair, space: number) => {
    const lamports = rentExemptLamports(space);
    return systemCreateAccount({
      payer: authority,
      newAccount: account.address,
      lamports,
      space,
      owner: BPF_LOADER_UPGRADEABLE,
    });
  };
  const initialize = loader(Buffer.alloc(4), [writableAccount(buffer.address), readonlyAccount(authority)]);
  await execute(chain, [payer, buffer], create(buffer, 37 + code.length), initialize);
  for (let offset = 0; offset < code.length; offset += 900) {
    const bytes = code.subarray(offset, offset + 900);
    const head = Buffer.alloc(16);
    head.writeUInt32LE(1);
    head.writeUInt32LE(offset, 4);
    head.writeUInt32LE(bytes.length, 8);
    await execute(
      chain,
      [payer],
      loader(Buffer.concat([head, bytes]), [writableAccount(buffer.address), readonlySigner(authority)]),
    );
  }
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2);
  data.writeBigUInt64LE(BigInt(code.length), 4);
  const programData = findProgramAddress([addressToBytes(program.address)], BPF_LOADER_UPGRADEABLE).address;
  const deployment = loader(data, [
    writableSigner(authority),
    writableAccount(programData),
    writableAccount(program.address),
    writableAccount(buffer.address),
    readonlyAccount(RENT_SYSVAR),
    readonlyAccount(CLOCK_SYSVAR),
    readonlyAccount(SYSTEM_PROGRAM),
    readonlySigner(authority),
  ]);
  await execute(chain, [payer, program], create(program, 36), deployment);
  return program.address;
}

function loader(data: Buffer, accounts: Instruction['accounts']): Instruction {
  return { program: address(BPF_LOADER_UPGRADEABLE), accounts, data };
}
