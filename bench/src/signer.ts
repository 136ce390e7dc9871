import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Address, addressFromBytes, compileMessage, generateKeypair, sign, systemTransfer } from '@slipway/wire';
import { connectSigner, openSigner } from '../../server/dist/signer/index.js';
import { type Rig, startProgram } from './processes.js';

const PASSPHRASE = 'a passphrase of the bench';
const STARTS = 5;

export interface SignerFigures {
  /** Milliseconds from starting the process until it is ready. */
  starts: number[];
  /** Milliseconds of a transaction signed over the socket, one after the other. */
  socket: number[];
  /** Of the signature alone, in this process. */
  bare: number[];
}

/** A `slipway signer` with policies, limits and record, and one caller on a Unix socket. */
export async function measureSigner(rig: Rig, { rounds }: { rounds: number }): Promise<SignerFigures> {
  const folder = rig.folder();
  const file = join(folder, 'signer.json');
  await openSigner({ file, passphrase: PASSPHRASE, create: true });
  const config = join(folder, 'slipway.signer.json');
  const limits = { gas: { solPerHour: 100_000, solPerDay: 1_000_000 } };
  writeFileSync(
    config,
    JSON.stringify({
      file,
      limits,
      publicUrl: 'http://localhost',
      callers: { api: { roles: ['api'], socket: 'api.sock' } },
    }),
  );
  const start = async () => {
    const started = performance.now();
    const program = await startProgram(rig, {
      file: 'server/bin/slipway.mjs',
      args: ['signer', '--config', config],
      env: { SLIPWAY_SIGNER_PASSPHRASE: PASSPHRASE },
      ready: /is ready/,
    });
    return { program, ms: performance.now() - started };
  };
  const figures: SignerFigures = { starts: [], socket: [], bare: [] };
  for (let count = 0; count < STARTS; count++) {
    const { program, ms } = await start();
    figures.starts.push(ms);
    await program.stop();
  }
  await start();
  const copy = await connectSigner({ endpoint: { path: join(folder, 'api.sock') }, name: 'api', patienceMs: 0 });
  rig.add(() => copy.close());
  const gas = copy.address('gas');
  const keypair = generateKeypair();
  for (let count = 0; count < 1_000 * rounds; count++) {
    const message = payment(gas, count);
    const before = performance.now();
    await copy.cosign({ keys: ['gas'], message });
    figures.socket.push(performance.now() - before);
    const again = performance.now();
    sign(keypair, message);
    figures.bare.push(performance.now() - again);
  }
  return figures;
}

/** A payment whose fee the gas wallet pays; another one for each number. */
function payment(gas: Address, number: number): Uint8Array {
  const blockhash = new Uint8Array(32);
  new DataView(blockhash.buffer).setUint32(0, number + 1);
  const from = generateKeypair().address;
  const instructions = [systemTransfer({ from, to: gas, lamports: 1n })];
  return compileMessage({ version: 0, feePayer: gas, instructions, blockhash: addressFromBytes(blockhash) });
}
